//! Bodies of the requests to a system.

use domain::{
    external_id::ExternalId,
    orders::{DeliveryAddress, OrderRequest, OrderedLine, Recipient},
    phone::PhoneNumber,
    systems::{Booking, LeadPush},
    text::PlainText,
};
use guarded_http::Bytes;
use serde::Serialize;

/// Our name as the originator.
const SOURCE: &str = "messaging-service";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OrderBody<'a> {
    idempotency_key: &'a str,
    lines: Vec<LineBody<'a>>,
    customer: CustomerBody<'a>,
    address: AddressBody<'a>,
    note: &'a str,
    source: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LineBody<'a> {
    variant_id: &'a ExternalId,
    quantity: u32,
}

impl<'a> LineBody<'a> {
    fn of(line: &'a OrderedLine) -> Self {
        Self { variant_id: &line.variant, quantity: line.quantity.get() }
    }
}

#[derive(Serialize)]
struct CustomerBody<'a> {
    name: &'a str,
    phone: &'a PhoneNumber,
    email: Option<&'a str>,
}

#[derive(Serialize)]
struct AddressBody<'a> {
    line1: &'a str,
    city: &'a str,
    province: &'a str,
    country: &'a str,
    notes: Option<&'a str>,
}

#[derive(Serialize)]
struct CancellationBody<'a> {
    reason: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LeadBody<'a> {
    name: &'a str,
    phone: &'a PhoneNumber,
    note: &'a str,
    conversation_id: String,
    source: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BookingBody<'a> {
    idempotency_key: &'a str,
    slot_id: &'a ExternalId,
    service: &'a str,
    customer: PersonBody<'a>,
    note: Option<&'a str>,
    source: &'static str,
}

#[derive(Serialize)]
struct PersonBody<'a> {
    name: &'a str,
    phone: &'a PhoneNumber,
}

/// Serialises `body`; `None` only if JSON cannot be written, which these types leave no way for.
fn json(body: &impl Serialize) -> Option<Bytes> {
    serde_json::to_vec(body).ok().map(Bytes::from)
}

fn or_null(text: Option<&PlainText>) -> Option<&str> {
    text.map(PlainText::as_str)
}

/// Returns the text, or an empty one, since the contract has a string there.
fn or_empty(text: Option<&PlainText>) -> &str {
    or_null(text).unwrap_or_default()
}

pub(crate) fn order(order: &OrderRequest) -> Option<Bytes> {
    let Recipient { name, phone, email } = &order.recipient;
    let DeliveryAddress { line1, city, province, country, notes } = &order.address;
    let lines = order.lines.iter();
    json(&OrderBody {
        idempotency_key: order.key.as_str(),
        lines: lines.map(LineBody::of).collect(),
        customer: CustomerBody { name: name.as_str(), phone, email: or_null(email.as_ref()) },
        address: AddressBody {
            line1: line1.as_str(),
            city: city.as_str(),
            province: province.as_str(),
            country: country.as_str(),
            notes: or_null(notes.as_ref()),
        },
        note: or_empty(order.note.as_ref()),
        source: SOURCE,
    })
}

pub(crate) fn cancellation(reason: &PlainText) -> Option<Bytes> {
    json(&CancellationBody { reason: reason.as_str() })
}

pub(crate) fn lead(lead: &LeadPush) -> Option<Bytes> {
    json(&LeadBody {
        name: or_empty(lead.name.as_ref()),
        phone: &lead.phone,
        note: or_empty(lead.note.as_ref()),
        conversation_id: lead.conversation.to_string(),
        source: SOURCE,
    })
}

pub(crate) fn booking(booking: &Booking) -> Option<Bytes> {
    json(&BookingBody {
        idempotency_key: booking.key.as_str(),
        slot_id: &booking.slot,
        service: booking.service.as_str(),
        customer: PersonBody { name: booking.name.as_str(), phone: &booking.phone },
        note: or_null(booking.note.as_ref()),
        source: SOURCE,
    })
}
