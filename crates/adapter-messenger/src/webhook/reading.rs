//! From a post to its updates: every entry, every element.

use domain::{
    channels::ChannelKind,
    inbound::{Addressee, NetworkUpdate, ports::UnreadablePayload},
};
use graph_client::webhook;
use serde_json::Value;

use super::element::{self, Channel, NoUse, Told};

/// Lists of an entry that are parsed, and the one that names changed fields.
const LISTS: [&str; 4] = ["messaging", "standby", "changes", "changed_fields"];
/// Fields of changes that contain nothing written by a person.
const UNUSED: [&str; 3] = ["messaging_handovers", "messaging_policy_enforcement", "story_insights"];

/// Returns the network that a post is about; `None` if it is another, or none.
pub fn network(raw: &[u8]) -> Option<ChannelKind> {
    network_of(&webhook::object_of(raw)?)
}

fn network_of(object: &str) -> Option<ChannelKind> {
    match object {
        "page" => Some(ChannelKind::Messenger),
        "instagram" => Some(ChannelKind::Instagram),
        _ => None,
    }
}

/// Parses the updates of a post, in their order. The id of the app tells the echoes of our own sends from
/// others'.
///
/// # Errors
/// If the post as a whole cannot be parsed; a part that cannot is an [`NetworkUpdate::Unreadable`].
pub fn read(raw: &[u8], app_id: Option<u64>) -> Result<Vec<NetworkUpdate>, UnreadablePayload> {
    let unreadable = |why: &str| UnreadablePayload(why.to_owned());
    let post = webhook::parse(raw).map_err(UnreadablePayload)?;
    let object =
        post.get("object").and_then(Value::as_str).ok_or_else(|| unreadable("it names no object"))?;
    let mut reading = Reading { updates: Vec::new(), of: None, app_id };
    let Some(kind) = network_of(object) else {
        reading.ignore(object);
        return Ok(reading.updates);
    };
    let entries = post.get("entry").and_then(Value::as_array);
    for entry in entries.ok_or_else(|| unreadable("it has no list of entries"))? {
        reading.entry(entry, kind);
    }
    Ok(reading.updates)
}

/// State of the parsing.
struct Reading {
    updates: Vec<NetworkUpdate>,
    /// Owner of the current part.
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
        let (app_id, time) = (self.app_id, entry.get("time"));
        let channel = Channel { kind, network_id, app_id, time, is_held: false };
        for element in self.items(entry, "messaging") {
            self.element(element, &channel);
        }
        // Another app, or the page's own inbox, holds these conversations.
        let held = Channel { kind, network_id: channel.network_id.clone(), app_id, time, is_held: true };
        for element in self.items(entry, "standby") {
            self.element(element, &held);
        }
        for change in self.items(entry, "changes") {
            match (change.get("field").and_then(Value::as_str), change.get("value")) {
                // The dashboard's tests, and some posts of Instagram's, have this form.
                (Some("standby"), Some(value @ Value::Object(_))) => self.element(value, &held),
                (Some(field), Some(value @ Value::Object(_)))
                    if field == "messages" || value.get("sender").is_some() =>
                {
                    self.element(value, &channel);
                }
                (Some(field), _) if UNUSED.contains(&field) => self.ignore(field),
                (Some(field), _) if field != "messages" => self.unread(field),
                _ => self.unreadable("a change without a field or a value"),
            }
        }
        // An unknown name may contain somebody's words.
        for (name, items) in entry.as_object().into_iter().flatten() {
            let items = items.as_array().filter(|_| !LISTS.contains(&name.as_str()));
            for _ in items.into_iter().flatten() {
                self.unread(name);
            }
        }
    }

    fn element(&mut self, element: &Value, channel: &Channel<'_>) {
        match element::read(element, channel) {
            Ok(told) => {
                let channel_network_id = || channel.network_id.clone();
                self.updates.extend(told.into_iter().map(|told| match told {
                    Told::Update(update) => NetworkUpdate::Conversation {
                        channel_network_id: channel_network_id(),
                        update: *update,
                    },
                    Told::Named(named) => {
                        NetworkUpdate::Named { channel_network_id: channel_network_id(), named }
                    }
                }));
            }
            Err(NoUse::Unreadable) => {
                self.unreadable("an element without a sender, a time, or what its kind needs");
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
