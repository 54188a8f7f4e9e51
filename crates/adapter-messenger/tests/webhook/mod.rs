//! What the network posts about pages and Instagram accounts, in every shape that its reference and observed
//! traffic show.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test support")]

mod elements;
mod posts;
mod tolerance;

use adapter_messenger::webhook;
use domain::inbound::{Addressee, ConversationUpdate, NetworkUpdate, ports::UnreadablePayload};
use serde_json::{Value, json};

const PAGE: &str = "1234567890";
const PERSON: &str = "24811234567890123";
const APP: u64 = 634_974_688_087_057;

fn read_raw(raw: &[u8]) -> Result<Vec<NetworkUpdate>, UnreadablePayload> {
    webhook::read(raw, Some(APP))
}

/// What the post says, whosever what cannot be read of it is.
fn read(post: &Value) -> Vec<NetworkUpdate> {
    let nobodys = |update| match update {
        NetworkUpdate::Unreadable { part, .. } => unreadable(&part),
        NetworkUpdate::Unread { field, .. } => unread(&field),
        update => update,
    };
    read_raw(post.to_string().as_bytes()).unwrap().into_iter().map(nobodys).collect()
}

/// Whose the parts are that cannot be read.
fn owners(post: &Value) -> Vec<Option<Addressee>> {
    let owner = |update| match update {
        NetworkUpdate::Unreadable { of, .. } => Some(of),
        _ => None,
    };
    read_raw(post.to_string().as_bytes()).unwrap().into_iter().filter_map(owner).collect()
}

fn post(object: &str, elements: &Value) -> Value {
    json!({ "object": object, "entry": [{ "id": PAGE, "time": 1_763_600_001_123_i64, "messaging": elements }] })
}

/// An element by the person with `extra` besides sender, recipient and time.
fn element(extra: &Value) -> Value {
    let mut element = json!({ "sender": { "id": PERSON }, "recipient": { "id": PAGE },
                              "timestamp": 1_763_600_001_456_i64 });
    element.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    element
}

fn only(object: &str, extra: &Value) -> ConversationUpdate {
    match read(&post(object, &json!([element(extra)]))).as_slice() {
        [NetworkUpdate::Conversation { channel_network_id, update }] if channel_network_id == PAGE => {
            update.clone()
        }
        other => panic!("one update of a conversation expected, not {other:?}"),
    }
}

fn unreadable(part: &str) -> NetworkUpdate {
    NetworkUpdate::Unreadable { part: part.to_owned(), of: None }
}

fn ignored(field: &str) -> NetworkUpdate {
    NetworkUpdate::Ignored { field: field.to_owned() }
}

fn unread(field: &str) -> NetworkUpdate {
    NetworkUpdate::Unread { field: field.to_owned(), of: None }
}
