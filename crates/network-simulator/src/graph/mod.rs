//! The Graph API's routes, under any `/v\d+\.\d+`. What an id stands for decides what a path means.

mod accounts;
mod call;
pub(crate) mod codes;
pub(crate) mod connection;
mod error;
mod numbers;
mod paging;
mod spoil;
mod subscriptions;
mod templates;
mod token;

use std::sync::Arc;

use actix_web::http::Method;
use actix_web::web::{self, Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::Value;

pub(crate) use call::Call;
pub(crate) use error::GraphError;
pub(crate) use spoil::{after as spoil_after, before as spoil_before};

use crate::core::Core;
use crate::faults::Target;
use crate::send;
use crate::world::Object;

/// Mounts the Graph API.
pub(crate) fn routes(config: &mut web::ServiceConfig) {
    config.route(r"/{version:v\d+\.\d+}/{path:.*}", web::route().to(serve));
}

/// Anything outside the Graph API and the control routes.
pub(crate) async fn unknown_path(core: Data<Core>) -> HttpResponse {
    GraphError::of(2500).with_title("Unknown path components").with_status(400).response(&core.ids)
}

async fn serve(request: HttpRequest, core: Data<Core>, body: Bytes) -> HttpResponse {
    let core = core.into_inner();
    let call = Call::read(&request, body);
    if let Err(error) = call.authenticate(&core) {
        return error.response(&core.ids);
    }
    if call.method == Method::POST && call.edge() == "messages" {
        return send::serve(&core, &request, &call).await;
    }
    let target = Target { on: call.on(), phone_number_id: None, to: None };
    if let Some(answer) = spoil::before(&core, &request, target).await {
        return answer;
    }
    let answer = match manage(&core, &call).await {
        Ok(value) => HttpResponse::Ok().json(value),
        Err(error) => return error.response(&core.ids),
    };
    spoil::after(&core, &request, target, answer).await
}

/// Every call but a send.
async fn manage(core: &Arc<Core>, call: &Call) -> Result<Value, GraphError> {
    if call.id() == "debug_token" {
        return token::debug(core, call);
    }
    let missing = || GraphError::missing_object(call.method.as_str(), call.id());
    let object =
        core.world().resolve(call.id(), &call.token).map(|(object, _)| object).ok_or_else(missing)?;
    match (object, call.method.as_str(), call.edge()) {
        (Object::Account, "GET", "") => accounts::get(core, call),
        (Object::Account, "GET", "phone_numbers") => numbers::list(core, call),
        (Object::Account, "GET", "message_templates") => templates::list(core, call),
        (Object::Account, "POST", "message_templates") => templates::create(core, call),
        (Object::Account, "DELETE", "message_templates") => templates::delete(core, call),
        (Object::Account, method, "subscribed_apps") => subscriptions::serve(core, call, method).await,
        (Object::Number, "GET", "") => numbers::get(core, call),
        (Object::Number, "POST", "register") => numbers::register(core, call),
        (Object::Number, "POST", "deregister") => numbers::deregister(core, call),
        (Object::Template, "GET", "") => templates::get(core, call),
        (Object::Template, "POST", "") => templates::edit(core, call),
        _ => Err(missing()),
    }
}
