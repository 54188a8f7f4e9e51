//! The forms that models' servers speak: where each is asked, what opens it, and who reads its answers.

use domain::assistant::{ModelAnswer, ModelError, ModelRequest};
use reqwest::{RequestBuilder, StatusCode};
use secrecy::{ExposeSecret, SecretString};
use serde_json::Value;
use url::Url;

use crate::{anthropic, gemini, openai};

/// The form of the wire that a server speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// `/chat/completions`, as `OpenAI` and most servers of one's own have it.
    OpenAi,
    /// Anthropic's `/messages`.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
}

impl Dialect {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// Its name in settings.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }

    /// Reads its name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|dialect| dialect.as_str() == name)
    }

    /// The address of the vendor whose form it is.
    pub const fn vendor(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
        }
    }

    /// Where the model is asked below the server's address; `None` where nothing can be below it.
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

    /// Opens the server with the key, where it asks for one.
    pub(crate) fn opened(self, post: RequestBuilder, key: Option<&SecretString>) -> RequestBuilder {
        let post = match self {
            Self::Anthropic => post.header("anthropic-version", anthropic::VERSION),
            Self::OpenAi | Self::Gemini => post,
        };
        let Some(key) = key.map(ExposeSecret::expose_secret) else { return post };
        match self {
            Self::OpenAi => post.bearer_auth(key),
            Self::Anthropic => post.header("x-api-key", key),
            Self::Gemini => post.header("x-goog-api-key", key),
        }
    }

    /// What the server is asked; `is_newer` where it wants the newer form of what it was asked before.
    pub(crate) fn asked(self, model: &str, request: &ModelRequest, is_newer: bool) -> Value {
        match self {
            Self::OpenAi => openai::asked(model, request, is_newer),
            Self::Anthropic => anthropic::asked(model, request),
            Self::Gemini => gemini::asked(request),
        }
    }

    /// Reads its answer.
    pub(crate) fn answered(self, body: &[u8]) -> Result<ModelAnswer, ModelError> {
        match self {
            Self::OpenAi => openai::answered(body),
            Self::Anthropic => anthropic::answered(body),
            Self::Gemini => gemini::answered(body),
        }
    }

    /// Whether a refusal asks for the newer form. Nothing of what it says is kept.
    pub(crate) fn wants_newer(self, status: StatusCode, body: &[u8]) -> bool {
        match self {
            Self::OpenAi => status == StatusCode::BAD_REQUEST && openai::wants_newer(body),
            Self::Anthropic | Self::Gemini => false,
        }
    }

    /// Reads a refusal. Nothing of what it says is kept.
    pub(crate) fn refused(self, status: StatusCode, body: &[u8]) -> ModelError {
        let of_key = match (self, status) {
            (_, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) => true,
            (Self::Gemini, StatusCode::BAD_REQUEST) => gemini::refuses_key(body),
            _ => false,
        };
        if of_key { ModelError::KeyRefused } else { ModelError::Refused { status: status.as_u16() } }
    }
}
