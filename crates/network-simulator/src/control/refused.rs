//! Refusals of the control routes.

use std::fmt;

use actix_web::http::StatusCode;
use actix_web::web::Bytes;
use actix_web::{HttpResponse, ResponseError};
use serde::de::DeserializeOwned;
use serde_json::json;

#[derive(Debug)]
pub(crate) struct Refused {
    status: StatusCode,
    reason: String,
}

impl Refused {
    pub(super) fn bad(reason: impl fmt::Display) -> Self {
        Self { status: StatusCode::BAD_REQUEST, reason: reason.to_string() }
    }

    pub(super) fn unknown(what: &str, id: &str) -> Self {
        Self { status: StatusCode::NOT_FOUND, reason: format!("there is no {what} {id}") }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.reason)
    }
}

impl ResponseError for Refused {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        HttpResponse::build(self.status).json(json!({ "error": self.reason }))
    }
}

/// Parses a body; an empty one is `{}`.
pub(super) fn read<T: DeserializeOwned>(body: &Bytes) -> Result<T, Refused> {
    let body: &[u8] = if body.is_empty() { b"{}" } else { body };
    serde_json::from_slice(body).map_err(Refused::bad)
}
