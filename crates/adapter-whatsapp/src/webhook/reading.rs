//! From a post to its updates: every entry, every change, every message and status.

use std::collections::BTreeSet;

use domain::inbound::{NetworkUpdate, ports::UnreadablePayload};
use serde_json::Value;

use super::{message, status, surrogates};

/// What a post of `WhatsApp` says that it is about.
const OBJECT: &str = "whatsapp_business_account";

/// The changes that mean that an account's templates are to be read again (Graph API reference, B.4).
const TEMPLATE_FIELDS: [&str; 4] = [
    "message_template_status_update",
    "message_template_components_update",
    "message_template_quality_update",
    "template_category_update",
];

/// Longest name of a field that is passed on, in bytes.
const LONGEST_NAME: usize = 64;

/// The updates of a post in their order.
pub(super) fn read(raw: &[u8]) -> Result<Vec<NetworkUpdate>, UnreadablePayload> {
    let unreadable = |why: &str| UnreadablePayload(why.to_owned());
    let post: Value = serde_json::from_slice(raw)
        .or_else(|_| serde_json::from_slice(&surrogates::mend(raw)))
        .map_err(|error| UnreadablePayload(place(&error)))?;
    let object =
        post.get("object").and_then(Value::as_str).ok_or_else(|| unreadable("it names no object"))?;
    let mut reading = Reading::default();
    if object != OBJECT {
        reading.ignore(object);
        return Ok(reading.updates);
    }
    let entries = post.get("entry").and_then(Value::as_array);
    for entry in entries.ok_or_else(|| unreadable("it has no list of entries"))? {
        reading.entry(entry);
    }
    Ok(reading.updates)
}

/// Where the JSON breaks off, without quoting it.
fn place(error: &serde_json::Error) -> String {
    format!("no JSON from line {}, column {}", error.line(), error.column())
}

/// What has been read so far.
#[derive(Default)]
struct Reading {
    updates: Vec<NetworkUpdate>,
    /// Accounts whose templates are known to have changed.
    changed: BTreeSet<String>,
}

impl Reading {
    fn entry(&mut self, entry: &Value) {
        if !entry.is_object() {
            return self.unreadable("entry");
        }
        for change in self.items(entry, "changes") {
            match (change.get("field").and_then(Value::as_str), change.get("value")) {
                // One of the network's own samples of a template update carries another update's field, so
                // what the value holds counts, too.
                (field, Some(value @ Value::Object(_)))
                    if field.is_some_and(|field| TEMPLATE_FIELDS.contains(&field))
                        || value.get("message_template_id").is_some() =>
                {
                    self.templates_changed(entry);
                }
                (Some("messages"), Some(value @ Value::Object(_))) => self.messages(value),
                (Some(field), _) if field != "messages" => self.ignore(field),
                _ => self.unreadable("change"),
            }
        }
    }

    fn templates_changed(&mut self, entry: &Value) {
        match network_id(entry.get("id")) {
            Some(account_network_id) if self.changed.insert(account_network_id.clone()) => {
                self.updates.push(NetworkUpdate::TemplatesChanged { account_network_id });
            }
            Some(_) => {}
            None => self.unreadable("entry id"),
        }
    }

    /// The value of a `messages` change: what customers wrote and what became of what we sent.
    fn messages(&mut self, value: &Value) {
        for error in self.items(value, "errors") {
            let code = error.get("code").and_then(Value::as_i64);
            self.ignore(&code.map_or_else(|| "errors".to_owned(), |code| format!("errors {code}")));
        }
        let messages = self.items(value, "messages");
        let statuses = self.items(value, "statuses");
        if messages.is_empty() && statuses.is_empty() {
            return;
        }
        let metadata = value.get("metadata");
        let Some(number_network_id) = metadata.and_then(|data| network_id(data.get("phone_number_id")))
        else {
            return self.unreadable("metadata");
        };
        for status in statuses {
            match status::read(status) {
                Ok(status) => {
                    let number_network_id = number_network_id.clone();
                    self.updates.push(NetworkUpdate::Status { number_network_id, status });
                }
                Err(status::NoUse::Unreadable) => self.unreadable("status"),
                Err(status::NoUse::Unknown(name)) => self.ignore(&format!("status {name}")),
            }
        }
        let contacts = self.items(value, "contacts");
        for message in messages {
            if !message.is_object() {
                self.unreadable("message");
                continue;
            }
            let written = message::written(message, messages.len(), contacts, metadata);
            let number_network_id = number_network_id.clone();
            self.updates.push(NetworkUpdate::Message { number_network_id, written });
        }
    }

    /// The list called `name`: empty when it is missing, an unreadable part when it is no list.
    fn items<'a>(&mut self, holder: &'a Value, name: &str) -> &'a [Value] {
        match holder.get(name) {
            None | Some(Value::Null) => &[],
            Some(Value::Array(items)) => items,
            Some(_) => {
                self.unreadable(name);
                &[]
            }
        }
    }

    fn unreadable(&mut self, part: &str) {
        self.updates.push(NetworkUpdate::Unreadable { part: part.to_owned() });
    }

    /// Passes over something by its name, which the log may show: what does not look like a name is left out.
    fn ignore(&mut self, name: &str) {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.- ".contains(&byte);
        let shown = !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(plain);
        let field = if shown { name } else { "unnamed" }.to_owned();
        self.updates.push(NetworkUpdate::Ignored { field });
    }
}

/// An id of an account or a number: decimal in practice; anything that a store could stumble over is none.
fn network_id(value: Option<&Value>) -> Option<String> {
    let id = match value? {
        Value::String(id) => id.clone(),
        Value::Number(id) => id.as_u64()?.to_string(),
        _ => return None,
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let formed = !id.is_empty() && id.len() <= LONGEST_NAME && id.bytes().all(plain);
    formed.then_some(id)
}
