//! Wire formats of models' servers: their endpoints, their keys, and the meaning of their refusals.

use domain::assistant::ModelError;
use genai::{Headers, adapter::AdapterKind};
use reqwest::StatusCode;
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

/// Version of Anthropic's format.
const VERSION: &str = "2023-06-01";

/// Wire format of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `/chat/completions`, as `OpenAI` and most self-hosted servers have it.
    OpenAi,
    /// Anthropic's `/messages`.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}

impl Dialect {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// Returns its name in settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Finds a format by name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.as_str() == name)
    }

    /// Returns the base URL of the vendor whose format it is.
    pub const fn vendor(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        }
    }

    /// Returns the URL of the model below the server's; `None` if nothing can be below it.
    pub(crate) fn endpoint(self, base: &Url, model: &str) -> Option<Url> {
        let mut endpoint = base.clone();
        let mut path = endpoint.path_segments_mut().ok()?;
        path.pop_if_empty();
        match self {
            Self::OpenAi => path.extend(["chat", "completions"]),
            Self::Anthropic => path.push("messages"),
            Self::Gemini => path.extend(["models", &format!("{model}:generateContent")]),
        };
        drop(path);
        Some(endpoint)
    }

    /// Returns genai's adapter for it.
    pub(crate) const fn adapter(self) -> AdapterKind {
        match self {
            Self::OpenAi => AdapterKind::OpenAI,
            Self::Anthropic => AdapterKind::Anthropic,
            Self::Gemini => AdapterKind::Gemini,
        }
    }

    /// Returns the headers of a request, with the key if the server needs one.
    pub(crate) fn headers(self, key: Option<&SecretString>) -> Headers {
        let mut headers = Headers::default();
        if self == Self::Anthropic {
            headers.merge(("anthropic-version", VERSION));
        }
        if let Some(key) = key.map(ExposeSecret::expose_secret) {
            headers.merge(match self {
                Self::OpenAi => ("authorization", format!("Bearer {key}")),
                Self::Anthropic => ("x-api-key", key.to_owned()),
                Self::Gemini => ("x-goog-api-key", key.to_owned()),
            });
        }
        headers
    }

    /// Returns whether a refusal asks for the newer format: it complains about the name of the field for the
    /// longest answer.
    pub(crate) fn wants_newer(self, status: StatusCode, body: &[u8]) -> bool {
        let is_of_form = self == Self::OpenAi && status == StatusCode::BAD_REQUEST;
        is_of_form && {
            let body = read(body);
            let said = |of: &str| body.pointer(of).and_then(Value::as_str).unwrap_or_default();
            said("/error/param") == "max_tokens" || said("/error/message").contains("max_completion_tokens")
        }
    }

    /// Classifies a refusal. Nothing of its text is kept.
    pub(crate) fn refused(self, status: StatusCode, body: &[u8]) -> ModelError {
        let of_key = match (self, status) {
            (_, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => true,
            // It has the status of an invalid request.
            (Self::Gemini, StatusCode::BAD_REQUEST) => {
                let body = read(body);
                let details = body.pointer("/error/details").and_then(Value::as_array);
                let reason =
                    |detail: &Value| detail.get("reason").is_some_and(|reason| reason == "API_KEY_INVALID");
                details.is_some_and(|details| details.iter().any(reason))
            }
            _ => false,
        };
        if of_key { ModelError::KeyRefused } else { ModelError::Refused { status: status.as_u16() } }
    }
}

/// Parses a body; an unreadable one is `null`.
fn read(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_default()
}
