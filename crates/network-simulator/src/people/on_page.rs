//! Messages to a page or an Instagram account.

use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::Person;
use super::fill::{Known, page_files, placeholders};
use crate::core::Core;
use crate::log::PersonMessage;
use crate::posts::Piece;
use crate::posts::payload::milliseconds;
use crate::surface::Surface;
use crate::webhooks::piece;
use crate::world::Channel;

/// Lets a person write, or do something else that a webhook reports.
pub(super) fn write(
    core: &Core,
    channel: &Channel,
    person: &Person,
    event: Map<String, Value>,
    about: Option<&str>,
    now: OffsetDateTime,
) -> Result<(String, Piece), String> {
    let from =
        person.from.as_deref().filter(|from| !from.is_empty()).ok_or("`from` (the person's id) is needed")?;
    let known = core.log().person(&channel.id, from).cloned().unwrap_or_default();
    let new = core.ids.mid(channel.surface);
    let mut event = Value::Object(event);
    placeholders(&mut event, &Known::new(&known, about, &new, milliseconds(now)));
    let Value::Object(mut element) = event else { return Err("an event is an object".to_owned()) };
    if let Some(message) = element.get_mut("message").and_then(Value::as_object_mut) {
        message.entry("mid").or_insert_with(|| json!(new));
        page_files(core, &channel.id, message);
    }
    let written = |key: &str| Some(element.get(key)?.get("mid")?.as_str()?.to_owned());
    let id = written("message").or_else(|| written("postback"));
    remember(core, channel, from, &mut element, now);
    // An edit on Instagram names nobody (docs/run/networks.md, "What a page is told").
    if !(channel.surface == Surface::Instagram && element.contains_key("message_edit")) {
        element.insert("sender".to_owned(), json!({ "id": from }));
        element.insert("recipient".to_owned(), json!({ "id": channel.id }));
    }
    element.entry("timestamp").or_insert_with(|| json!(milliseconds(now)));
    core.log().note(&channel.id, [from], |known| {
        if id.is_some() {
            known.wrote_at = Some(now);
            known.wrote.clone_from(&id);
        }
        known.name = person.name.clone().or(known.name.take());
    });
    Ok((id.unwrap_or_default(), piece(channel, Value::Object(element))))
}

/// Stores the text, which can be requested with the message's id. Instagram reports an edit without its text.
fn remember(
    core: &Core,
    channel: &Channel,
    from: &str,
    element: &mut Map<String, Value>,
    now: OffsetDateTime,
) {
    for key in ["message", "message_edit"] {
        let Some(message) = element.get_mut(key).and_then(Value::as_object_mut) else { continue };
        let text = |name: &str| message.get(name).and_then(Value::as_str).map(str::to_owned);
        let (Some(id), said) = (text("mid"), text("text").unwrap_or_default()) else { continue };
        let is_known = core.log().written(&id).is_some();
        if key == "message_edit" && channel.surface == Surface::Instagram {
            message.remove("text");
        }
        if !is_known || !said.is_empty() {
            let written =
                PersonMessage { channel: channel.clone(), from: from.to_owned(), text: said, at: now };
            core.log().write(&id, written);
        }
    }
}
