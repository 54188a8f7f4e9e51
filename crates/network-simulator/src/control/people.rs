//! What happens on the other side: people write, statuses come, anything at all is posted.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{Bytes, Data};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::refused::{Refused, read};
use super::shown;
use crate::clock;
use crate::config::Status;
use crate::core::Core;
use crate::ids::{self, Direction};
use crate::log::Accepted;
use crate::webhooks::{item, payload, post, status_fields};
use crate::world::{Sender, digits};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Inbound {
    phone_number_id: String,
    /// The person's number; absent for one who has none.
    from: Option<String>,
    /// The person's user id; made from the number when absent.
    user_id: Option<String>,
    name: Option<String>,
    message: Map<String, Value>,
}

/// A person writes.
pub(super) async fn inbound(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let core = core.into_inner();
    let inbound: Inbound = read(&body)?;
    let sender = sender(&core, &inbound.phone_number_id)?;
    let from = inbound.from.as_deref().map(digits).filter(|digits| !digits.is_empty());
    let user_id = match (&inbound.user_id, &from) {
        (Some(user_id), _) => user_id.clone(),
        (None, Some(from)) => ids::user_id(from),
        (None, None) => return Err(Refused::bad("one of `from` (a number) and `userId` is needed")),
    };
    let person = from.as_deref().unwrap_or(&user_id);
    let now = clock::now();
    let mut message = inbound.message;
    let mut fill = |field: &str, value: Value| {
        message.entry(field).or_insert(value);
    };
    fill("id", json!(core.ids.wamid(person, Direction::Inbound)));
    fill("timestamp", json!(now.unix_timestamp().to_string()));
    fill("from_user_id", json!(user_id));
    if let Some(from) = &from {
        fill("from", json!(from));
    }
    let id = message.get("id").cloned().unwrap_or_default();
    let mut contact = Map::new();
    if let Some(name) = inbound.name {
        contact.insert("profile".to_owned(), json!({ "name": name }));
    }
    if let Some(from) = &from {
        contact.insert("wa_id".to_owned(), json!(from));
    }
    contact.insert("user_id".to_owned(), json!(user_id));
    core.log().wrote(&sender.phone_number_id, from.as_deref().into_iter().chain([user_id.as_str()]), now);
    let body = payload::inbound(&sender, &Value::Object(contact), &Value::Object(message));
    let outcome = posted(&core, sender.account_id, body).await;
    Ok(HttpResponse::Ok().json(json!({ "id": id, "webhook": outcome })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StatusRequest {
    message_id: String,
    status: Status,
    /// For a message that the network does not know.
    phone_number_id: Option<String>,
    /// For a message that the network does not know.
    recipient_id: Option<String>,
    /// Unix seconds.
    timestamp: Option<i64>,
    errors: Option<Vec<Value>>,
    /// Whether `biz_opaque_callback_data` is echoed.
    #[serde(default = "yes")]
    with_tag: bool,
    /// Whether the person has no number.
    #[serde(default)]
    no_phone: bool,
    /// Fields of the status that replace what stands there; `null` removes one.
    #[serde(default)]
    fields: Map<String, Value>,
}

fn yes() -> bool {
    true
}

/// A status of one's choice.
pub(super) async fn status(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let core = core.into_inner();
    let request: StatusRequest = read(&body)?;
    let known = core.log().message(&request.message_id);
    let message = match known {
        Some(message) => message,
        None => Arc::new(foreign(&core, &request)?),
    };
    let at = request.timestamp.unwrap_or_else(|| clock::now().unix_timestamp());
    let mut fields = status_fields(&message, request.status, at, request.no_phone);
    if !request.with_tag {
        fields.remove("biz_opaque_callback_data");
    }
    if let Some(errors) = request.errors {
        fields.insert("errors".to_owned(), json!(errors));
    }
    for (field, value) in request.fields {
        if value.is_null() {
            fields.remove(&field);
        } else {
            fields.insert(field, value);
        }
    }
    let item = item(&message, request.status, fields, request.no_phone);
    let body = payload::statuses(std::slice::from_ref(&item));
    let outcome = posted(&core, item.account_id, body).await;
    Ok(HttpResponse::Ok().json(json!({ "webhook": outcome })))
}

/// A message that was never accepted here.
fn foreign(core: &Core, request: &StatusRequest) -> Result<Accepted, Refused> {
    let Some(number) = &request.phone_number_id else {
        return Err(Refused::bad("the message is unknown: `phoneNumberId` is needed"));
    };
    let sender = sender(core, number)?;
    let to = request.recipient_id.as_deref().map(digits);
    Ok(Accepted {
        id: request.message_id.clone(),
        account_id: sender.account_id,
        phone_number_id: sender.phone_number_id,
        sender_digits: sender.digits,
        user_id: ids::user_id(to.as_deref().unwrap_or_default()),
        to,
        tag: None,
        category: "utility".to_owned(),
        ttl_seconds: None,
        at: OffsetDateTime::UNIX_EPOCH,
        body: Box::default(),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Raw {
    account_id: String,
    body: Value,
}

/// Any body at all, signed.
pub(super) async fn raw(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let core = core.into_inner();
    let raw: Raw = read(&body)?;
    if core.world().account(&raw.account_id).is_none() {
        return Err(Refused::unknown("account", &raw.account_id));
    }
    let outcome = posted(&core, raw.account_id, raw.body).await;
    Ok(HttpResponse::Ok().json(json!({ "webhook": outcome })))
}

fn sender(core: &Core, phone_number_id: &str) -> Result<Sender, Refused> {
    core.world().sender(phone_number_id).ok_or_else(|| Refused::unknown("number", phone_number_id))
}

/// Posts where the other webhooks are posted; a caller that hangs up does not stop it.
async fn posted(core: &Arc<Core>, account_id: String, body: Value) -> Value {
    let owed = core.owe();
    let task = Arc::clone(core);
    let post = core.spawn(async move {
        let outcome = post(&task, &account_id, &body).await;
        drop(owed);
        outcome
    });
    shown(post.await.unwrap_or_default())
}
