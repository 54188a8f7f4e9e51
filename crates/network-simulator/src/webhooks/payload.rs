//! The bodies of webhooks.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use crate::templates::Template;
use crate::world::Sender;

/// One status on its way to the callback.
#[derive(Debug, Clone)]
pub(crate) struct StatusItem {
    pub(crate) account_id: String,
    pub(crate) phone_number_id: String,
    /// The business's number, digits only.
    pub(crate) sender_digits: String,
    /// The person, beside every status but `failed`.
    pub(crate) contact: Option<Value>,
    pub(crate) status: Value,
}

/// Statuses of any accounts and numbers in one body.
pub(crate) fn statuses(items: &[StatusItem]) -> Value {
    let mut entries: BTreeMap<&str, BTreeMap<&str, Vec<&StatusItem>>> = BTreeMap::new();
    for item in items {
        let numbers = entries.entry(&item.account_id).or_default();
        numbers.entry(&item.phone_number_id).or_default().push(item);
    }
    let entries = entries.into_iter().map(|(account, numbers)| {
        let changes: Vec<Value> = numbers.into_values().filter_map(|items| change(&items)).collect();
        json!({ "id": account, "changes": changes })
    });
    envelope(&entries.collect::<Vec<_>>())
}

fn change(items: &[&StatusItem]) -> Option<Value> {
    let first = items.first()?;
    let mut value = message_value(&first.sender_digits, &first.phone_number_id);
    let mut contacts: Vec<&Value> = items.iter().filter_map(|item| item.contact.as_ref()).collect();
    contacts.dedup();
    if !contacts.is_empty() {
        value.insert("contacts".to_owned(), json!(contacts));
    }
    let statuses: Vec<&Value> = items.iter().map(|item| &item.status).collect();
    value.insert("statuses".to_owned(), json!(statuses));
    Some(json!({ "field": "messages", "value": value }))
}

/// One message of a person.
pub(crate) fn inbound(sender: &Sender, contact: &Value, message: &Value) -> Value {
    let mut value = message_value(&sender.digits, &sender.phone_number_id);
    value.insert("contacts".to_owned(), json!([contact]));
    value.insert("messages".to_owned(), json!([message]));
    envelope(&[json!({ "id": sender.account_id, "changes": [{ "field": "messages", "value": value }] })])
}

/// That a template's status changed.
pub(crate) fn template_status(account_id: &str, template: &Template, at: OffsetDateTime) -> Value {
    let reason = template.row.get("rejected_reason").and_then(Value::as_str).unwrap_or("NONE");
    // A template's id is a number here and a string everywhere else.
    let id = template.id().parse::<u64>().map_or_else(|_| json!(template.id()), |id| json!(id));
    let value = json!({
        "event": template.status(),
        "message_template_id": id,
        "message_template_name": template.name(),
        "message_template_language": template.language(),
        "message_template_category": template.category(),
        "reason": reason,
    });
    envelope(&[json!({
        "id": account_id,
        "time": at.unix_timestamp(),
        "changes": [{ "field": "message_template_status_update", "value": value }],
    })])
}

fn envelope(entries: &[Value]) -> Value {
    json!({ "object": "whatsapp_business_account", "entry": entries })
}

fn message_value(sender_digits: &str, phone_number_id: &str) -> Map<String, Value> {
    let mut value = Map::new();
    value.insert("messaging_product".to_owned(), json!("whatsapp"));
    value.insert(
        "metadata".to_owned(),
        json!({ "display_phone_number": sender_digits, "phone_number_id": phone_number_id }),
    );
    value
}
