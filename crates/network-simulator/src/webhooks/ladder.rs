//! Statuses that follow an accepted message.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use time::OffsetDateTime;
use tokio::task::JoinHandle;

use super::{batch, deliver};
use crate::codes;
use crate::config::Status;
use crate::core::Core;
use crate::faults::Effects;
use crate::log::Accepted;
use crate::posts::{Piece, Signed, What};

/// A status of a message, and its pause after the one before.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rung {
    pub(crate) status: Status,
    pub(super) wait: Duration,
    pub(crate) at: OffsetDateTime,
}

/// A pause and the piece to post after it.
pub(super) type Step = (Duration, Piece);

/// Lists the statuses of a message that was accepted at `at`.
pub(crate) fn rungs(
    core: &Core,
    at: OffsetDateTime,
    ttl_seconds: Option<u64>,
    effects: &Effects,
) -> Vec<Rung> {
    let config = &core.config;
    let mut statuses = if effects.failure.is_some() { vec![Status::Failed] } else { config.statuses.clone() };
    let mut offline = effects.offline_seconds;
    if offline.is_some_and(|offline| ttl_seconds.is_some_and(|ttl| offline >= ttl)) {
        // Dropped without a word once the validity has passed: nothing comes.
        statuses.retain(|status| *status == Status::Sent);
    }
    let mut at = at;
    let mut rungs = Vec::new();
    for status in statuses {
        let mut wait = config.status_delay;
        if status != Status::Sent {
            wait += Duration::from_secs(offline.take().unwrap_or_default());
        }
        at += wait;
        rungs.push(Rung { status, wait, at });
    }
    rungs
}

/// Posts the statuses of a message, one after the other. The task ends when all have had their first attempt.
pub(super) fn climb(core: &Arc<Core>, mut steps: Vec<Step>, effects: &Effects) -> JoinHandle<()> {
    if effects.reorder {
        steps.reverse();
    }
    if effects.duplicate {
        let twice = |(wait, piece): Step| [(wait, piece.clone()), (Duration::ZERO, piece)];
        steps = steps.into_iter().flat_map(twice).collect();
    }
    let batch_size = effects.batch;
    let pending = core.begin_pending();
    let runner = Arc::clone(core);
    core.spawn(async move {
        for (wait, piece) in steps {
            if !wait.is_zero() {
                tokio::time::sleep(wait).await;
            }
            if let Some((size, linger)) = batch_size {
                batch::add(&runner, piece, size, linger).await;
            } else {
                deliver(&runner, vec![piece], Signed::Rightly).await;
            }
        }
        drop(pending);
    })
}

/// Posts the statuses of a number's message.
pub(crate) fn follow(core: &Arc<Core>, message: &Accepted, effects: &Effects) -> JoinHandle<()> {
    let rungs = rungs(core, message.at, message.ttl_seconds, effects);
    let delivered = rungs.iter().any(|rung| rung.status == Status::Delivered);
    let priced = if delivered { Status::Delivered } else { Status::Read };
    let step = |rung: Rung| {
        let mut fields = status_fields(message, rung.status, rung.at.unix_timestamp(), effects.no_phone);
        if rung.status == Status::Sent || rung.status == priced {
            fields.insert("pricing".to_owned(), pricing(&message.category));
        }
        if let (Status::Failed, Some((code, title, details))) = (rung.status, &effects.failure) {
            fields.insert("errors".to_owned(), json!([error(*code, title.as_deref(), details.as_deref())]));
        }
        (rung.wait, item(message, fields, effects.no_phone))
    };
    let kept = rungs.into_iter().filter(|rung| !effects.dropped.contains(&rung.status));
    climb(core, kept.map(step).collect(), effects)
}

/// Returns the fields of a status, without pricing and errors.
pub(crate) fn status_fields(
    message: &Accepted,
    status: Status,
    unix_seconds: i64,
    no_phone: bool,
) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut put = |field: &str, value: Value| fields.insert(field.to_owned(), value);
    put("id", json!(message.id));
    put("status", json!(status));
    put("timestamp", json!(unix_seconds.to_string()));
    if let Some(to) = message.to.as_ref().filter(|_| !no_phone) {
        put("recipient_id", json!(to));
    }
    put("recipient_user_id", json!(message.user_id));
    if let Some(tag) = &message.tag {
        put("biz_opaque_callback_data", json!(tag));
    }
    fields
}

/// Wraps a status as a piece of a webhook.
pub(crate) fn item(message: &Accepted, fields: Map<String, Value>, no_phone: bool) -> Piece {
    let mut contact = Map::new();
    if let Some(to) = message.to.as_ref().filter(|_| !no_phone) {
        contact.insert("wa_id".to_owned(), json!(to));
    }
    contact.insert("user_id".to_owned(), json!(message.user_id));
    Piece {
        owner_id: message.account_id.clone(),
        what: What::Number {
            phone_number_id: message.phone_number_id.clone(),
            digits: message.sender_digits.clone(),
            field: "messages",
            list: "statuses",
            contact: Some(Value::Object(contact)),
            item: Value::Object(fields),
        },
    }
}

fn pricing(category: &str) -> Value {
    let free = category == "service";
    json!({
        "billable": !free,
        "pricing_model": "PMP",
        "type": if free { "free_customer_service" } else { "regular" },
        "category": category,
    })
}

fn error(code: i64, title: Option<&str>, details: Option<&str>) -> Value {
    let title = title.unwrap_or(codes::of(code).title);
    json!({
        "code": code,
        "title": title,
        "message": title,
        "error_data": { "details": details.unwrap_or(title) },
        "href": "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/",
    })
}
