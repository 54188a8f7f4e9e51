//! Answers of the Graph API. The object that an id names decides the meaning of a path.

mod accounts;
mod call;
pub(crate) mod connection;
mod error;
pub(crate) mod media;
mod numbers;
mod pages;
mod paging;
mod samples;
mod sign_up;
mod spoil;
mod subscriptions;
mod templates;
mod token;
mod upload;

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;

pub(crate) use call::Call;
pub(crate) use error::GraphError;
pub(crate) use spoil::{after as spoil_after, before as spoil_before};

use crate::core::Core;
use crate::faults::Target;
use crate::world::{Channel, Object};

/// Answers any path outside the Graph API and the control routes.
pub(crate) async fn unknown_path(core: Data<Core>) -> HttpResponse {
    GraphError::of(2500).with_title("Unknown path components").with_status(400).response(&core.ids)
}

/// Answers a call of the dialog for signing up; `None` if it is another.
pub(crate) fn answer_sign_up(core: &Core, request: &HttpRequest, call: &Call) -> Option<HttpResponse> {
    match (call.id(), call.edge()) {
        ("dialog", "oauth") => Some(sign_up::dialog(core, call)),
        ("oauth", "access_token") => Some(sign_up::exchange(core, request, call)),
        _ => None,
    }
}

/// Serves every call that is no send; `channel` is the page or account that it is about.
pub(crate) async fn serve(
    core: &Arc<Core>,
    request: &HttpRequest,
    call: &Call,
    channel: Option<&Channel>,
) -> HttpResponse {
    let target = Target { on: call.on(), phone_number_id: None, to: Some(call.id()) };
    if let Some(answer) = spoil::before(core, request, target).await {
        return answer;
    }
    let managed = match channel {
        _ if call.id() == "me" && call.edge() == "accounts" => pages::of_person(core, call),
        Some(channel) => pages::serve(core, call, channel),
        None => manage(core, call).await,
    };
    let answer = match managed {
        Ok(value) => HttpResponse::Ok().json(value),
        Err(error) => return error.response(&core.ids),
    };
    let fault = core.faults().after(target);
    spoil::after(request, fault, answer).await
}

/// Serves every call that is no send and not about a page.
async fn manage(core: &Arc<Core>, call: &Call) -> Result<Value, GraphError> {
    if call.id() == "debug_token" {
        return token::debug(core, call);
    }
    if call.id() == core.config.app_id && call.edge() == "subscriptions" {
        return subscriptions::of_app(core, call);
    }
    if let Some(answer) = samples::serve(core, call) {
        return answer;
    }
    let missing = || GraphError::missing_object(call.method.as_str(), call.id());
    let Some(object) = core.world().resolve(call.id(), &call.token).map(|(object, _)| object) else {
        return if core.files().find(call.id()).is_some() {
            manage_media(core, call)
        } else if let Some(answer) = pages::message(core, call) {
            answer
        } else {
            pages::profile(core, call)
        };
    };
    match (object, call.method.as_str(), call.edge()) {
        (Object::Account, "GET", "") => accounts::get(core, call),
        (Object::Account, "GET", "phone_numbers") => numbers::list(core, call),
        (Object::Account, "GET", "message_templates") => templates::list(core, call),
        (Object::Account, "POST", "message_templates") => templates::create(core, call),
        (Object::Account, "DELETE", "message_templates") => templates::delete(core, call),
        (Object::Account, method, "subscribed_apps") => subscriptions::serve(core, call, method).await,
        (Object::Number, "POST", "media") => upload::take(core, call),
        (Object::Number, "GET", "") => numbers::get(core, call),
        (Object::Number, "POST", "register") => numbers::register(core, call),
        (Object::Number, "POST", "deregister") => numbers::deregister(core, call),
        (Object::Template, "GET", "") => templates::get(core, call),
        (Object::Template, "POST", "") => templates::edit(core, call),
        _ => Err(missing()),
    }
}

fn manage_media(core: &Core, call: &Call) -> Result<Value, GraphError> {
    if call.method == Method::GET && call.edge().is_empty() {
        return media::get(core, call);
    }
    Err(GraphError::missing_object(call.method.as_str(), call.id()))
}
