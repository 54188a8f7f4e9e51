//! What would be asked of a system.

use std::num::NonZeroU32;

use crate::{
    appointments::{Booking, Slot, Span},
    catalogue::{Availability, Money, Product},
    orders::{
        CreationKey, DeliveryAddress, Order, OrderReference, OrderRequest, OrderStatus, OrderedLine,
        Recipient,
    },
    phone::PhoneNumber,
    systems::{Currency, ExternalId},
    text::PlainText,
};

use super::{DraftKind, stored};

/// Lines of an order, at most: its summary has to be read on a phone.
pub const MAX_LINES: usize = 20;
/// One line has at most so many pieces.
pub const MAX_QUANTITY: u32 = 999;
/// A note has at most so many characters.
pub const LONGEST_NOTE: usize = 200;

/// A system would be asked this, with all that its summary says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    /// An order is to be placed.
    Order(OrderProposal),
    /// A slot is to be booked.
    Booking(BookingProposal),
    /// An order is to be cancelled.
    Cancellation(CancellationProposal),
}

/// It is an order, paid on delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderProposal {
    /// There is one line at least.
    pub lines: Vec<ProposedLine>,
    /// The prices are in it.
    pub currency: Currency,
    /// They get the order.
    pub recipient: Recipient,
    pub address: DeliveryAddress,
    /// It is the customer's remark.
    pub note: Option<PlainText>,
}

/// It is a line of an order, as it was quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedLine {
    /// The product is read again by it.
    pub product: ExternalId,
    /// This is ordered: a variant, or the product where it has none.
    pub variant: ExternalId,
    pub title: PlainText,
    /// One costs this.
    pub price: Money,
    pub quantity: NonZeroU32,
}

impl ProposedLine {
    /// Returns a line as `product` is sold now; `None` where it has no such variant, sells it in another
    /// currency than `currency`, or cannot sell it.
    pub fn of(
        product: &Product,
        variant: &ExternalId,
        quantity: NonZeroU32,
        currency: Currency,
    ) -> Option<Self> {
        let listing = product.orderable().find(|listing| listing.id == *variant)?;
        let same_currency = product.currency.as_ref().is_none_or(|of_product| *of_product == currency);
        let title = if listing.title == product.listing.title {
            product.listing.title.clone()
        } else {
            let both = format!("{} ({})", product.listing.title.as_str(), listing.title.as_str());
            PlainText::read(&both, usize::MAX)?
        };
        (same_currency && listing.availability != Availability::Out).then(|| Self {
            product: product.listing.id.clone(),
            variant: listing.id.clone(),
            title,
            price: listing.price.clone(),
            quantity,
        })
    }
}

/// It is a slot to be booked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookingProposal {
    pub slot: ExternalId,
    pub span: Span,
    pub service: PlainText,
    pub name: PlainText,
    pub phone: PhoneNumber,
    pub note: Option<PlainText>,
}

impl BookingProposal {
    /// Says whether the slot is offered as it was.
    pub fn is_offered_by(&self, slots: &[Slot]) -> bool {
        slots
            .iter()
            .any(|slot| slot.id == self.slot && slot.span == self.span && slot.service == self.service)
    }

    /// Returns what the system is asked.
    pub fn request(&self, key: CreationKey) -> Booking {
        Booking {
            key,
            slot: self.slot.clone(),
            service: self.service.clone(),
            name: self.name.clone(),
            phone: self.phone.clone(),
            note: self.note.clone(),
        }
    }
}

/// It is an order to be cancelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancellationProposal {
    /// The order is named so to the system.
    pub reference: OrderReference,
    /// The customer knows the order by it.
    pub number: ExternalId,
    pub total: Money,
    /// The total is in it.
    pub currency: Currency,
    /// The order was placed under this number, which is the conversation's own.
    pub phone: PhoneNumber,
    pub reason: PlainText,
}

