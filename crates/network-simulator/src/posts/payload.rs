//! Bodies of webhooks.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use crate::clock;
use crate::surface::Surface;
use crate::templates::Template;

/// One update on its way to the callback.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    /// Business account or page whose callback gets it.
    pub(crate) owner_id: String,
    pub(crate) what: What,
}

#[derive(Debug, Clone)]
pub(crate) enum What {
    /// An item of a number's value.
    Number {
        phone_number_id: String,
        /// The business's number, digits only.
        digits: String,
        field: &'static str,
        /// List of the value that the item is in.
        list: &'static str,
        /// The person, if the network names one.
        contact: Option<Value>,
        item: Value,
    },
    /// An element about a page or an Instagram account.
    Page { surface: Surface, channel_id: String, element: Value },
}

impl Piece {
    /// Returns the field that an app has to subscribe to for this update.
    pub(crate) fn field(&self) -> &str {
        match &self.what {
            What::Number { field, .. } => field,
            What::Page { element, .. } => field_of(element),
        }
    }
}

fn field_of(element: &Value) -> &'static str {
    const FIELDS: [(&str, &str); 16] = [
        ("/message/is_echo", "message_echoes"),
        ("/message", "messages"),
        ("/delivery", "message_deliveries"),
        ("/read", "message_reads"),
        ("/postback", "messaging_postbacks"),
        ("/reaction", "message_reactions"),
        ("/message_edit", "message_edits"),
        ("/referral", "messaging_referrals"),
        ("/optin", "messaging_optins"),
        ("/account_linking", "messaging_account_linking"),
        ("/policy_enforcement", "messaging_policy_enforcement"),
        ("/response_feedback", "response_feedback"),
        ("/pass_thread_control", "messaging_handovers"),
        ("/take_thread_control", "messaging_handovers"),
        ("/request_thread_control", "messaging_handovers"),
        ("/app_roles", "messaging_handovers"),
    ];
    let held = FIELDS.iter().find(|(pointer, _)| element.pointer(pointer).is_some());
    held.map_or("messages", |(_, field)| field)
}

/// Combines pieces of any accounts, numbers and pages in as few bodies as possible: one for each kind of
/// object.
pub(crate) fn bodies(pieces: &[Piece]) -> Vec<Value> {
    let mut accounts: BTreeMap<&str, BTreeMap<(&str, &str), Vec<&What>>> = BTreeMap::new();
    let mut pages: BTreeMap<Surface, BTreeMap<&str, Vec<&Value>>> = BTreeMap::new();
    for piece in pieces {
        match &piece.what {
            What::Number { phone_number_id, field, .. } => {
                let numbers = accounts.entry(&piece.owner_id).or_default();
                numbers.entry((phone_number_id, field)).or_default().push(&piece.what);
            }
            What::Page { surface, channel_id, element } => {
                pages.entry(*surface).or_default().entry(channel_id).or_default().push(element);
            }
        }
    }
    let mut bodies = Vec::new();
    if !accounts.is_empty() {
        let entries = accounts.into_iter().map(|(account, numbers)| {
            let changes: Vec<Value> = numbers.into_values().filter_map(|items| change(&items)).collect();
            json!({ "id": account, "changes": changes })
        });
        bodies.push(envelope(&entries.collect::<Vec<_>>()));
    }
    for (surface, channels) in pages {
        let time = milliseconds(clock::now());
        let entries = channels.into_iter();
        let entries = entries.map(|(id, elements)| json!({ "id": id, "time": time, "messaging": elements }));
        bodies.push(json!({ "object": surface.object(), "entry": entries.collect::<Vec<_>>() }));
    }
    bodies
}

/// Builds the value of one number: its items in their lists, and the people they are about.
fn change(items: &[&What]) -> Option<Value> {
    let mut value = Map::new();
    let mut contacts: Vec<&Value> = Vec::new();
    let mut lists: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    let mut of_field = None;
    for what in items {
        let What::Number { phone_number_id, digits, field, list, contact, item } = what else { continue };
        if of_field.is_none() {
            of_field = Some(*field);
            value.insert("messaging_product".to_owned(), json!("whatsapp"));
            let metadata = json!({ "display_phone_number": digits, "phone_number_id": phone_number_id });
            value.insert("metadata".to_owned(), metadata);
        }
        contacts.extend(contact.as_ref().filter(|contact| contacts.last() != Some(contact)));
        lists.entry(list).or_default().push(item);
    }
    if !contacts.is_empty() {
        value.insert("contacts".to_owned(), json!(contacts));
    }
    for (list, items) in lists {
        value.insert(list.to_owned(), json!(items));
    }
    Some(json!({ "field": of_field?, "value": value }))
}

/// Builds the body about a changed status of a template.
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

/// Builds the body about the network's measures against an account.
pub(crate) fn account_update(account_id: &str, value: &Value, at: OffsetDateTime) -> Value {
    of_account(account_id, "account_update", value, at)
}

pub(crate) fn number_quality(account_id: &str, value: &Value, at: OffsetDateTime) -> Value {
    of_account(account_id, "phone_number_quality_update", value, at)
}

fn of_account(account_id: &str, field: &str, value: &Value, at: OffsetDateTime) -> Value {
    let change = json!({ "field": field, "value": value });
    envelope(&[json!({ "id": account_id, "time": at.unix_timestamp(), "changes": [change] })])
}

fn envelope(entries: &[Value]) -> Value {
    json!({ "object": "whatsapp_business_account", "entry": entries })
}

/// Returns the time in milliseconds, as pages and Instagram accounts have it.
pub(crate) fn milliseconds(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}
