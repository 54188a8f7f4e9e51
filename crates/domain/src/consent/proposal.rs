//! Proposals: what a system would be asked for.

use std::num::NonZeroU32;

use super::draft_kind::DraftKind;
use crate::{
    currency::Currency,
    external_id::ExternalId,
    money::Money,
    orders::{
        CreationKey, DeliveryAddress, Order, OrderReference, OrderRequest, OrderStatus, OrderedLine,
        Recipient,
    },
    phone::PhoneNumber,
    systems::{Availability, Booking, Product, Slot, Span},
    text::PlainText,
};

/// Most lines of an order: its summary has to be readable on a phone.
pub const MAX_LINES: usize = 20;
/// Most pieces of one line.
pub const MAX_QUANTITY: u32 = 999;
/// Most characters of a note.
pub const LONGEST_NOTE: usize = 200;

/// What a system would be asked for, with all that the summary says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proposal {
    Order(OrderProposal),
    Booking(BookingProposal),
    Cancellation(CancellationProposal),
}

/// An order to be placed, paid on delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrderProposal {
    /// One line at least.
    pub lines: Vec<ProposedLine>,
    pub currency: Currency,
    pub recipient: Recipient,
    pub address: DeliveryAddress,
    /// The customer's remark.
    pub note: Option<PlainText>,
}

/// A line of an order, as quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedLine {
    /// Product by which the line is quoted again.
    pub product: ExternalId,
    /// Variant that is ordered, or the product where it has none.
    pub variant: ExternalId,
    pub title: PlainText,
    pub price: Money,
    pub quantity: NonZeroU32,
}

impl ProposedLine {
    /// Quotes a line as `product` is sold now; `None` if it has no such variant, is sold in another currency,
    /// or is out of stock.
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

/// A slot to be booked.
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
    /// Returns whether `slots` holds the slot with the same id, time and service.
    pub fn is_offered_by(&self, slots: &[Slot]) -> bool {
        slots
            .iter()
            .any(|slot| slot.id == self.slot && slot.span == self.span && slot.service == self.service)
    }

    /// Makes the request to the system.
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

/// An order to be cancelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancellationProposal {
    /// How the system is asked for the order.
    pub reference: OrderReference,
    /// Number under which the customer knows the order.
    pub number: ExternalId,
    pub total: Money,
    pub currency: Currency,
    /// The conversation's verified number; the system must know the order by it.
    pub phone: PhoneNumber,
    pub reason: PlainText,
}

impl CancellationProposal {
    /// Makes the cancellation of `order`, whose total is in `currency` if it names none; `None` if it is
    /// cancelled already.
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
    /// Returns the total of all lines; `None` if it has more digits than [`Money`] holds.
    pub fn total(&self) -> Option<Money> {
        Money::total(self.lines.iter().map(|line| (&line.price, line.quantity.get())))
    }

    /// Makes the request to the system.
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
    pub const fn kind(&self) -> DraftKind {
        match self {
            Self::Order(_) => DraftKind::Order,
            Self::Booking(_) => DraftKind::Booking,
            Self::Cancellation(_) => DraftKind::Cancellation,
        }
    }

    /// Returns whether `booked` begins when it was confirmed; true of anything but a booking.
    pub fn is_at(&self, booked: Span) -> bool {
        match self {
            Self::Booking(confirmed) => booked.starts_at() == confirmed.span.starts_at(),
            Self::Order(_) | Self::Cancellation(_) => true,
        }
    }

    /// Returns whether `order` costs what was confirmed, rounded to the currency's digits; true of anything
    /// but an order. The total is in `currency` if the order names none.
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

    /// Encodes the quote, which a system may change: products and prices, a time, an order's number and
    /// total. Equal quotes give equal bytes.
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
                // A difference that rounding hides in one piece may show in many.
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
