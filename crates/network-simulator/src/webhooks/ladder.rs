//! The statuses that follow an accepted message.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::task::JoinHandle;

use super::{StatusItem, batch, payload, post};
use crate::config::Status;
use crate::core::Core;
use crate::faults::Effects;
use crate::graph::codes;
use crate::log::Accepted;

/// A status and how long after the one before it is posted.
#[derive(Debug)]
struct Step {
    wait: Duration,
    item: StatusItem,
}

/// Posts the statuses of a message, one after the other. The task ends when all have had their first attempt.
pub(crate) fn follow(core: &Arc<Core>, message: &Accepted, effects: &Effects) -> JoinHandle<()> {
    let steps = plan(message, &core.config.statuses, core.config.status_delay, effects);
    let batch_size = effects.batch;
    let owed = core.owe();
    let core = Arc::clone(core);
    let runner = Arc::clone(&core);
    core.spawn(async move {
        for step in steps {
            if !step.wait.is_zero() {
                tokio::time::sleep(step.wait).await;
            }
            if let Some((size, linger)) = batch_size {
                batch::add(&runner, step.item, size, linger).await;
            } else {
                post(&runner, &step.item.account_id, &payload::statuses(std::slice::from_ref(&step.item)))
                    .await;
            }
        }
        drop(owed);
    })
}

fn plan(message: &Accepted, statuses: &[Status], delay: Duration, effects: &Effects) -> Vec<Step> {
    let mut rungs: Vec<Status> =
        if effects.failure.is_some() { vec![Status::Failed] } else { statuses.to_vec() };
    let mut offline = effects.offline_seconds;
    if offline.is_some_and(|offline| message.ttl_seconds.is_some_and(|ttl| offline >= ttl)) {
        // Dropped without a word when the validity has passed: the sign is that nothing comes.
        rungs.retain(|status| *status == Status::Sent);
    }
    let priced = if rungs.contains(&Status::Delivered) { Status::Delivered } else { Status::Read };
    let mut at = message.at;
    let mut steps: Vec<Step> = Vec::new();
    for status in rungs {
        let mut wait = delay;
        if status != Status::Sent {
            wait += Duration::from_secs(offline.take().unwrap_or_default());
        }
        at += wait;
        if effects.dropped.contains(&status) {
            continue;
        }
        let mut fields = status_fields(message, status, at.unix_timestamp(), effects.no_phone);
        if status == Status::Sent || status == priced {
            fields.insert("pricing".to_owned(), pricing(&message.category));
        }
        if let (Status::Failed, Some((code, title, details))) = (status, &effects.failure) {
            fields.insert("errors".to_owned(), json!([error(*code, title.as_deref(), details.as_deref())]));
        }
        steps.push(Step { wait, item: item(message, status, fields, effects.no_phone) });
    }
    if effects.reorder {
        steps.reverse();
    }
    if effects.duplicate {
        steps = steps.into_iter().flat_map(twice).collect();
    }
    steps
}

/// A status of a message, without pricing and errors.
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

/// A status of a message with its surroundings.
pub(crate) fn item(
    message: &Accepted,
    status: Status,
    fields: Map<String, Value>,
    no_phone: bool,
) -> StatusItem {
    let mut contact = Map::new();
    if let Some(to) = message.to.as_ref().filter(|_| !no_phone) {
        contact.insert("wa_id".to_owned(), json!(to));
    }
    contact.insert("user_id".to_owned(), json!(message.user_id));
    StatusItem {
        account_id: message.account_id.clone(),
        phone_number_id: message.phone_number_id.clone(),
        sender_digits: message.sender_digits.clone(),
        contact: (status != Status::Failed).then_some(Value::Object(contact)),
        status: Value::Object(fields),
    }
}

fn twice(step: Step) -> [Step; 2] {
    let again = Step { wait: Duration::ZERO, item: step.item.clone() };
    [step, again]
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

/// An element of `errors`.
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
