//! The Graph API's error body.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{HeaderValue, WWW_AUTHENTICATE};
use serde_json::{Map, Value, json};

use crate::codes;
use crate::ids::Ids;

/// An error answer. Its trace id is made when it is sent.
#[derive(Debug, Clone)]
pub(crate) struct GraphError {
    http_status: u16,
    code: i64,
    subcode: Option<i64>,
    kind: &'static str,
    message: String,
    details: Option<String>,
}

impl GraphError {
    /// Returns the error of a code, with its usual status and title.
    pub(crate) fn of(code: i64) -> Self {
        let known = codes::of(code);
        Self {
            http_status: known.http_status,
            code,
            subcode: None,
            kind: "OAuthException",
            message: format!("(#{code}) {}", known.title),
            details: None,
        }
    }

    /// Returns the error of a code with more text in `error_data`.
    pub(crate) fn detailed(code: i64, details: impl Into<String>) -> Self {
        Self { details: Some(details.into()), ..Self::of(code) }
    }

    /// Returns code 100 with a text of its own.
    pub(crate) fn parameter(text: impl AsRef<str>) -> Self {
        Self { message: format!("(#100) {}", text.as_ref()), ..Self::of(100) }
    }

    /// Returns the error for an object that does not exist, or that the token does not see.
    pub(crate) fn missing_object(method: &str, id: &str) -> Self {
        let method = method.to_ascii_lowercase();
        Self {
            subcode: Some(33),
            kind: "GraphMethodException",
            message: format!(
                "Unsupported {method} request. Object with ID '{id}' does not exist, cannot be loaded due to \
                 missing permissions, or does not support this operation"
            ),
            ..Self::of(100)
        }
    }

    /// Returns an error of the token (code 190).
    pub(crate) fn token(message: &str) -> Self {
        Self { message: message.to_owned(), ..Self::of(190) }
    }

    /// Returns an error of the app secret's proof.
    pub(crate) fn proof(message: &str) -> Self {
        Self { message: message.to_owned(), kind: "GraphMethodException", ..Self::of(100) }
    }

    pub(crate) fn with_status(self, http_status: u16) -> Self {
        Self { http_status, ..self }
    }

    pub(crate) fn with_subcode(self, subcode: i64) -> Self {
        Self { subcode: Some(subcode), ..self }
    }

    pub(crate) fn with_title(self, title: &str) -> Self {
        Self { message: format!("(#{}) {title}", self.code), ..self }
    }

    pub(crate) fn response(&self, ids: &Ids) -> HttpResponse {
        let mut error = Map::new();
        error.insert("message".to_owned(), json!(self.message));
        error.insert("type".to_owned(), json!(self.kind));
        error.insert("code".to_owned(), json!(self.code));
        if let Some(subcode) = self.subcode {
            error.insert("error_subcode".to_owned(), json!(subcode));
        }
        if let Some(details) = &self.details {
            error.insert(
                "error_data".to_owned(),
                json!({ "messaging_product": "whatsapp", "details": details }),
            );
        }
        error.insert("fbtrace_id".to_owned(), json!(ids.fbtrace()));
        let status = StatusCode::from_u16(self.http_status).unwrap_or(StatusCode::BAD_REQUEST);
        let mut response = HttpResponse::build(status);
        let challenge = format!("OAuth \"Facebook Platform\" \"invalid_request\" \"{}\"", self.message);
        if status.is_client_error()
            && let Ok(challenge) = HeaderValue::from_str(&challenge)
        {
            response.insert_header((WWW_AUTHENTICATE, challenge));
        }
        response.json(json!({ "error": Value::Object(error) }))
    }
}
