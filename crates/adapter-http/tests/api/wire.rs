//! Reading answers, each held against the API's document.

#![expect(clippy::unwrap_used, reason = "test support")]

use std::sync::LazyLock;

use adapter_http::openapi;
use reqwest::{RequestBuilder, header::HeaderMap};
use serde_json::{Value, json};

use crate::contract::Contract;

static CONTRACT: LazyLock<Contract> = LazyLock::new(|| Contract::new(openapi()));

/// An answer, read whole.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

/// Sends the request; the answer must have a JSON body.
pub(crate) async fn answer(request: RequestBuilder) -> Answer {
    let (client, request) = request.build_split();
    let request = request.unwrap();
    let (method, path) = (request.method().clone(), request.url().path().to_owned());
    let response = client.execute(request).await.unwrap();
    let (status, headers) = (response.status().as_u16(), response.headers().clone());
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    // What the layer around `/v1` has marked, and no other server.
    if path.starts_with("/v1/") && headers.contains_key("cache-control") {
        let faults = CONTRACT.faults(&format!("{method} {path} {status}"), &body);
        assert_eq!(faults, Vec::<String>::new(), "{method} {path} {status}: {body}");
    }
    Answer { status, headers, body }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn message(&self) -> &str {
        self.body.get("message").and_then(Value::as_str).unwrap_or_default()
    }

    /// Asserts that the answer is an error of this status in the one shape.
    pub(crate) fn assert_error(&self, status: u16, phrase: &str) {
        assert_eq!(self.status, status, "{self:?}");
        assert_eq!(self.body.get("statusCode"), Some(&json!(status)), "{self:?}");
        assert_eq!(self.body.get("error"), Some(&json!(phrase)), "{self:?}");
        assert!(!self.message().is_empty(), "{self:?}");
        assert_eq!(self.header("content-type"), Some("application/json"), "{self:?}");
        assert!(self.header("x-request-id").is_some(), "{self:?}");
    }
}
