//! Orders and appointments of a workspace's own system as events show them.

use std::fmt;

use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

use crate::{
    currency::Currency,
    money::Money,
    orders::{Order, OrderLine},
    phone::PhoneNumber,
    systems::Appointment,
};

/// An order as its system returned it. `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PlacedOrder {
    id: String,
    number: String,
    state: &'static str,
    #[serde(serialize_with = "as_number")]
    total: Money,
    currency: String,
    #[serde(serialize_with = "with_offset")]
    placed_at: Option<OffsetDateTime>,
    tracking_url: Option<String>,
    lines: Vec<PlacedLine>,
}

#[derive(Clone, PartialEq, Eq, Serialize)]
struct PlacedLine {
    title: String,
    quantity: u32,
    #[serde(serialize_with = "as_number")]
    price: Money,
}

impl PlacedOrder {
    /// Converts an order; `currency` is that of the system, for an order that names none.
    pub fn of(order: &Order, currency: Currency) -> Self {
        let line = |line: &OrderLine| PlacedLine {
            title: line.title.as_str().to_owned(),
            quantity: line.quantity,
            price: line.price.clone(),
        };
        Self {
            id: order.id.as_str().to_owned(),
            number: order.number.as_str().to_owned(),
            state: order.status.as_str(),
            total: order.total.clone(),
            currency: order.currency.unwrap_or(currency).to_string(),
            placed_at: order.placed_at,
            tracking_url: order.tracking.as_ref().map(|link| link.as_str().to_owned()),
            lines: order.lines.iter().map(line).collect(),
        }
    }
}

impl fmt::Debug for PlacedOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlacedOrder(…)")
    }
}

/// An appointment made or asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Booking {
    /// Made in the workspace's own system.
    Booked(BookedAppointment),
    /// Asked for, where no such system takes bookings.
    Wished(BookingWish),
}

/// An appointment as its system returned it. `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BookedAppointment {
    id: String,
    #[serde(serialize_with = "with_offset")]
    starts_at: Option<OffsetDateTime>,
    #[serde(serialize_with = "with_offset")]
    ends_at: Option<OffsetDateTime>,
    service: String,
    status: String,
    source: &'static str,
}

impl BookedAppointment {
    pub fn of(booked: &Appointment) -> Self {
        Self {
            id: booked.id.as_str().to_owned(),
            starts_at: Some(booked.span.starts_at()),
            ends_at: Some(booked.span.ends_at()),
            service: booked.service.as_str().to_owned(),
            status: booked.status.as_str().to_owned(),
            source: "system",
        }
    }
}

impl fmt::Debug for BookedAppointment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BookedAppointment(…)")
    }
}

/// An appointment that somebody would like, for a member to confirm. `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BookingWish {
    pub name: Option<String>,
    /// Number known from the network.
    pub phone: Option<PhoneNumber>,
    pub service: Option<String>,
    /// In the customer's own words.
    pub preferred_time: Option<String>,
}

impl fmt::Debug for BookingWish {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BookingWish(…)")
    }
}

/// Serializes an amount digit for digit as its system wrote it.
fn as_number<S: Serializer>(money: &Money, serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(money.as_str().to_owned()).map_err(S::Error::custom)?.serialize(serializer)
}

/// Serializes a time with the offset that its system gave; null if RFC 3339 cannot express it, so that
/// the rest of the order is still sent.
#[expect(clippy::ref_option, reason = "it is what serde calls")]
fn with_offset<S: Serializer>(at: &Option<OffsetDateTime>, serializer: S) -> Result<S::Ok, S::Error> {
    at.and_then(|at| at.format(&Rfc3339).ok()).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use time::UtcOffset;

    use super::PlacedOrder;
    use crate::{money::Money, testing::a_moment};

    #[test]
    fn a_time_that_cannot_be_written_takes_nothing_else_of_an_order_with_it() {
        let odd = UtcOffset::from_hms(3, 0, 30).unwrap();
        let order = PlacedOrder {
            id: "5".to_owned(),
            number: "A-5".to_owned(),
            state: "pending",
            total: Money::of_number("15000").unwrap(),
            currency: "IQD".to_owned(),
            placed_at: Some(a_moment().to_offset(odd)),
            tracking_url: None,
            lines: Vec::new(),
        };
        let written: Value = serde_json::from_slice(&serde_json::to_vec(&order).unwrap()).unwrap();
        assert_eq!((&written["number"], &written["placedAt"]), (&json!("A-5"), &Value::Null));
    }
}
