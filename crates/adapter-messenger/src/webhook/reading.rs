//! From a post to its updates: every entry, every element.

use domain::{
    channels::ChannelKind,
    inbound::{Addressee, NetworkUpdate, ports::UnreadablePayload},
};
use graph_client::webhook;
use serde_json::Value;

use super::element::{self, Channel, NoUse};

/// The network of a post, by what it says that it is about.
pub(super) fn network(object: &str) -> Option<ChannelKind> {
    match object {
        "page" => Some(ChannelKind::Messenger),
        "instagram" => Some(ChannelKind::Instagram),
        _ => None,
    }
}

/// The updates of a post in their order.
pub(super) fn read(raw: &[u8], app_id: Option<u64>) -> Result<Vec<NetworkUpdate>, UnreadablePayload> {
    let unreadable = |why: &str| UnreadablePayload(why.to_owned());
    let post = webhook::parse(raw).map_err(UnreadablePayload)?;
    let object =
        post.get("object").and_then(Value::as_str).ok_or_else(|| unreadable("it names no object"))?;
    let mut reading = Reading { updates: Vec::new(), of: None, app_id };
    let Some(kind) = network(object) else {
        reading.ignore(object);
        return Ok(reading.updates);
    };
    let entries = post.get("entry").and_then(Value::as_array);
    for entry in entries.ok_or_else(|| unreadable("it has no list of entries"))? {
        reading.entry(entry, kind);
    }
    Ok(reading.updates)
}

/// What has been read so far.
struct Reading {
    updates: Vec<NetworkUpdate>,
    /// Whose the part is that is being read.
    of: Option<Addressee>,
    app_id: Option<u64>,
}

impl Reading {
    fn entry(&mut self, entry: &Value, kind: ChannelKind) {
        let Some(network_id) = webhook::network_id(entry.get("id")) else {
            self.of = None;
            return self.unreadable("an entry that does not name its page or account");
        };
        self.of = Some(Addressee::Channel(network_id.clone()));
        let channel = Channel { kind, network_id, app_id: self.app_id, time: entry.get("time") };
        for element in self.items(entry, "messaging") {
            self.element(element, &channel);
        }
        // Another app holds these conversations: what happens in them is none of ours.
        for _ in self.items(entry, "standby") {
            self.ignore("standby");
        }
        for change in self.items(entry, "changes") {
            match (change.get("field").and_then(Value::as_str), change.get("value")) {
                // The dashboard's tests, and some posts of Instagram's, come so.
                (Some("messages"), Some(value @ Value::Object(_))) => self.element(value, &channel),
                (Some(field), _) if field != "messages" => self.ignore(field),
                _ => self.unreadable("a change without a field or a value"),
            }
        }
    }

    fn element(&mut self, element: &Value, channel: &Channel<'_>) {
        match element::read(element, channel) {
            Ok(updates) => {
                let channel_network_id = &channel.network_id;
                self.updates.extend(updates.into_iter().map(|update| NetworkUpdate::Conversation {
                    channel_network_id: channel_network_id.clone(),
                    update,
                }));
            }
            Err(NoUse::Unreadable) => {
                self.unreadable("an element without a sender, a time, or what its kind needs");
            }
            Err(NoUse::Unused(name)) => self.ignore(&name),
        }
    }

    /// The list called `name`: empty when it is missing, an unreadable part when it is no list.
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

    /// Passes over something by its name, which the log may show.
    fn ignore(&mut self, name: &str) {
        self.updates.push(NetworkUpdate::Ignored { field: webhook::shown_name(name) });
    }
}
