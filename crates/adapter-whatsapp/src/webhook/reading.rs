//! From a post to its updates: every entry, every change, every message and status.

use std::collections::BTreeSet;

use domain::{
    channels::ChannelKind,
    inbound::{Addressee, ConversationUpdate, NetworkUpdate, ports::UnreadablePayload},
};
use graph_client::webhook;
use serde_json::Value;

use super::{
    account,
    fields::{Field, field},
    message::{self, NoUse},
    person::NAMED,
    status,
};

/// Value of `object` in posts about a business account.
const OBJECT: &str = "whatsapp_business_account";

/// Parsed parts of a change about conversations.
const READ: [&str; 6] = ["messages", "message_echoes", "statuses", "contacts", "errors", "metadata"];

const NUMBERLESS: &str = "a change that does not name its number";

/// Returns the network that a post is about; `None` if it is another, or none.
pub fn network(raw: &[u8]) -> Option<ChannelKind> {
    (webhook::object_of(raw)? == OBJECT).then_some(ChannelKind::Whatsapp)
}

/// Parses the updates of a post, in their order.
///
/// # Errors
/// If the post as a whole cannot be parsed; a part that cannot is an [`NetworkUpdate::Unreadable`].
pub fn read(raw: &[u8]) -> Result<Vec<NetworkUpdate>, UnreadablePayload> {
    let unreadable = |why: &str| UnreadablePayload(why.to_owned());
    let post = webhook::parse(raw).map_err(UnreadablePayload)?;
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

/// State of the parsing.
#[derive(Default)]
struct Reading {
    updates: Vec<NetworkUpdate>,
    /// Owner of the current part.
    of: Option<Addressee>,
    /// Accounts whose templates are known to have changed.
    changed: BTreeSet<String>,
}

impl Reading {
    fn entry(&mut self, entry: &Value) {
        self.of = webhook::network_id(entry.get("id")).map(Addressee::Account);
        if !entry.is_object() {
            return self.unreadable("an entry that is no object");
        }
        for change in self.items(entry, "changes") {
            let (Some(name), Some(value)) = (
                change.get("field").and_then(Value::as_str),
                change.get("value").filter(|it| it.is_object()),
            ) else {
                match change.get("field").and_then(Value::as_str) {
                    Some(name) if field(name) == Some(Field::Unused) => self.ignore(name),
                    Some(name) if field(name).is_none() => self.unread(name),
                    _ => self.unreadable("a change without a field or a value"),
                }
                continue;
            };
            match field(name) {
                // One of the network's own samples of a template update has another update's field, so the
                // contents of the value count, too.
                _ if value.get("message_template_id").is_some() => self.templates_changed(entry),
                Some(Field::ReadAgain) => self.templates_changed(entry),
                Some(Field::Messages) => self.of_number(value, |it, value| it.written(name, value, false)),
                Some(Field::Standby) => self.of_number(value, |it, value| it.written(name, value, true)),
                Some(Field::Preferences) => self.of_number(value, Self::preferences),
                Some(Field::UserIds) => self.of_number(value, Self::user_ids),
                Some(Field::Account) => self.account(entry, value),
                Some(Field::Unused) => self.ignore(name),
                None => self.of_number(value, |it, _| it.unread(name)),
            }
        }
    }

    /// Parses the value of a change; its parts belong to its number if it names one.
    fn of_number(&mut self, value: &Value, read: impl FnOnce(&mut Self, &Value)) {
        let number = number(value).map(Addressee::Channel);
        let account = self.of.clone();
        self.of = number.or_else(|| account.clone());
        read(self, value);
        self.of = account;
    }

    fn templates_changed(&mut self, entry: &Value) {
        match webhook::network_id(entry.get("id")) {
            Some(account_network_id) if self.changed.insert(account_network_id.clone()) => {
                self.updates.push(NetworkUpdate::TemplatesChanged { account_network_id });
            }
            Some(_) => {}
            None => self.unreadable("an entry that does not name its account"),
        }
    }

    /// Parses a change about conversations: messages of customers, messages of the business from elsewhere,
    /// and statuses of ours.
    fn written(&mut self, field: &str, value: &Value, is_held: bool) {
        for error in self.items(value, "errors") {
            let code = webhook::integer(error.get("code"));
            self.ignore(&code.map_or_else(|| "errors".to_owned(), |code| format!("errors {code}")));
        }
        // An unknown name may contain somebody's words.
        for (name, held) in value.as_object().into_iter().flatten() {
            let items = match held {
                _ if READ.contains(&name.as_str()) => 0,
                Value::Array(items) => items.len(),
                held => usize::from(held.is_object()),
            };
            for _ in 0..items {
                self.unread(&format!("{field} {name}"));
            }
        }
        let messages = self.items(value, "messages");
        let echoes = self.items(value, "message_echoes");
        let statuses = self.items(value, "statuses");
        if messages.is_empty() && echoes.is_empty() && statuses.is_empty() {
            if field != "messages" {
                self.ignore(field);
            }
            return;
        }
        let Some(number_network_id) = number(value) else { return self.unreadable(NUMBERLESS) };
        for status in statuses {
            match status::read(status) {
                Ok(status) => {
                    let number_network_id = number_network_id.clone();
                    self.updates.push(NetworkUpdate::Status { number_network_id, status });
                }
                Err(status::NoUse::Unreadable) => {
                    self.unreadable("a status without its message's id, a state or a time");
                }
                Err(status::NoUse::Unknown(name)) => self.ignore(&format!("status {name}")),
            }
        }
        let contacts = self.items(value, "contacts");
        let mark = |mut update: ConversationUpdate| {
            update.hold(is_held);
            update
        };
        for message in messages {
            let read = message::of_customer(message, messages.len(), contacts);
            self.message(&number_network_id, read.map(mark));
        }
        for echo in echoes {
            let read = message::of_business(echo, echoes.len(), contacts);
            self.message(&number_network_id, read.map(mark));
        }
    }

    /// Parses a change about changed user ids.
    fn user_ids(&mut self, value: &Value) {
        let Some(number_network_id) = number(value) else { return self.unreadable(NUMBERLESS) };
        let (items, contacts) = (self.items(value, "user_id_update"), self.items(value, "contacts"));
        for item in items {
            let read = message::changed(item, item, &NAMED, items.len(), contacts);
            self.message(&number_network_id, read);
        }
    }

    /// Parses a change about what people want to be sent.
    fn preferences(&mut self, value: &Value) {
        let preferences = self.items(value, "user_preferences");
        if preferences.is_empty() {
            return self.ignore("user_preferences");
        }
        let Some(number_network_id) = number(value) else { return self.unreadable(NUMBERLESS) };
        let contacts = self.items(value, "contacts");
        for preference in preferences {
            let read = message::preference(preference, preferences.len(), contacts);
            self.message(&number_network_id, read);
        }
    }

    /// Parses a change about the network's measures against the account.
    fn account(&mut self, entry: &Value, value: &Value) {
        let at = entry.get("time").and_then(webhook::instant);
        match (account::standing(value, at), webhook::network_id(entry.get("id"))) {
            (Ok(standing), Some(account_network_id)) => {
                self.updates.push(NetworkUpdate::AccountStanding { account_network_id, standing });
            }
            (Err(NoUse::Unused(name)), _) => self.ignore(&name),
            (Err(NoUse::Unread(name)), _) => self.unread(&name),
            _ => self.unreadable("what became of an account, without which account or a time"),
        }
    }

    fn message(&mut self, number_network_id: &str, read: Result<ConversationUpdate, NoUse>) {
        match read {
            Ok(update) => {
                let channel_network_id = number_network_id.to_owned();
                self.updates.push(NetworkUpdate::Conversation { channel_network_id, update });
            }
            Err(NoUse::Unreadable) => {
                self.unreadable("a message without an id, a time, a sender, or what its type needs");
            }
            Err(NoUse::Unused(name)) => self.ignore(&name),
            Err(NoUse::Unread(name)) => self.unread(&name),
        }
    }

    /// Returns the list called `name`: empty if it is missing, an unreadable part if it is no list.
    fn items<'a>(&mut self, holder: &'a Value, name: &str) -> &'a [Value] {
        match holder.get(name) {
            None | Some(Value::Null) => &[],
            Some(Value::Array(items)) => items,
            Some(_) => {
                self.unreadable(&format!("`{name}` that is no list"));
                &[]
            }
        }
    }

    fn unreadable(&mut self, part: &str) {
        self.updates.push(NetworkUpdate::Unreadable { part: part.to_owned(), of: self.of.clone() });
    }

    /// Records a part that this version does not parse, by its name, with its owner.
    fn unread(&mut self, name: &str) {
        self.updates.push(NetworkUpdate::Unread { field: webhook::shown_name(name), of: self.of.clone() });
    }

    /// Passes over a part by its name, which the log may show.
    fn ignore(&mut self, name: &str) {
        self.updates.push(NetworkUpdate::Ignored { field: webhook::shown_name(name) });
    }
}

/// Returns the number that a value is about.
fn number(value: &Value) -> Option<String> {
    webhook::network_id(value.get("metadata")?.get("phone_number_id"))
}
