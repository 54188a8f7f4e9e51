//! A caller of the API.

use std::sync::LazyLock;

use reqwest::{Method, RequestBuilder, StatusCode, header::HeaderMap};
use serde_json::{Value, json};

use super::{client::local_client, contract::Contract};

/// Every answer of the API is held against this.
static CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract::new(adapter_http::openapi()));

/// Calls with one key.
#[derive(Clone)]
pub(crate) struct Api {
    base: String,
    key: String,
    client: reqwest::Client,
}

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    /// `null` when the body was no JSON.
    pub(crate) body: Value,
}

impl Api {
    pub(crate) fn new(base: &str, key: &str) -> Self {
        let client = local_client().build().unwrap();
        Self { base: base.to_owned(), key: key.to_owned(), client }
    }

    pub(crate) fn base(&self) -> &str {
        &self.base
    }

    /// A request that has the key and nothing else yet.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.bare(method, path).bearer_auth(&self.key)
    }

    /// A request without a key.
    pub(crate) fn bare(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("{}{path}", self.base))
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        Answer::to(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        Answer::to(self.request(Method::POST, path).json(body)).await
    }

    /// Sends a template.
    pub(crate) async fn send(&self, body: &Value) -> Answer {
        self.post("/v1/messages/template", body).await
    }

    /// Sends a template under an idempotency key.
    pub(crate) async fn send_once(&self, key: &str, body: &Value) -> Answer {
        let request = self.request(Method::POST, "/v1/messages/template");
        Answer::to(request.header("Idempotency-Key", key).json(body)).await
    }
}

impl Answer {
    pub(crate) async fn to(request: RequestBuilder) -> Self {
        let (client, request) = request.build_split();
        let request = request.unwrap();
        let (method, path) = (request.method().clone(), request.url().path().to_owned());
        let answer = client.execute(request).await.unwrap();
        let (status, headers) = (answer.status().as_u16(), answer.headers().clone());
        let body = serde_json::from_slice(&answer.bytes().await.unwrap()).unwrap_or_default();
        // Only answers to a call of the API are marked so.
        if path.starts_with("/v1/") && status != 204 && headers.contains_key("cache-control") {
            let faults = CONTRACT.faults(&format!("{method} {path} {status}"), &body);
            assert_eq!(faults, Vec::<String>::new(), "{method} {path} {status}: {body}");
        }
        Self { status, headers, body }
    }

    /// Asserts that this is an error in the one shape there is for errors: with `code` and `details`, or with
    /// neither.
    #[track_caller]
    pub(crate) fn assert_error(&self, status: u16, about: &str) {
        let phrase = StatusCode::from_u16(status).unwrap().canonical_reason();
        assert_eq!(self.status, status, "{about}: {:?}", self.body);
        assert_eq!(self.header("content-type"), Some("application/json"), "{about}");
        let mut fields: Vec<&str> = self.body.as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        let plain = ["error", "message", "statusCode"];
        let coded = ["code", "details", "error", "message", "statusCode"];
        assert!(
            fields == plain || (fields == coded && self.body["details"].is_object()),
            "{about}: {fields:?}"
        );
        assert_eq!(self.body["statusCode"], status, "{about}");
        assert_eq!(self.body["error"].as_str(), phrase, "{about}");
        assert!(!self.text("/message").is_empty(), "{about}");
    }

    /// Asserts that this is a refusal with this code and exactly these details.
    #[track_caller]
    pub(crate) fn assert_refused(&self, status: u16, code: &str, details: &Value, about: &str) {
        self.assert_error(status, about);
        assert_eq!(self.body.get("code"), Some(&Value::from(code)), "{about}: {:?}", self.body);
        assert_eq!(self.body.get("details"), Some(details), "{about}");
    }

    /// Asserts that nobody knows whether this was sent.
    #[track_caller]
    pub(crate) fn assert_open(&self, about: &str) {
        let details = json!({ "id": self.text("/details/id"), "since": self.text("/details/since") });
        self.assert_refused(504, "outcome_unknown", &details, about);
    }

    /// A message of the body, without what became of it since: what an answer said stays, what a list says
    /// goes on.
    pub(crate) fn message(&self, pointer: &str) -> Value {
        untold(&self.body.pointer(pointer).cloned().unwrap_or_default())
    }

    /// A text of the body, by JSON pointer; empty when it is not there.
    pub(crate) fn text(&self, pointer: &str) -> &str {
        self.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).and_then(|value| value.to_str().ok())
    }
}

/// A message without what became of it.
pub(crate) fn untold(message: &Value) -> Value {
    let mut message = message.clone();
    if let Some(fields) = message.as_object_mut() {
        fields.remove("delivery");
    }
    message
}
