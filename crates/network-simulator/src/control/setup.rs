//! Control routes that set up the network.

use std::sync::Arc;
use std::time::Duration;

use actix_web::HttpResponse;
use actix_web::web::{Bytes, Data};
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

use super::outcome::shown;
use super::refused::{Refused, read};
use crate::clock;
use crate::core::Core;
use crate::faults;
use crate::posts::{Signed, payload};
use crate::webhooks::{self, post};

pub(super) async fn faults(core: Data<Core>) -> HttpResponse {
    HttpResponse::Ok().json(json!({ "faults": core.faults().to_json() }))
}

pub(super) async fn put_faults(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let wanted = faults::parse(&read(&body)?).map_err(Refused::bad)?;
    let mut faults = core.faults();
    faults.replace(wanted);
    Ok(HttpResponse::Ok().json(json!({ "faults": faults.to_json() })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PutTemplates {
    account_id: String,
    templates: Vec<Value>,
    /// Whether all other templates are removed.
    #[serde(default)]
    replace: bool,
    /// Whether a webhook reports each.
    #[serde(default)]
    notify: bool,
}

/// Adds templates without the network's own rules for their creation.
pub(super) async fn put_templates(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let core = core.into_inner();
    let request: PutTemplates = read(&body)?;
    if core.world().account(&request.account_id).is_none() {
        return Err(Refused::unknown("account", &request.account_id));
    }
    let put = core.world().put_templates(&request.account_id, request.templates, request.replace, &core.ids);
    let templates = put.map_err(Refused::bad)?;
    let mut outcomes = Vec::new();
    for template in templates.iter().filter(|_| request.notify) {
        let body = payload::template_status(&request.account_id, template, clock::now());
        let (task, account_id) = (Arc::clone(&core), request.account_id.clone());
        let posted = core.spawn(async move {
            post(&task, &account_id, "message_template_status_update", &body, Signed::Rightly).await
        });
        outcomes.push(shown(posted.await.unwrap_or_default()));
    }
    let rows: Vec<&Map<String, Value>> = templates.iter().map(|template| &template.row).collect();
    Ok(HttpResponse::Ok().json(json!({ "data": rows, "webhooks": outcomes })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NumberStatus {
    phone_number_id: String,
    status: Option<String>,
    quality: Option<String>,
    messaging_limit: Option<String>,
    /// Whether a webhook reports the change.
    #[serde(default)]
    tell: bool,
}

/// Sets the state of a number, and posts it to the callback if wanted.
pub(super) async fn put_number(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let core = core.into_inner();
    let request: NumberStatus = read(&body)?;
    let unknown = || Refused::unknown("number", &request.phone_number_id);
    let (account, number) = {
        let mut world = core.world();
        let account = world.sender(&request.phone_number_id).ok_or_else(unknown)?.account_id;
        let number =
            world.account_mut(&account).and_then(|account| account.number_mut(&request.phone_number_id));
        let number = number.ok_or_else(unknown)?;
        let parts = [
            (&mut number.status, request.status),
            (&mut number.quality, request.quality),
            (&mut number.messaging_limit, request.messaging_limit),
        ];
        for (kept, wanted) in parts {
            if let Some(wanted) = wanted {
                *kept = wanted;
            }
        }
        (account, number.clone())
    };
    let mut posted = None;
    if request.tell {
        let digits: String = number.display_phone_number.chars().filter(char::is_ascii_digit).collect();
        let event = if number.quality == "RED" { "FLAGGED" } else { "UNFLAGGED" };
        let value = json!({
            "display_phone_number": digits, "event": event, "current_limit": number.messaging_limit,
        });
        let body = payload::number_quality(&account, &value, clock::now());
        let task = Arc::clone(&core);
        let told = core.spawn(async move {
            post(&task, &account, "phone_number_quality_update", &body, Signed::Rightly).await
        });
        posted = Some(shown(told.await.unwrap_or_default()));
    }
    let mut answer = json!({ "phoneNumberId": number.id, "status": number.status });
    if let Some((posted, answer)) = posted.zip(answer.as_object_mut()) {
        answer.insert("webhook".to_owned(), posted);
    }
    Ok(HttpResponse::Ok().json(answer))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Callback {
    url: Option<Url>,
    /// Pauses before the 2nd, 3rd … attempt, in milliseconds.
    retries_ms: Option<Vec<u64>>,
}

/// Sets the callback; `null` stops the posts.
pub(super) async fn put_callback(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let request: Callback = read(&body)?;
    core.set_callback(request.url.clone()).map_err(Refused::bad)?;
    if let Some(pauses) = request.retries_ms {
        core.set_retries(pauses.into_iter().map(Duration::from_millis).collect());
    }
    Ok(HttpResponse::Ok().json(json!({ "url": request.url })))
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Handshake {
    /// Token to send instead of the right one.
    verify_token: Option<String>,
}

pub(super) async fn handshake(core: Data<Core>, body: Bytes) -> Result<HttpResponse, Refused> {
    let core = core.into_inner();
    let request: Handshake = read(&body)?;
    let url = core.app_callback().ok_or_else(|| Refused::bad("no callback is set"))?;
    let token = request.verify_token.unwrap_or_else(|| core.config.verify_token.expose_secret().to_owned());
    let task = Arc::clone(&core);
    let answer = core.spawn(async move { webhooks::handshake(&task, url, &token).await }).await;
    Ok(HttpResponse::Ok().json(answer.unwrap_or_default()))
}

/// Resets everything to the start.
pub(super) async fn reset(core: Data<Core>) -> Result<HttpResponse, Refused> {
    core.reset().map_err(Refused::bad)?;
    Ok(HttpResponse::NoContent().finish())
}