impl CancellationProposal {
    /// Makes the cancellation of `order`; `None` where that is cancelled already. It costs what it says in
    /// `currency` where it names none.
    pub fn of(
        reference: OrderReference,
        order: &Order,
        currency: Currency,
        phone: PhoneNumber,
        reason: PlainText,
    ) -> Option<Self> {
        (order.status != OrderStatus::Cancelled).then(|| Self {
            reference,
            number: order.number.clone(),
            total: order.total.clone(),
            currency: order.currency.unwrap_or(currency),
            phone,
            reason,
        })
    }
}

impl OrderProposal {
    /// Returns what all of it costs together; `None` where that is more than any order costs.
    pub fn total(&self) -> Option<Money> {
        Money::total(self.lines.iter().map(|line| (&line.price, line.quantity.get())))
    }

    /// Returns what the system is asked.
    pub fn request(&self, key: CreationKey) -> OrderRequest {
        let line =
            |line: &ProposedLine| OrderedLine { variant: line.variant.clone(), quantity: line.quantity };
        OrderRequest {
            key,
            lines: self.lines.iter().map(line).collect(),
            recipient: self.recipient.clone(),
            address: self.address.clone(),
            note: self.note.clone(),
        }
    }
}

impl Proposal {
    /// Returns what kind of thing it is.
    pub const fn kind(&self) -> DraftKind {
        match self {
            Self::Order(_) => DraftKind::Order,
            Self::Booking(_) => DraftKind::Booking,
            Self::Cancellation(_) => DraftKind::Cancellation,
        }
    }

    /// Says whether it is for the time at which `booked` begins.
    pub fn is_at(&self, booked: Span) -> bool {
        match self {
            Self::Booking(confirmed) => booked.starts_at() == confirmed.span.starts_at(),
            Self::Order(_) | Self::Cancellation(_) => true,
        }
    }

    /// Says whether `order` costs what was confirmed, as amounts are shown; it is in `currency` where it names none.
    pub fn costs(&self, order: &Order, currency: Currency) -> bool {
        match self {
            Self::Order(confirmed) => {
                let shown = |total: &Money| total.in_currency(confirmed.currency);
                order.currency.unwrap_or(currency) == confirmed.currency
                    && confirmed.total().is_some_and(|total| shown(&total) == shown(&order.total))
            }
            Self::Booking(_) | Self::Cancellation(_) => true,
        }
    }

    /// Returns the proposal as it is kept, sealed: the same bytes for the same proposal.
    pub fn canonical(&self) -> Vec<u8> {
        stored::write(self)
    }

    /// Reads what [`Self::canonical`] made.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        stored::read(bytes)
    }

    /// Returns what the customer was quoted and a system may say otherwise by now: products and prices, a
    /// time, an order's number and total. The same bytes for the same quote.
    pub fn quoted(&self) -> Vec<u8> {
        let mut quoted = Vec::new();
        // Systems write one price as 25000, as 25000.0 and as 25000.000000000004.
        let value = |money: &Money, currency: Currency| {
            let shown = money.in_currency(currency);
            let (whole, fraction) = shown.parts();
            format!("{whole}.{fraction}")
        };
        let mut add = |part: &str| {
            // The length in front of each part, so that no two quotes run together into the same bytes.
            quoted.extend(part.len().to_be_bytes());
            quoted.extend(part.as_bytes());
        };
        add(self.kind().as_str());
        match self {
            Self::Order(order) => {
                add(order.currency.as_str());
                for line in &order.lines {
                    let (price, quantity) = (value(&line.price, order.currency), line.quantity.to_string());
                    for part in [line.variant.as_str(), line.title.as_str(), &price, &quantity] {
                        add(part);
                    }
                }
                // What rounding hides of one piece may show in many.
                if let Some(total) = order.total() {
                    add(&value(&total, order.currency));
                }
            }
            Self::Booking(booking) => {
                add(booking.slot.as_str());
                add(booking.service.as_str());
                add(&booking.span.starts_at().unix_timestamp().to_string());
                add(&booking.span.ends_at().unix_timestamp().to_string());
            }
            Self::Cancellation(order) => {
                let total = value(&order.total, order.currency);
                for part in [order.number.as_str(), &total, order.currency.as_str()] {
                    add(part);
                }
            }
        }
        quoted
    }
}
