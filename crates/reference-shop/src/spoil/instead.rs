//! Faults that answer a call instead of carrying it out.

use std::time::Duration;

use actix_web::http::header::{HeaderValue, LOCATION, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use crate::core::Core;
use crate::faults::Fault;
use crate::reply::Reply;
use crate::route::{BASE, Missing, Route};

/// One second longer than a system may take.
const TOO_LONG: Duration = Duration::from_secs(11);

/// Answers a request for a route or a method that does not exist.
pub(crate) fn missing(core: &Core, missing: &Missing) -> HttpResponse {
    let strikes = |fault| core.strikes(fault, Route::Verify);
    if *missing == Missing::Method {
        let status = if strikes(Fault::WrongMethod405) { 405 } else { 404 };
        return Reply::refusal(status, "there is no such route").into();
    }
    if strikes(Fault::UnknownRouteRedirects) {
        return HttpResponse::Found().insert_header((LOCATION, "/")).finish();
    }
    if strikes(Fault::UnknownRouteHtml) {
        return HttpResponse::NotFound().content_type("text/html; charset=utf-8").body(super::wire::PAGE);
    }
    if strikes(Fault::UnknownRoute200) {
        return Reply::ok(json!({ "ok": false })).into();
    }
    Reply::refusal(404, "there is no such route").into()
}

/// Returns the redirect of a call, which comes before its secret is checked.
pub(crate) fn redirected(core: &Core, route: Route, request: &HttpRequest) -> Option<HttpResponse> {
    let strikes = |fault| core.strikes(fault, route);
    if strikes(Fault::RedirectLoop) {
        return Some(moved(&request.uri().to_string()));
    }
    if strikes(Fault::RedirectWithinOrigin) {
        return Some(moved(&request.uri().to_string().replacen(BASE, &format!("{BASE}/moved"), 1)));
    }
    // The same server under another name, where nothing is redirected any further.
    let arrived = request.connection_info().host().starts_with("localhost");
    if !arrived && strikes(Fault::RedirectToOtherOrigin) {
        let target = format!("http://localhost:{}{}", core.address.port(), request.uri());
        return Some(moved(&target));
    }
    None
}

/// Returns the answer that replaces carrying the call out, if there is one.
pub(crate) async fn instead(core: &Core, route: Route) -> Option<HttpResponse> {
    if let Some(told) = core.told(route) {
        let mut answer = HttpResponse::from(Reply::refusal(told.status, "told to answer so"));
        if let Some(seconds) = told.retry_after {
            answer.headers_mut().insert(RETRY_AFTER, HeaderValue::from(seconds));
        }
        return Some(answer);
    }
    let strikes = |fault| core.strikes(fault, route);
    if strikes(Fault::SlowAnswer) {
        tokio::time::sleep(TOO_LONG).await;
    }
    if strikes(Fault::Hanging) {
        std::future::pending::<()>().await;
    }
    if strikes(Fault::ServerError) || strikes(Fault::ServerErrorOnce) {
        return Some(Reply::refusal(500, "the database is away").into());
    }
    if strikes(Fault::RateLimitedOnce) {
        let mut answer = HttpResponse::TooManyRequests();
        return Some(answer.insert_header((RETRY_AFTER, "1")).json(json!({ "message": "slow down" })));
    }
    if strikes(Fault::RateLimitedWithoutRetryAfter) {
        return Some(Reply::refusal(429, "slow down").into());
    }
    None
}

fn moved(target: &str) -> HttpResponse {
    HttpResponse::TemporaryRedirect().insert_header((LOCATION, target.to_owned())).finish()
}
