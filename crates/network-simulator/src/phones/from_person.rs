//! Acts of a person, read from the webhook that reports them.

use serde_json::{Map, Value};

use super::page_files::page_files;
use crate::chats::Act;
use crate::chats::bubble::{Bubble, text, whatsapp_file};
use crate::core::Core;
use crate::posts::{Piece, What};

/// Parses an act; `None` if a phone shows nothing of it.
pub(super) fn act(core: &Core, piece: &Piece) -> Option<Act> {
    match &piece.what {
        What::Number { list: "messages", item, .. } => on_whatsapp(item),
        What::Number { .. } => None,
        What::Page { element, .. } => on_page(core, element),
    }
}

fn on_whatsapp(item: &Value) -> Option<Act> {
    let kind = text(item, "/type")?;
    match kind.as_str() {
        "system" => None,
        "reaction" => Some(Act::Reacts {
            about: text(item, "/reaction/message_id")?,
            emoji: text(item, "/reaction/emoji"),
        }),
        "edit" => Some(Act::Edits {
            about: text(item, "/edit/original_message_id")?,
            text: text(item, "/edit/message/text/body")?,
        }),
        "revoke" => Some(Act::Deletes { about: text(item, "/revoke/original_message_id")? }),
        _ => Some(Act::Says(whatsapp_bubble(item, &kind))),
    }
}

fn whatsapp_bubble(item: &Value, kind: &str) -> Bubble {
    let part = item.get(kind).unwrap_or(&Value::Null);
    let file = whatsapp_file(kind, part);
    let words = text(part, "/body")
        .or_else(|| text(part, "/caption"))
        .or_else(|| text(part, "/text"))
        .or_else(|| text(part, "/button_reply/title"))
        .or_else(|| text(part, "/list_reply/title"))
        .or_else(|| text(part, "/name"))
        .or_else(|| text(part, "/0/name/formatted_name"));
    let words = words.or_else(|| file.is_none().then(|| format!("[{kind}]")));
    Bubble {
        text: words,
        files: file.into_iter().collect(),
        about: text(item, "/context/id"),
        ..Bubble::default()
    }
}

fn on_page(core: &Core, element: &Value) -> Option<Act> {
    if let Some(about) = text(element, "/reaction/mid") {
        let taken_back = text(element, "/reaction/action").as_deref() == Some("unreact");
        let emoji = text(element, "/reaction/emoji").filter(|_| !taken_back);
        return Some(Act::Reacts { about, emoji });
    }
    if let Some(about) = text(element, "/message_edit/mid") {
        return Some(Act::Edits { about, text: text(element, "/message_edit/text")? });
    }
    if let Some(title) = text(element, "/postback/title") {
        return Some(Act::Says(Bubble { text: Some(title), ..Bubble::default() }));
    }
    let message = element.get("message").and_then(Value::as_object)?;
    if message.get("is_deleted") == Some(&Value::Bool(true)) {
        return Some(Act::Deletes { about: text(element, "/message/mid")? });
    }
    Some(Act::Says(page_bubble(core, element, message)))
}

fn page_bubble(core: &Core, element: &Value, message: &Map<String, Value>) -> Bubble {
    let files = page_files(core, message);
    let other = || text(element, "/message/attachments/0/type").map(|kind| format!("[{kind}]"));
    let words = text(element, "/message/text").or_else(|| if files.is_empty() { other() } else { None });
    Bubble { text: words, files, about: text(element, "/message/reply_to/mid"), ..Bubble::default() }
}
