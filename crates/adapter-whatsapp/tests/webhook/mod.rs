//! What the network posts, in every shape that its reference and observed traffic show.
#![expect(clippy::unwrap_used, clippy::panic, reason = "test support")]

mod accounts;
mod batches;
mod echoes;
mod messages;
mod people;
mod samples;
mod statuses;
mod tolerance;

use adapter_whatsapp::webhook;
use domain::inbound::{Addressee, ConversationUpdate, NetworkUpdate, StatusUpdate};
use serde_json::{Value, json};

const NUMBER: &str = "106540352242922";
const ACCOUNT: &str = "102290129340398";

/// What the post says, whosever what cannot be read of it is.
fn read(post: &Value) -> Vec<NetworkUpdate> {
    let nobodys = |update| match update {
        NetworkUpdate::Unreadable { part, .. } => unreadable(&part),
        NetworkUpdate::Unread { field, .. } => unread(&field),
        update => update,
    };
    webhook::read(post.to_string().as_bytes()).unwrap().into_iter().map(nobodys).collect()
}

/// Whose the parts are that cannot be read.
fn owners(post: &Value) -> Vec<Option<Addressee>> {
    let owner = |update| match update {
        NetworkUpdate::Unreadable { of, .. } => Some(of),
        _ => None,
    };
    webhook::read(post.to_string().as_bytes()).unwrap().into_iter().filter_map(owner).collect()
}

fn post_of(account: &str, changes: &Value) -> Value {
    json!({ "object": "whatsapp_business_account", "entry": [{ "id": account, "changes": changes }] })
}

fn metadata(number: &str) -> Value {
    json!({ "display_phone_number": "9647700000000", "phone_number_id": number })
}

/// A post with one `messages` change whose value has `extra` besides its metadata.
fn post(extra: &Value) -> Value {
    post_of(ACCOUNT, &json!([change(NUMBER, extra)]))
}

fn change(number: &str, extra: &Value) -> Value {
    let mut value = json!({ "messaging_product": "whatsapp", "metadata": metadata(number) });
    value.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    json!({ "field": "messages", "value": value })
}

fn status(status: &str, at: &str) -> Value {
    json!({ "id": "wamid.A", "status": status, "timestamp": at, "recipient_id": "9647701234567",
            "biz_opaque_callback_data": "tag-1" })
}

fn unreadable(part: &str) -> NetworkUpdate {
    NetworkUpdate::Unreadable { part: part.to_owned(), of: None }
}

fn ignored(field: &str) -> NetworkUpdate {
    NetworkUpdate::Ignored { field: field.to_owned() }
}

fn only_status(post: &Value) -> StatusUpdate {
    match read(post).as_slice() {
        [NetworkUpdate::Status { number_network_id, status }] if number_network_id == NUMBER => {
            status.clone()
        }
        other => panic!("one status expected, not {other:?}"),
    }
}

/// What the only update tells of a conversation.
fn only_conversation(post: &Value) -> ConversationUpdate {
    match read(post).as_slice() {
        [NetworkUpdate::Conversation { channel_network_id, update }] if channel_network_id == NUMBER => {
            update.clone()
        }
        other => panic!("one update of a conversation expected, not {other:?}"),
    }
}

/// A message of a customer with `extra` besides what every message has.
fn message(extra: &Value) -> Value {
    let mut message = json!({ "from": "9647701234567", "id": "wamid.B", "timestamp": "1763600001" });
    message.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
    message
}

/// The status that fails with these `errors`.
fn failed_with(errors: &Value) -> Value {
    let mut failed = status("failed", "1763600001");
    failed.as_object_mut().unwrap().insert("errors".to_owned(), errors.clone());
    post(&json!({ "statuses": [failed] }))
}

fn unread(field: &str) -> NetworkUpdate {
    NetworkUpdate::Unread { field: field.to_owned(), of: None }
}
