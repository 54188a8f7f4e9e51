//! An answer before it is serialized.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use serde_json::{Value, json};

use crate::state::refused::Refused;

/// Status and body.
#[derive(Debug, Clone)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    /// `None` for no body at all.
    pub(crate) body: Option<Value>,
}

impl Reply {
    pub(crate) fn ok(body: Value) -> Self {
        Self { status: 200, body: Some(body) }
    }

    pub(crate) fn created(body: Value) -> Self {
        Self { status: 201, body: Some(body) }
    }

    pub(crate) fn refusal(status: u16, message: &str) -> Self {
        Self { status, body: Some(json!({ "message": message })) }
    }

    pub(crate) fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl From<Refused> for Reply {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::NotFound(message) => Self::refusal(404, &message),
            Refused::Conflict(message) => Self::refusal(409, &message),
            Refused::Invalid(message) => Self::refusal(422, &message),
        }
    }
}

impl From<Reply> for HttpResponse {
    fn from(reply: Reply) -> Self {
        let status = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        match reply.body {
            Some(body) => Self::build(status).json(body),
            None => Self::build(status).finish(),
        }
    }
}
