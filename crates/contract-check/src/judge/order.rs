//! Orders.

use serde_json::{Map, Value};
use time::format_description::well_known::Iso8601;

use super::{Judged, NamedObject, id_text, is_amount, is_currency, is_id, is_text, is_web_address, moment};

/// States that the service can put into words, synonyms among them.
const STATES: [&str; 12] = [
    "pending",
    "confirmed",
    "processing",
    "shipped",
    "delivered",
    "cancelled",
    "refunded",
    "new",
    "preparing",
    "out_for_delivery",
    "completed",
    "canceled",
];

/// Returns the order in an answer: the body, or its `order`, which only a cancellation may answer.
pub(crate) fn of(body: &Value) -> Option<&Map<String, Value>> {
    body.get("order").unwrap_or(body).as_object()
}

/// Returns whether an object looks like an order at all.
pub(crate) fn is_one(body: &Value) -> bool {
    body.is_object() && ["id", "number", "status", "total"].iter().any(|field| body.get(field).is_some())
}

pub(crate) fn one(object: &Map<String, Value>) -> Judged {
    let named = NamedObject { object, name: "order" };
    let mut judged = Judged::default();
    judged.see("order.id", named.needs("id", "text or a number", is_id));
    judged.see("order.number", named.needs("number", "text or a number", is_id));
    judged.see("order.status", named.needs("status", "a text", is_text));
    if let Some(status) = named.get("status").and_then(Value::as_str) {
        let known = STATES.contains(&status);
        judged
            .see("order.status_known", if known { Ok(()) } else { Err(format!("the status is `{status}`")) });
    }
    judged.see("order.total", named.needs("total", "a number", is_amount));
    judged.see("order.currency", named.may_have("currency", "an ISO 4217 code", is_currency));
    let time = |value: &Value| moment(value).is_some() || is_day(value);
    judged.see("order.placed_at", named.may_have("placedAt", "an ISO 8601 time", time));
    judged.see("order.tracking_url", named.may_have("trackingUrl", "a whole address", is_web_address));
    let objects = |value: &Value| value.as_array().is_some_and(|list| list.iter().all(Value::is_object));
    judged.see("order.lines", named.may_have("lines", "a list of objects", objects));
    judged
}

/// Returns whether a value is a date, or a time without an offset: ISO 8601 as well, and read as the shop's
/// own.
fn is_day(value: &Value) -> bool {
    let day = time::macros::format_description!("[year]-[month]-[day]");
    let text = value.as_str().unwrap_or_default();
    time::Date::parse(text, day).is_ok() || time::PrimitiveDateTime::parse(text, &Iso8601::DATE_TIME).is_ok()
}

/// Judges the answer to a look-up, which has the phone that the order was placed with.
pub(crate) fn looked_up(object: &Map<String, Value>, placed_with: &str) -> Judged {
    let named = NamedObject { object, name: "order" };
    let mut judged = one(object);
    judged.see("order.customer_phone", named.needs("customerPhone", "a text", is_text));
    if let Some(phone) = named.get("customerPhone").and_then(Value::as_str) {
        let same = phone == placed_with;
        let wrong = || Err("customerPhone is spelt otherwise than in the order that was placed".to_owned());
        judged.see("order.phone_format", if same { Ok(()) } else { wrong() });
    }
    judged
}

/// Returns whether two answers are about one order; `None` if they share no field to tell by.
pub(crate) fn same(one: &Map<String, Value>, other: &Map<String, Value>) -> Option<bool> {
    ["id", "number"].iter().find_map(|field| Some(reference(one, field)? == reference(other, field)?))
}

/// Returns the id or number as the service asks for it: without a leading `#`.
pub(crate) fn reference(order: &Map<String, Value>, field: &str) -> Option<String> {
    let text = id_text(order.get(field)?)?;
    Some(text.trim().trim_start_matches('#').to_owned())
}

/// Returns whether the order was cancelled; `None` if its status is unknown.
pub(crate) fn is_cancelled(order: &Map<String, Value>) -> Option<bool> {
    let status = order.get("status")?.as_str()?;
    STATES.contains(&status).then_some(matches!(status, "cancelled" | "canceled" | "refunded"))
}
