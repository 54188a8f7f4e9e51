//! Faults of an order.

use serde_json::{Map, Value, json};

use super::fields::{set, unset};
use crate::faults::Fault;

/// Spoils an order, wrapped or bare.
pub(super) fn answered(strikes: &impl Fn(Fault) -> bool, body: &mut Value, looked_up: bool) {
    let is_wrapped = body.get("order").is_some();
    let order = if is_wrapped { body.get_mut("order") } else { Some(&mut *body) };
    let Some(order) = order.and_then(Value::as_object_mut).filter(|order| !order.is_empty()) else { return };
    fields(strikes, order);
    if looked_up {
        unset(strikes, order, Fault::OrderWithoutCustomerPhone, "customerPhone");
        let national = order.get("customerPhone").and_then(Value::as_str).unwrap_or_default();
        let national = json!(national.replacen("+964", "0", 1));
        set(strikes, order, Fault::CustomerPhoneInOtherFormat, "customerPhone", national);
    }
    if !is_wrapped && strikes(Fault::OrderWrapped) {
        *body = json!({ "order": body.take() });
    }
}

fn fields(strikes: &impl Fn(Fault) -> bool, order: &mut Map<String, Value>) {
    if strikes(Fault::OrderIdsAsNumbers) {
        let digits = |value: Option<&Value>| -> Option<u64> {
            value?.as_str()?.trim_start_matches("ord_").parse().ok()
        };
        let (id, number) = (digits(order.get("id")), digits(order.get("number")));
        order.insert("id".to_owned(), json!(id));
        order.insert("number".to_owned(), json!(number));
    }
    let number = order.get("number").and_then(Value::as_str).unwrap_or_default().to_owned();
    set(strikes, order, Fault::HashNotFound, "number", json!(format!("#{number}")));
    unset(strikes, order, Fault::OrderIdMissing, "id");
    unset(strikes, order, Fault::OrderNumberMissing, "number");
    unset(strikes, order, Fault::OrderStatusMissing, "status");
    set(strikes, order, Fault::OrderStatusUnknown, "status", json!("بانتظار المندوب"));
    set(strikes, order, Fault::OrderTotalAsText, "total", json!("19,500 د.ع"));
    set(strikes, order, Fault::OrderCurrencyNotIso, "currency", json!("د.ع"));
    set(strikes, order, Fault::OrderPlacedAtLocal, "placedAt", json!("22/11/2026 12:30"));
    set(strikes, order, Fault::TrackingUrlRelative, "trackingUrl", json!("/track/1"));
    set(strikes, order, Fault::OrderLinesAsText, "lines", json!("شاي × 1"));
}
