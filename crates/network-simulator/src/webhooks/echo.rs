//! Webhooks after a message of a page or an Instagram account: its echo, its delivery and its reading.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use time::OffsetDateTime;
use tokio::task::JoinHandle;

use super::ladder::{climb, rungs};
use crate::config::Status;
use crate::core::Core;
use crate::faults::Effects;
use crate::log::PageMessage;
use crate::posts::payload::milliseconds;
use crate::posts::{Piece, What};
use crate::surface::Surface;
use crate::world::Channel;

/// App that the team uses when it writes from the page's own inbox (docs/run/networks.md, "What a page is
/// told").
const INBOX_APP: u64 = 26_390_203_743_090;

/// Author of an echoed message.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Writer {
    /// The app that the webhooks go to.
    App,
    /// The team, from the page's own inbox.
    Inbox,
}

/// Posts the further course of a message: the echo, `delivery` on Messenger alone, `read`.
pub(crate) fn follow_page(core: &Arc<Core>, message: &PageMessage, effects: &Effects) -> JoinHandle<()> {
    let told = |status: Status| match status {
        Status::Delivered => message.channel.surface == Surface::Messenger,
        Status::Sent | Status::Read => true,
        Status::Failed => false,
    };
    let rungs = rungs(core, message.at, None, effects).into_iter();
    let kept = rungs.filter(|rung| told(rung.status) && !effects.dropped.contains(&rung.status));
    let steps = kept.map(|rung| {
        let what = match rung.status {
            Status::Delivered => {
                ("delivery", json!({ "mids": [message.id], "watermark": milliseconds(rung.at) }))
            }
            Status::Read if message.channel.surface == Surface::Instagram => {
                ("read", json!({ "mid": message.id }))
            }
            Status::Read => ("read", json!({ "watermark": milliseconds(rung.at) })),
            Status::Sent | Status::Failed => return (rung.wait, echo(core, message, Writer::App)),
        };
        (rung.wait, of_person(&message.channel, &message.to, rung.at, what))
    });
    climb(core, steps.collect(), effects)
}

pub(crate) fn echo(core: &Core, message: &PageMessage, writer: Writer) -> Piece {
    let mut shown = message.shown.clone();
    shown.insert("mid".to_owned(), json!(message.id));
    shown.insert("is_echo".to_owned(), json!(true));
    let app_id = match writer {
        Writer::App => core.config.app_id.parse().unwrap_or_default(),
        Writer::Inbox => INBOX_APP,
    };
    shown.insert("app_id".to_owned(), json!(app_id));
    piece(
        &message.channel,
        json!({
            "sender": { "id": message.channel.id },
            "recipient": { "id": message.to },
            "timestamp": milliseconds(message.at),
            "message": shown,
        }),
    )
}

/// Builds an element about an act of a person.
fn of_person(channel: &Channel, person: &str, at: OffsetDateTime, (key, value): (&str, Value)) -> Piece {
    let mut element = Map::new();
    element.insert("sender".to_owned(), json!({ "id": person }));
    element.insert("recipient".to_owned(), json!({ "id": channel.id }));
    element.insert("timestamp".to_owned(), json!(milliseconds(at)));
    element.insert(key.to_owned(), value);
    piece(channel, Value::Object(element))
}

pub(crate) fn piece(channel: &Channel, element: Value) -> Piece {
    Piece {
        owner_id: channel.page_id.clone(),
        what: What::Page { surface: channel.surface, channel_id: channel.id.clone(), element },
    }
}
