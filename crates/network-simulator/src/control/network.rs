//! Control routes that post any status or any body.

use std::sync::Arc;

use actix_web::HttpResponse;
use actix_web::web::{Bytes, Data};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use time::OffsetDateTime;

use super::outcome::shown;
use super::refused::{Refused, read};
use crate::clock;
use crate::config::Status;
use crate::core::Core;
use crate::ids;
use crate::log::Accepted;
use crate::phones;
use crate::posts::Signed;
use crate::webhooks::{deliver, item, post, status_fields};
use crate::world::digits;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct StatusRequest {
    message_id: String,
    status: Status,
    /// Sending number of a message that the network does not know.
    phone_number_id: Option<String>,
    /// Recipient of a message that the network does not know.
    recipient_id: Option<String>,
    /// Unix seconds.
    timestamp: Option<i64>,
    errors: Option<Vec<Value>>,
    /// Whether `biz_opaque_callback_data` is echoed.
    #[serde(default = "yes")]
    with_tag: bool,
    /// Whether the person has no phone number.
    #[serde(default)]
    no_phone: bool,
    /// Fields that replace those of the status; `null` removes one.
    #[serde(default)]
    fields: Map<String, Value>,
}

fn yes() -> bool {
    true
}

/// Posts a status with given fields.
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
    phones::ticked(&core, &message, request.status);
    let piece = item(&message, fields, request.no_phone);
    let task = Arc::clone(&core);
    let pending = core.begin_pending();
    let post = core.spawn(async move {
        let outcomes = deliver(&task, vec![piece], Signed::Rightly).await;
        drop(pending);
        outcomes.into_iter().next().flatten()
    });
    Ok(HttpResponse::Ok().json(json!({ "webhook": shown(post.await.unwrap_or_default()) })))
}

/// Builds a message that was never accepted here.
fn foreign(core: &Core, request: &StatusRequest) -> Result<Accepted, Refused> {
    let Some(number) = &request.phone_number_id else {
        return Err(Refused::bad("the message is unknown: `phoneNumberId` is needed"));
    };
    let unknown = || Refused::unknown("number", number);
    let sender = core.world().sender(number).ok_or_else(unknown)?;
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
    /// Business account or page.
    #[serde(alias = "pageId")]
    account_id: String,
    body: Value,
    #[serde(default)]
    signature: Signed,
}

pub(super) async fn raw(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let core = core.into_inner();
    let raw: Raw = read(&body)?;
    {
        let world = core.world();
        if world.account(&raw.account_id).is_none() && world.page(&raw.account_id).is_none() {
            return Err(Refused::unknown("account", &raw.account_id));
        }
    }
    let pending = core.begin_pending();
    let task = Arc::clone(&core);
    let post = core.spawn(async move {
        let outcome = post(&task, &raw.account_id, "messages", &raw.body, raw.signature).await;
        drop(pending);
        outcome
    });
    Ok(HttpResponse::Ok().json(json!({ "webhook": shown(post.await.unwrap_or_default()) })))
}
