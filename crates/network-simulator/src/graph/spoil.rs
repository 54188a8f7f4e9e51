//! Effects of the faults that decide an answer.

use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{CONNECTION, RETRY_AFTER};
use actix_web::{HttpRequest, HttpResponse};
use serde_json::json;

use super::connection;
use super::error::GraphError;
use crate::core::Core;
use crate::faults::{Kind, Target, ThrottleStatus};

const PAGE: &str = "<!DOCTYPE html><html><head><title>Error</title></head>\
                    <body><h1>Sorry, something went wrong.</h1></body></html>";

/// Delays a slow call; returns an answer if the call is not to be carried out.
pub(crate) async fn before(core: &Core, request: &HttpRequest, target: Target<'_>) -> Option<HttpResponse> {
    let (latency, kind) = core.faults().before(target);
    if !latency.is_zero() {
        tokio::time::sleep(latency).await;
    }
    match kind? {
        Kind::Throttle { variant, code, retry_after, regain_access_minutes } => {
            let status = match variant {
                ThrottleStatus::TooManyRequests => 429,
                ThrottleStatus::BadRequest => 400,
            };
            let mut response = GraphError::of(code).with_status(status).response(&core.ids);
            if let Some(seconds) = retry_after {
                response.headers_mut().insert(RETRY_AFTER, seconds.into());
            }
            if let Some(minutes) = regain_access_minutes {
                usage(&mut response, target, minutes);
            }
            Some(response)
        }
        Kind::ServerErrorHtml { status, .. } => Some(page(status)),
        Kind::CutBeforeAccept {} => Some(cut(request)),
        Kind::Error { code, subcode, http_status, title, details, .. } => {
            let mut error = GraphError::of(code);
            if let Some(details) = details {
                error = GraphError::detailed(code, details);
            }
            if let Some(status) = http_status {
                error = error.with_status(status);
            }
            if let Some(subcode) = subcode {
                error = error.with_subcode(subcode);
            }
            if let Some(title) = title {
                error = error.with_title(&title);
            }
            Some(error.response(&core.ids))
        }
        _ => None,
    }
}

/// Spoils the answer of a call that was carried out. The fault is taken before the call is carried out: a
/// caller who sees its effect and calls again must not meet the fault of the first call.
pub(crate) async fn after(request: &HttpRequest, fault: Option<Kind>, answer: HttpResponse) -> HttpResponse {
    match fault {
        Some(Kind::ServerErrorHtml { status, .. }) => page(status),
        Some(Kind::CutAfterAccept {}) => cut(request),
        Some(Kind::GarbledAnswer {}) => HttpResponse::Ok()
            .content_type("application/json")
            .body("{\"messaging_product\":\"whatsapp\",\"mess"),
        Some(Kind::HangAfterAccept { seconds }) => {
            tokio::time::sleep(Duration::from_secs(seconds)).await;
            answer
        }
        _ => answer,
    }
}

fn page(status: u16) -> HttpResponse {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    HttpResponse::build(status).content_type("text/html; charset=utf-8").body(PAGE)
}

fn cut(request: &HttpRequest) -> HttpResponse {
    connection::cut(request);
    HttpResponse::Ok().insert_header((CONNECTION, "close")).finish()
}

/// Adds `X-Business-Use-Case-Usage`: the minutes that the account has to wait.
fn usage(response: &mut HttpResponse, target: Target<'_>, minutes: u64) {
    use actix_web::http::header::{HeaderName, HeaderValue};
    let business = target.phone_number_id.unwrap_or("0");
    let usage = json!({ business: [{
        "type": "whatsapp", "call_count": 100, "total_cputime": 25, "total_time": 25,
        "estimated_time_to_regain_access": minutes,
    }] });
    if let Ok(value) = HeaderValue::from_str(&usage.to_string()) {
        response.headers_mut().insert(HeaderName::from_static("x-business-use-case-usage"), value);
    }
}
