//! Routes of the contract, found by hand so that any other path is a 404.

mod appointments;
mod catalogue;
mod customers;
mod orders;

use actix_web::web::{Bytes, Data};
use actix_web::{HttpRequest, HttpResponse};
use url::form_urlencoded;

use crate::call::Call;
use crate::core::Core;
use crate::faults::Fault;
use crate::reply::Reply;
use crate::route::{self, BASE, Missing, Route};
use crate::spoil;

/// Answers every request that is not for a control route.
pub(crate) async fn answer(request: HttpRequest, body: Bytes, core: Data<Core>) -> HttpResponse {
    let path = request.uri().path();
    let moved = format!("{BASE}/moved");
    let is_moved = path.starts_with(&moved);
    let path = if is_moved { path.strip_prefix(&moved) } else { path.strip_prefix(BASE) };
    let found = path.map_or(Err(Missing::Path), |path| route::find(request.method(), path));
    let bearer = bearer(&request);
    let given = bearer.unwrap_or_default();
    core.requests().note(&request, &body, core.opens(given, false));
    let (route, reference) = match found {
        Ok(found) => found,
        Err(missing) => return spoil::missing(&core, &missing),
    };
    if !is_moved && let Some(redirected) = spoil::redirected(&core, route, &request) {
        return redirected;
    }
    let needs_none = bearer.is_none() && core.strikes(Fault::MissingSecretAccepted, route);
    if let Some(refused) = refuse(&core, route, given).filter(|_| !needs_none) {
        return refused.into();
    }
    if !is_moved && let Some(instead) = spoil::instead(&core, route).await {
        return instead;
    }
    let call = Call {
        route,
        reference,
        query: form_urlencoded::parse(request.query_string().as_bytes()).into_owned().collect(),
        body: serde_json::from_slice(&body).unwrap_or_default(),
    };
    let mut reply = carry_out(&core, &call).await;
    spoil::shape(&core, &call, &mut reply);
    spoil::wire(&core, route, reply).await
}

async fn carry_out(core: &Core, call: &Call) -> Reply {
    match call.route {
        Route::Verify => catalogue::verify(),
        Route::Products => catalogue::products(core, call),
        Route::Product => catalogue::product(core, call),
        Route::OrderCreate => orders::create(core, call).await,
        Route::Order => orders::show(core, call),
        Route::OrderCancel => orders::cancel(core, call),
        Route::CustomerLookup => customers::look_up(core, call),
        Route::CustomerCreate => customers::keep_lead(core, call),
        Route::Slots => appointments::slots(core, call),
        Route::AppointmentCreate => appointments::book(core, call).await,
    }
}

/// Returns the text after `Bearer `.
fn bearer(request: &HttpRequest) -> Option<&str> {
    request.headers().get("authorization")?.to_str().ok()?.strip_prefix("Bearer ")
}

fn refuse(core: &Core, route: Route, given: &str) -> Option<Reply> {
    let prefix = core.strikes(Fault::SecretPrefixAccepted, route);
    let opens = core.opens(given, prefix);
    if opens && !core.strikes(Fault::RightSecretRefused, route) {
        return None;
    }
    if !opens && core.strikes(Fault::SecretNotCheckedOnOneRoute, route) {
        return None;
    }
    let status = if core.strikes(Fault::WrongSecretAnswers403, route) { 403 } else { 401 };
    Some(Reply::refusal(status, "the secret is wrong"))
}
