//! Messages of a business, as the person sees them.

use serde_json::{Map, Value, json};

use super::page_files::page_files;
use super::template;
use crate::chats::bubble::{Bubble, Choice, Link, Shown, items, kept, text, whatsapp_file};
use crate::core::Core;
use crate::log::{Accepted, PageMessage};

/// Draws a message of a number.
pub(super) fn on_whatsapp(core: &Core, message: &Accepted) -> Bubble {
    let body: Value = serde_json::from_str(message.body.get()).unwrap_or_default();
    let kind = text(&body, "/type").unwrap_or_else(|| "text".to_owned());
    let part = body.get(&kind).unwrap_or(&Value::Null);
    let context = json!({ "from": message.sender_digits, "id": message.id });
    let bubble = match kind.as_str() {
        "template" => template::filled(core, &message.account_id, part, &context),
        "interactive" => interactive(part, &context),
        _ => None,
    };
    let bubble = bubble.unwrap_or_else(|| plain(&kind, part));
    Bubble { about: text(&body, "/context/message_id"), ..bubble }
}

/// Draws text or a file.
pub(super) fn plain(kind: &str, part: &Value) -> Bubble {
    let files: Vec<Shown> = whatsapp_file(kind, part).into_iter().collect();
    let words = text(part, "/body").or_else(|| text(part, "/caption")).or_else(|| text(part, "/name"));
    let words = words.or_else(|| files.is_empty().then(|| format!("[{kind}]")));
    Bubble { text: words, files, ..Bubble::default() }
}

/// Draws buttons that answer, a list to choose from, or a button with an address.
fn interactive(part: &Value, context: &Value) -> Option<Bubble> {
    let answer = |kind: &str, row: &Value| {
        let chosen = json!({ "id": text(row, "/id"), "title": text(row, "/title") });
        Some(Choice {
            title: text(row, "/title")?,
            detail: text(row, "/description"),
            reply: json!({
                "type": "interactive", "interactive": { "type": kind, kind: chosen }, "context": context,
            }),
        })
    };
    let buttons = items(part, "/action/buttons").filter_map(|button| button.get("reply"));
    let rows = items(part, "/action/sections").flat_map(|section| items(section, "/rows"));
    let choices = buttons.filter_map(|button| answer("button_reply", button));
    let choices = choices.chain(rows.filter_map(|row| answer("list_reply", row))).collect();
    let address = text(part, "/action/parameters/url");
    let link = address
        .and_then(|url| Some(Link { title: text(part, "/action/parameters/display_text")?, url }))
        .into_iter()
        .collect();
    let header = part.get("header").unwrap_or(&Value::Null);
    let kind = text(header, "/type").unwrap_or_default();
    let file = header.get(&kind).and_then(|file| whatsapp_file(&kind, file));
    Some(Bubble {
        title: text(header, "/text"),
        text: Some(text(part, "/body/text")?),
        footer: text(part, "/footer/text"),
        files: file.into_iter().collect(),
        choices,
        links: link,
        about: None,
    })
}

/// Draws a message of a page or an Instagram account. Its attachment was fetched and is stored under the
/// message's id.
pub(super) fn on_page(core: &Core, message: &PageMessage) -> Bubble {
    let body: Value = serde_json::from_str(message.body.get()).unwrap_or_default();
    let replies = items(&body, "/message/quick_replies").filter_map(|reply| {
        let title = text(reply, "/title")?;
        let answer = json!({ "text": title, "quick_reply": { "payload": text(reply, "/payload")? } });
        Some(Choice { title, detail: None, reply: answer })
    });
    Bubble {
        text: message.shown.get("text").and_then(Value::as_str).map(str::to_owned),
        files: page_files(core, &message.shown)
            .into_iter()
            .map(|file| fetched(core, file, &message.id))
            .collect(),
        choices: replies.collect(),
        about: text(&body, "/message/reply_to/mid"),
        ..Bubble::default()
    }
}

fn fetched(core: &Core, file: Shown, message: &str) -> Shown {
    if core.files().find(message).is_some() { Shown { url: kept(message), ..file } } else { file }
}

/// Draws a message of the team from the network's own app on WhatsApp.
pub(super) fn by_the_team(message: &Map<String, Value>) -> Bubble {
    let kind = message.get("type").and_then(Value::as_str).unwrap_or("text");
    plain(kind, message.get(kind).unwrap_or(&Value::Null))
}
