//! Storage format of proposals: JSON with a fixed order of fields, so that equal proposals are equal bytes.

use std::num::NonZeroU32;

use serde::{Deserialize, Serialize};
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use super::proposal::{BookingProposal, CancellationProposal, OrderProposal, Proposal, ProposedLine};
use crate::{
    external_id::ExternalId,
    money::Money,
    orders::{DeliveryAddress, OrderReference, Recipient},
    phone::PhoneNumber,
    systems::Span,
    text::PlainText,
};

#[derive(Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Stored {
    Order {
        lines: Vec<Line>,
        currency: String,
        name: String,
        phone: String,
        email: Option<String>,
        line1: String,
        city: String,
        province: String,
        country: String,
        notes: Option<String>,
        note: Option<String>,
    },
    Booking {
        slot: Id,
        starts_at: String,
        ends_at: String,
        service: String,
        name: String,
        phone: String,
        note: Option<String>,
    },
    Cancellation {
        reference: String,
        number: Id,
        total: String,
        currency: String,
        phone: String,
        reason: String,
    },
}

#[derive(Serialize, Deserialize)]
struct Line {
    product: Id,
    variant: Id,
    title: String,
    price: String,
    quantity: NonZeroU32,
}

/// An id with the JSON type that it came in.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Id {
    Text(String),
    Number(String),
}

impl Id {
    fn of(id: &ExternalId) -> Self {
        let text = id.as_str().to_owned();
        if id.is_number() { Self::Number(text) } else { Self::Text(text) }
    }

    fn read(self) -> Option<ExternalId> {
        match self {
            Self::Text(text) => ExternalId::of_text(&text),
            Self::Number(text) => ExternalId::of_number(&text),
        }
    }
}

impl Proposal {
    /// Encodes the proposal for storage (sealed) and for its key: equal proposals give equal bytes.
    pub fn canonical(&self) -> Vec<u8> {
        // Every key is a string and every value a plain one, so that this cannot fail.
        serde_json::to_vec(&Stored::of(self)).unwrap_or_default()
    }

    /// Decodes what [`Self::canonical`] returns.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice::<Stored>(bytes).ok()?.read()
    }
}

fn text(text: &PlainText) -> String {
    text.as_str().to_owned()
}

fn maybe(text: Option<&PlainText>) -> Option<String> {
    text.map(|text| text.as_str().to_owned())
}

fn plain(text: &str) -> Option<PlainText> {
    PlainText::read(text, usize::MAX)
}

/// Formats a time with the offset that the system gave it.
fn time(at: OffsetDateTime) -> String {
    at.format(&Rfc3339).unwrap_or_default()
}

fn moment(written: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(written, &Rfc3339).ok()
}

impl Stored {
    fn of(proposal: &Proposal) -> Self {
        match proposal {
            Proposal::Order(order) => Self::Order {
                lines: order.lines.iter().map(Line::of).collect(),
                currency: order.currency.as_str().to_owned(),
                name: text(&order.recipient.name),
                phone: order.recipient.phone.as_str().to_owned(),
                email: maybe(order.recipient.email.as_ref()),
                line1: text(&order.address.line1),
                city: text(&order.address.city),
                province: text(&order.address.province),
                country: order.address.country.as_str().to_owned(),
                notes: maybe(order.address.notes.as_ref()),
                note: maybe(order.note.as_ref()),
            },
            Proposal::Booking(booking) => Self::Booking {
                slot: Id::of(&booking.slot),
                starts_at: time(booking.span.starts_at()),
                ends_at: time(booking.span.ends_at()),
                service: text(&booking.service),
                name: text(&booking.name),
                phone: booking.phone.as_str().to_owned(),
                note: maybe(booking.note.as_ref()),
            },
            Proposal::Cancellation(order) => Self::Cancellation {
                reference: order.reference.as_str().to_owned(),
                number: Id::of(&order.number),
                total: order.total.as_str().to_owned(),
                currency: order.currency.as_str().to_owned(),
                phone: order.phone.as_str().to_owned(),
                reason: text(&order.reason),
            },
        }
    }

    fn read(self) -> Option<Proposal> {
        Some(match self {
            Self::Order {
                lines,
                currency,
                name,
                phone,
                email,
                line1,
                city,
                province,
                country,
                notes,
                note,
            } => Proposal::Order(OrderProposal {
                lines: lines.into_iter().map(Line::read).collect::<Option<_>>()?,
                currency: currency.parse().ok()?,
                recipient: Recipient {
                    name: plain(&name)?,
                    phone: PhoneNumber::from_e164(&phone).ok()?,
                    email: email.as_deref().and_then(plain),
                },
                address: DeliveryAddress {
                    line1: plain(&line1)?,
                    city: plain(&city)?,
                    province: plain(&province)?,
                    country: country.parse().ok()?,
                    notes: notes.as_deref().and_then(plain),
                },
                note: note.as_deref().and_then(plain),
            }),
            Self::Booking { slot, starts_at, ends_at, service, name, phone, note } => {
                Proposal::Booking(BookingProposal {
                    slot: slot.read()?,
                    span: Span::new(moment(&starts_at)?, moment(&ends_at)?)?,
                    service: plain(&service)?,
                    name: plain(&name)?,
                    phone: PhoneNumber::from_e164(&phone).ok()?,
                    note: note.as_deref().and_then(plain),
                })
            }
            Self::Cancellation { reference, number, total, currency, phone, reason } => {
                Proposal::Cancellation(CancellationProposal {
                    reference: OrderReference::read(&reference)?,
                    number: number.read()?,
                    total: Money::of_number(&total)?,
                    currency: currency.parse().ok()?,
                    phone: PhoneNumber::from_e164(&phone).ok()?,
                    reason: plain(&reason)?,
                })
            }
        })
    }
}

impl Line {
    fn of(line: &ProposedLine) -> Self {
        Self {
            product: Id::of(&line.product),
            variant: Id::of(&line.variant),
            title: text(&line.title),
            price: line.price.as_str().to_owned(),
            quantity: line.quantity,
        }
    }

    fn read(self) -> Option<ProposedLine> {
        Some(ProposedLine {
            product: self.product.read()?,
            variant: self.variant.read()?,
            title: plain(&self.title)?,
            price: Money::of_number(&self.price)?,
            quantity: self.quantity,
        })
    }
}
