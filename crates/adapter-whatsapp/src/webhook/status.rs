//! Statuses of sent messages.

use domain::{
    inbound::StatusUpdate,
    messages::{DeliveryStatus, NetworkError, NetworkMessageId},
};
use graph_client::webhook;
use serde_json::Value;

use crate::scrub::scrub;

/// Reason why a status is of no use.
pub(super) enum NoUse {
    /// A required part is missing or of another type.
    Unreadable,
    /// A status that says nothing about delivery; with its name.
    Unknown(String),
}

/// Parses one of `statuses[]`. The recipient is used only to keep it out of the error's text.
pub(super) fn read(status: &Value) -> Result<StatusUpdate, NoUse> {
    let text = |name: &str| status.get(name).and_then(Value::as_str);
    let name = text("status").ok_or(NoUse::Unreadable)?;
    // A played voice note was read, too.
    let name = if name == "played" { "read" } else { name };
    let delivery = DeliveryStatus::read(name).ok_or_else(|| NoUse::Unknown(name.to_owned()))?;
    let id = webhook::message_id(status.get("id"));
    let at = status.get("timestamp").and_then(webhook::instant);
    let (Some(id), Some(at)) = (id, at) else { return Err(NoUse::Unreadable) };
    let error = if delivery == DeliveryStatus::Failed { reason(status) } else { None };
    Ok(StatusUpdate {
        network_id: NetworkMessageId::from(id),
        tag: text("biz_opaque_callback_data").map(str::to_owned),
        status: delivery,
        at,
        error,
    })
}

/// Returns the reason of a failure: the first of the errors that has one.
fn reason(status: &Value) -> Option<NetworkError> {
    let errors = status.get("errors")?.as_array()?;
    let (code, words) = errors.iter().find_map(|error| {
        let code = webhook::integer(error.get("code"));
        let words = words(error);
        (code.is_some() || words.is_some()).then_some((code, words))
    })?;
    let Some(words) = words else { return Some(NetworkError::unsaid(code)) };
    let recipients = ["recipient_id", "recipient_user_id", "recipient_participant_id"];
    let known = recipients.into_iter().filter_map(|name| match status.get(name)? {
        Value::String(recipient) => Some(recipient.clone()),
        Value::Number(recipient) => Some(recipient.to_string()),
        _ => None,
    });
    let message = known.fold(scrub(words, None), |words, recipient| scrub(&words, Some(&recipient)));
    Some(NetworkError { code, message })
}

/// Returns the details, else the title, else the message.
fn words(error: &Value) -> Option<&str> {
    let details = error.get("error_data").and_then(|data| data.get("details"));
    [details, error.get("title"), error.get("message")]
        .into_iter()
        .filter_map(|words| words?.as_str())
        .find(|words| !words.trim().is_empty())
}
