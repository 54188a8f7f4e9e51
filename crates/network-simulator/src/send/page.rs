//! `POST /{page}/messages` and `POST /me/messages`: messages of a page or an Instagram account.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse};
use serde_json::{Map, Value, json};
use time::Duration;
use url::Url;

use super::as_received;
use crate::clock;
use crate::config::Window;
use crate::core::Core;
use crate::faults::{On, Target};
use crate::files::File;
use crate::graph::{Call, GraphError, spoil_after, spoil_before};
use crate::log::{PageMessage, Taken};
use crate::phones;
use crate::surface::Surface;
use crate::webhooks::{follow_page, rungs};
use crate::world::Channel;

/// Longest texts: Messenger counts characters, Instagram bytes (docs/run/networks.md, "How long a text may
/// be").
const MESSENGER_CHARACTERS: usize = 2000;
const INSTAGRAM_BYTES: usize = 1000;
const METADATA_CHARACTERS: usize = 1000;
/// Largest attachment.
const MOST_BYTES: usize = 25 * 1024 * 1024;
const QUICK_REPLIES: usize = 13;

/// Time after the person's last message in which something may be sent, and in which a person of the team
/// may.
const WINDOW: Duration = Duration::hours(24);
const HUMAN_AGENT_WINDOW: Duration = Duration::days(7);

pub(crate) async fn serve(
    core: &Arc<Core>,
    request: &HttpRequest,
    call: &Call,
    addressed: &Channel,
) -> HttpResponse {
    let to = call.fields.get("recipient").and_then(|recipient| recipient.get("id")).and_then(Value::as_str);
    // A call that sends nothing uses up no fault that is meant for sends.
    let on = if call.fields.contains_key("sender_action") { On::Edits } else { On::Sends };
    let target = Target { on, phone_number_id: Some(&addressed.id), to };
    if let Some(answer) = spoil_before(core, request, target).await {
        return answer;
    }
    let checked = to
        .ok_or_else(|| GraphError::parameter("The parameter recipient is required"))
        .and_then(|to| Ok((to, channel(core, call, addressed, to)?)))
        .and_then(|(to, channel)| Ok((to, check(core, &call.fields, &channel, to)?, channel)));
    let (to, message, channel) = match checked {
        Ok(checked) => checked,
        Err(error) => return error.response(&core.ids),
    };
    let Some(shown) = message else {
        match call.fields.get("sender_action").and_then(Value::as_str) {
            Some("typing_on") => phones::page_types(core, &channel.id, to, true),
            Some("typing_off") => phones::page_types(core, &channel.id, to, false),
            _ => {}
        }
        let fault = core.faults().after(target);
        return spoil_after(request, fault, HttpResponse::Ok().json(json!({ "recipient_id": to }))).await;
    };
    let id = core.ids.mid(channel.surface);
    if let Err(error) = fetch(core, &shown, &channel, &id).await {
        return error.response(&core.ids);
    }
    let effects = core.faults().effects(target);
    let fault = core.faults().after(target);
    let message = Arc::new(PageMessage {
        id,
        to: to.to_owned(),
        shown,
        at: clock::now(),
        body: as_received(call),
        channel,
    });
    {
        let mut log = core.log();
        log.accept(Taken::Page(Arc::clone(&message)));
        log.note(&message.channel.id, [to], |person| person.got = Some(message.id.clone()));
    }
    phones::page_sent(core, &message, &rungs(core, message.at, None, &effects));
    let steps = follow_page(core, &message, &effects);
    if let Some(longest) = effects.before_response {
        // After the longest wait the steps go on without being waited for.
        let _late = tokio::time::timeout(longest, steps).await;
    }
    let answer = HttpResponse::Ok().json(json!({ "recipient_id": to, "message_id": message.id }));
    spoil_after(request, fault, answer).await
}

/// Fetches the attachment and stores it under the message's id. `https` addresses are not fetched: the
/// simulator trusts no certificate.
async fn fetch(
    core: &Core,
    shown: &Map<String, Value>,
    channel: &Channel,
    message: &str,
) -> Result<(), GraphError> {
    let attachment = shown.get("attachments").and_then(|attachments| attachments.get(0));
    let address = attachment.and_then(|attachment| attachment.pointer("/payload/url")?.as_str());
    let Some(url) = address.and_then(|address| Url::parse(address).ok()).filter(|url| url.scheme() == "http")
    else {
        return Ok(());
    };
    let (content_type, bytes) = core.poster.fetch(url).await.map_err(|error| {
        tracing::debug!(error, "an attachment could not be fetched");
        GraphError::parameter("Failed to fetch the file from the url").with_subcode(2_018_008)
    })?;
    if bytes.len() > MOST_BYTES {
        return Err(GraphError::parameter("The attachment is too large").with_subcode(2_018_047));
    }
    let (id, channel_id) = (message.to_owned(), channel.id.clone());
    core.files().put(File { id, channel_id, content_type, bytes });
    Ok(())
}

/// Finds the channel that knows the person: a page's own path leads to its Instagram account as well.
fn channel(core: &Core, call: &Call, addressed: &Channel, to: &str) -> Result<Channel, GraphError> {
    let channels: Vec<Channel> = {
        let world = core.world();
        let page = world.page(&addressed.page_id);
        let all = page.into_iter().flat_map(crate::world::PageState::channels);
        all.filter(|channel| addressed.surface == Surface::Messenger || channel == addressed).collect()
    };
    let log = core.log();
    let known = channels.iter().find(|channel| log.person(&channel.id, to).is_some());
    known.cloned().ok_or_else(|| {
        let subcode = match addressed.surface {
            Surface::Messenger => 2_018_001,
            Surface::Instagram => 2_534_014,
        };
        tracing::debug!(path = call.id(), "nobody has this id there");
        GraphError::parameter("No matching user found").with_subcode(subcode)
    })
}

