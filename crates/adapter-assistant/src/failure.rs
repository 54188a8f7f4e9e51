//! Failures for which genai has no answer. Nothing of its errors is kept: they contain the request and the
//! server's words, and print them.

use std::time::Duration;

use domain::assistant::{ModelAnswer, ModelError};
use genai::{Error, webc};
use reqwest::{
    StatusCode,
    header::{HeaderMap, RETRY_AFTER},
};

use crate::{
    Dialect,
    raw::{self, SHAPELESS},
};

/// Reason why a server gave no answer.
pub(crate) struct Failed {
    pub(crate) error: ModelError,
    /// Status of the server's refusal.
    pub(crate) status: Option<StatusCode>,
    /// Whether it asks for the newer format.
    pub(crate) wants_newer: bool,
}

impl From<ModelError> for Failed {
    fn from(error: ModelError) -> Self {
        Self { error, status: None, wants_newer: false }
    }
}

/// Translates an error: some are answers that only genai fails to parse.
pub(crate) fn of(dialect: Dialect, error: Error) -> Result<ModelAnswer, Failed> {
    let error = match error {
        Error::ChatResponseGeneration { response_body, .. } => {
            return Ok(raw::answered(dialect, &response_body)?);
        }
        Error::WebModelCall { webc_error, .. } => webc_error,
        // About the request, which is well-formed, and no key is looked up.
        _ => return Err(SHAPELESS.into()),
    };
    match error {
        webc::Error::ResponseFailedStatus { status, body, headers } => {
            Err(refused(dialect, status, &headers, body.as_bytes()))
        }
        // The content type is missing, in capitals or another one; the body may well be JSON.
        webc::Error::ResponseFailedNotJson { body, .. } => {
            let body = serde_json::from_str(&body).map_err(|_| SHAPELESS)?;
            Ok(raw::answered(dialect, &body)?)
        }
        webc::Error::ResponseFailedInvalidJson { .. } | webc::Error::JsonValueExt(_) => Err(SHAPELESS.into()),
        webc::Error::Reqwest(error) => Err(broken(&error).into()),
    }
}

fn refused(dialect: Dialect, status: StatusCode, headers: &HeaderMap, body: &[u8]) -> Failed {
    let error = if status == StatusCode::TOO_MANY_REQUESTS {
        ModelError::SlowDown { retry_after: retry_after(headers) }
    } else {
        dialect.refused(status, body)
    };
    Failed { error, status: Some(status), wants_newer: dialect.wants_newer(status, body) }
}

fn broken(error: &reqwest::Error) -> ModelError {
    // A server whose connection timed out was not reached.
    if error.is_connect() || error.is_builder() {
        ModelError::NotReached
    } else if error.is_timeout() {
        ModelError::TimedOut
    } else {
        ModelError::Broken
    }
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok().map(Duration::from_secs)
}
