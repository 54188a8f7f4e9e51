//! Fields that every message has, whatever its type.

use serde_json::{Map, Value};

use crate::graph::GraphError;
use crate::world::digits;

/// Longest tag, in characters (docs/run/networks.md, "Sending over WhatsApp").
const MAX_TAG_CHARS: usize = 512;

/// A message whose content is not checked yet.
pub(super) struct Envelope<'a> {
    pub(super) recipient: Recipient,
    pub(super) kind: &'a str,
    /// Object named after the type.
    pub(super) content: &'a Value,
    /// `biz_opaque_callback_data`.
    pub(super) tag: Option<&'a str>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Recipient {
    Phone {
        /// The number as it was written.
        input: String,
        digits: String,
    },
    UserId(String),
}

impl Recipient {
    /// Returns the digits or the user id.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Phone { digits, .. } => digits,
            Self::UserId(id) => id,
        }
    }
}

impl<'a> Envelope<'a> {
    pub(super) fn read(fields: &'a Map<String, Value>) -> Result<Self, GraphError> {
        check_product(fields)?;
        let kind = match fields.get("type") {
            None => "text",
            Some(kind) => {
                kind.as_str().ok_or_else(|| GraphError::parameter("Param type must be a string."))?
            }
        };
        if !super::content::TYPES.contains(&kind) {
            return Err(GraphError::detailed(131_051, format!("Message type {kind} is not supported.")));
        }
        if !matches!(
            fields.get("recipient_type").map(Value::as_str),
            None | Some(Some("individual" | "group"))
        ) {
            return Err(GraphError::parameter("Param recipient_type must be one of {individual, group}."));
        }
        let recipient =
            recipient(fields).ok_or_else(|| GraphError::parameter("The parameter to is required."))?;
        if let Recipient::Phone { digits, .. } = &recipient
            && !(5..=20).contains(&digits.len())
        {
            return Err(GraphError::detailed(131_009, "Recipient phone number is not valid."));
        }
        let tag = match fields.get("biz_opaque_callback_data") {
            None | Some(Value::Null) => None,
            Some(Value::String(tag)) if tag.chars().count() <= MAX_TAG_CHARS => Some(tag.as_str()),
            Some(_) => {
                let text = "Param biz_opaque_callback_data must be a string of at most 512 characters.";
                return Err(GraphError::parameter(text));
            }
        };
        if let Some(context) = fields.get("context")
            && context.get("message_id").and_then(Value::as_str).is_none_or(str::is_empty)
        {
            return Err(GraphError::parameter("Param context['message_id'] is required."));
        }
        let content = fields.get(kind).filter(|content| content.is_object() || content.is_array());
        let content = content.ok_or_else(|| {
            GraphError::detailed(131_008, format!("Parameter '{kind}' is mandatory for type '{kind}'"))
        })?;
        Ok(Self { recipient, kind, content, tag })
    }
}

/// Returns the recipient of a body; the number wins over the user id.
pub(super) fn recipient(fields: &Map<String, Value>) -> Option<Recipient> {
    let text = |field: &str| fields.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    if let Some(to) = text("to") {
        return Some(Recipient::Phone { input: to.to_owned(), digits: digits(to) });
    }
    text("recipient").map(|id| Recipient::UserId(id.to_owned()))
}

/// Returns whether a body marks a message as read instead of sending one.
pub(super) fn is_read_mark(fields: &Map<String, Value>) -> bool {
    fields.contains_key("status")
}

/// Returns the message whose writer is shown typing beside the read mark.
pub(super) fn typed_about(fields: &Map<String, Value>) -> Option<&str> {
    fields.get("typing_indicator")?;
    fields.get("message_id").and_then(Value::as_str)
}

pub(super) fn check_read_mark(fields: &Map<String, Value>) -> Result<(), GraphError> {
    check_product(fields)?;
    if fields.get("status").and_then(Value::as_str) != Some("read") {
        return Err(GraphError::parameter("Param status must be one of {READ}."));
    }
    if fields.get("message_id").and_then(Value::as_str).is_none_or(str::is_empty) {
        return Err(GraphError::parameter("The parameter message_id is required."));
    }
    if fields.get("typing_indicator").is_some_and(|sign| sign.get("type") != Some(&Value::from("text"))) {
        return Err(GraphError::parameter("Param typing_indicator['type'] must be one of {text}."));
    }
    Ok(())
}

fn check_product(fields: &Map<String, Value>) -> Result<(), GraphError> {
    if fields.get("messaging_product").and_then(Value::as_str) == Some("whatsapp") {
        return Ok(());
    }
    Err(GraphError::parameter("The parameter messaging_product is required."))
}