/// Checks a message and returns it as it is echoed; `None` for an action such as typing.
fn check(
    core: &Core,
    fields: &Map<String, Value>,
    channel: &Channel,
    to: &str,
) -> Result<Option<Map<String, Value>>, GraphError> {
    let action = fields.get("sender_action").and_then(Value::as_str);
    match (action, fields.get("message").and_then(Value::as_object)) {
        (Some(_), Some(_)) => {
            let text = "sender_action cannot be combined with message";
            Err(GraphError::parameter(text).with_subcode(2_018_014))
        }
        (Some("typing_on" | "typing_off" | "mark_seen" | "react" | "unreact"), None) => Ok(None),
        (Some(_), None) => Err(GraphError::parameter("Param sender_action is not valid")),
        (None, None) => Err(GraphError::parameter("The parameter message is required")),
        (None, Some(message)) => {
            let window = window(fields, channel.surface)?;
            let shown = content(message, channel.surface)?;
            let open = core.config.window == Window::Open
                || core.log().wrote_within(&channel.id, to, window, clock::now());
            if open { Ok(Some(shown)) } else { Err(outside(channel.surface)) }
        }
    }
}

/// Returns the time after the person's last message in which this may be sent.
fn window(fields: &Map<String, Value>, surface: Surface) -> Result<Duration, GraphError> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    match (text("messaging_type"), text("tag")) {
        (Some("RESPONSE" | "UPDATE"), None) => Ok(WINDOW),
        (None, None) if surface == Surface::Instagram => Ok(WINDOW),
        (Some("MESSAGE_TAG"), Some("HUMAN_AGENT")) => Ok(HUMAN_AGENT_WINDOW),
        (None, Some("HUMAN_AGENT")) if surface == Surface::Instagram => Ok(HUMAN_AGENT_WINDOW),
        (Some("MESSAGE_TAG"), None) => Err(GraphError::parameter("The parameter tag is required")),
        (_, Some(_)) => Err(GraphError::parameter("Param tag must be one of {HUMAN_AGENT}")),
        _ => {
            Err(GraphError::parameter("Param messaging_type must be one of {RESPONSE, UPDATE, MESSAGE_TAG}"))
        }
    }
}

/// Checks a text or an attachment, and the fields beside it.
fn content(message: &Map<String, Value>, surface: Surface) -> Result<Map<String, Value>, GraphError> {
    let invalid = |text: &str| GraphError::parameter(text);
    let mut shown = Map::new();
    match (message.get("text").and_then(Value::as_str), message.get("attachment")) {
        (Some(text), None) if !text.is_empty() => {
            let fits = match surface {
                Surface::Messenger => text.chars().count() < MESSENGER_CHARACTERS,
                Surface::Instagram => text.len() <= INSTAGRAM_BYTES,
            };
            if !fits {
                return Err(invalid("Length of param message[text] must be less than or equal to the limit"));
            }
            shown.insert("text".to_owned(), json!(text));
        }
        (None, Some(attachment)) => {
            let kind = attachment.get("type").and_then(Value::as_str).unwrap_or_default();
            let url = attachment.pointer("/payload/url").and_then(Value::as_str);
            let reused = attachment.pointer("/payload/attachment_id").is_some();
            if !["image", "audio", "video", "file"].contains(&kind) || (url.is_none() && !reused) {
                return Err(invalid("Invalid message data").with_subcode(2_534_015));
            }
            let payload = json!({ "url": url.unwrap_or("https://scontent.example/reused") });
            shown.insert("attachments".to_owned(), json!([{ "type": kind, "payload": payload }]));
        }
        _ => return Err(invalid("Exactly one of text and attachment is needed")),
    }
    if let Some(metadata) = message.get("metadata") {
        let fits = metadata.as_str().is_some_and(|text| text.chars().count() <= METADATA_CHARACTERS);
        if !fits {
            return Err(invalid("Param message[metadata] must be a string of at most 1000 characters"));
        }
        // Instagram's echoes carry no metadata.
        if surface == Surface::Messenger {
            shown.insert("metadata".to_owned(), metadata.clone());
        }
    }
    if let Some(replies) = message.get("quick_replies") {
        let replies = replies.as_array().ok_or_else(|| invalid("Param quick_replies must be an array"))?;
        if replies.len() > QUICK_REPLIES {
            return Err(invalid("At most 13 quick replies are allowed"));
        }
        if !replies.iter().all(is_text_reply) {
            return Err(invalid(
                "A quick reply has a title of 1 to 20 and a payload of 1 to 1000 characters",
            ));
        }
    }
    Ok(shown)
}

/// Checks a quick reply; those that ask for a number or an address have no title of their own.
fn is_text_reply(reply: &Value) -> bool {
    let fits = |field: &str, most: usize| {
        let text = reply.get(field).and_then(Value::as_str).unwrap_or_default();
        (1..=most).contains(&text.chars().count())
    };
    match reply.get("content_type").and_then(Value::as_str) {
        Some("text") => fits("title", 20) && fits("payload", 1000),
        Some("user_phone_number" | "user_email") => true,
        _ => false,
    }
}

fn outside(surface: Surface) -> GraphError {
    let subcode = match surface {
        Surface::Messenger => 2_018_278,
        Surface::Instagram => 2_534_022,
    };
    let title = "This message is sent outside of allowed window.";
    GraphError::of(10).with_title(title).with_subcode(subcode).with_status(400)
}
