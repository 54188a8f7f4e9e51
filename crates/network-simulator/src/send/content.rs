//! Rules of free-form messages, by type.

use serde_json::Value;

use crate::graph::GraphError;

/// Known message types.
pub(super) const TYPES: [&str; 11] = [
    "text",
    "template",
    "image",
    "video",
    "audio",
    "document",
    "sticker",
    "location",
    "contacts",
    "interactive",
    "reaction",
];

const MAX_TEXT_CHARS: usize = 4096;
const MAX_CAPTION_CHARS: usize = 1024;
const MAX_REPLY_BUTTONS: usize = 3;
const MAX_BUTTON_TITLE_CHARS: usize = 20;
const MAX_BUTTON_ID_CHARS: usize = 256;
const MAX_BUTTON_TEXT_CHARS: usize = 1024;
const MAX_LIST_ROWS: usize = 10;

/// Checks the content of a message that is no template.
pub(super) fn check(kind: &str, content: &Value) -> Result<(), GraphError> {
    match kind {
        "text" => {
            let body = required(content, kind, "body")?;
            at_most(body, MAX_TEXT_CHARS, "text['body']")
        }
        "image" | "video" | "audio" | "document" | "sticker" => media(kind, content),
        "location" => {
            let coordinate =
                |field: &str| content.get(field).is_some_and(|value| value.is_number() || value.is_string());
            if coordinate("latitude") && coordinate("longitude") {
                return Ok(());
            }
            Err(missing("location", "latitude and longitude"))
        }
        "contacts" => {
            let contacts = content.as_array().filter(|contacts| !contacts.is_empty());
            let named =
                |contact: &Value| contact.pointer("/name/formatted_name").is_some_and(Value::is_string);
            if contacts.is_some_and(|contacts| contacts.iter().all(named)) {
                return Ok(());
            }
            Err(missing("contacts", "name['formatted_name']"))
        }
        "reaction" => {
            required(content, kind, "message_id")?;
            content.get("emoji").and_then(Value::as_str).map(|_| ()).ok_or_else(|| missing(kind, "emoji"))
        }
        "interactive" => interactive(content),
        _ => Ok(()),
    }
}

/// Checks a media object: one of `id` and `link`, and the other fields.
pub(super) fn media(kind: &str, content: &Value) -> Result<(), GraphError> {
    let text = |field: &str| content.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    match (text("id"), text("link")) {
        (Some(_), None) => {}
        (None, Some(link)) => {
            let valid = url::Url::parse(link).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
            if !valid {
                return Err(GraphError::parameter(format!("Param {kind}['link'] is not a valid URI.")));
            }
        }
        _ => {
            let details = format!("Exactly one of id and link is needed for type '{kind}'");
            return Err(GraphError::detailed(131_009, details));
        }
    }
    let refused =
        |field: &str| Err(GraphError::parameter(format!("Unexpected key \"{field}\" on param \"{kind}\".")));
    if let Some(caption) = content.get("caption") {
        if matches!(kind, "audio" | "sticker") {
            return refused("caption");
        }
        at_most(caption.as_str().unwrap_or_default(), MAX_CAPTION_CHARS, "caption")?;
    }
    if kind != "document" && content.get("filename").is_some() {
        return refused("filename");
    }
    Ok(())
}

fn interactive(content: &Value) -> Result<(), GraphError> {
    content.pointer("/body/text").and_then(Value::as_str).ok_or_else(|| missing("interactive", "body"))?;
    match content.get("type").and_then(Value::as_str) {
        Some("button") => {
            let buttons = content.pointer("/action/buttons").and_then(Value::as_array);
            let buttons = buttons.ok_or_else(|| missing("interactive", "action['buttons']"))?;
            let title = |button: &Value| {
                let title = button.pointer("/reply/title").and_then(Value::as_str).unwrap_or_default();
                (1..=MAX_BUTTON_TITLE_CHARS).contains(&title.chars().count())
            };
            let id = |button: &Value| {
                let id = button.pointer("/reply/id").and_then(Value::as_str).unwrap_or_default();
                (1..=MAX_BUTTON_ID_CHARS).contains(&id.chars().count())
            };
            let text = content.pointer("/body/text").and_then(Value::as_str).unwrap_or_default();
            at_most(text, MAX_BUTTON_TEXT_CHARS, "interactive['body']['text']")?;
            if (1..=MAX_REPLY_BUTTONS).contains(&buttons.len()) && buttons.iter().all(|b| title(b) && id(b)) {
                return Ok(());
            }
            let rule = "1 to 3 buttons with titles of 1 to 20 and ids of 1 to 256 characters are allowed";
            Err(GraphError::detailed(131_009, rule))
        }
        Some("list") => {
            let sections = content.pointer("/action/sections").and_then(Value::as_array);
            let sections = sections.ok_or_else(|| missing("interactive", "action['sections']"))?;
            let rows = sections.iter().filter_map(|section| section.get("rows")?.as_array());
            let count: usize = rows.map(Vec::len).sum();
            if (1..=MAX_LIST_ROWS).contains(&count) {
                return Ok(());
            }
            Err(GraphError::detailed(131_009, "A list has 1 to 10 rows"))
        }
        Some(_) => Ok(()),
        None => Err(missing("interactive", "type")),
    }
}

fn required<'a>(content: &'a Value, kind: &str, field: &str) -> Result<&'a str, GraphError> {
    let text = content.get(field).and_then(Value::as_str).filter(|text| !text.is_empty());
    text.ok_or_else(|| missing(kind, field))
}

fn missing(kind: &str, field: &str) -> GraphError {
    GraphError::detailed(131_008, format!("Parameter '{field}' is mandatory for type '{kind}'"))
}

fn at_most(text: &str, limit: usize, name: &str) -> Result<(), GraphError> {
    if text.chars().count() <= limit {
        return Ok(());
    }
    Err(GraphError::parameter(format!("Param {name} must be at most {limit} characters long.")))
}
