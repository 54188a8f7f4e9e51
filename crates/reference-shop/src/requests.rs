//! Received requests, for tests of a client against the shop.

use std::collections::VecDeque;

use actix_web::HttpRequest;
use serde_json::{Map, Value, json};

/// Headers that the contract mentions. Of the secret only its presence is recorded.
const OF_INTEREST: &[&str] =
    &["accept", "content-type", "idempotency-key", "x-service-contract", "accept-encoding", "user-agent"];

/// The newest requests, bounded.
pub(crate) struct Requests {
    keep: usize,
    kept: VecDeque<Value>,
}

impl Requests {
    pub(crate) fn new(keep: usize) -> Self {
        Self { keep, kept: VecDeque::new() }
    }

    pub(crate) fn note(&mut self, request: &HttpRequest, body: &[u8], authorized: bool) {
        if self.kept.len() >= self.keep {
            self.kept.pop_front();
        }
        let headers: Map<String, Value> = OF_INTEREST
            .iter()
            .filter_map(|&name| {
                let value = request.headers().get(name)?.to_str().ok()?;
                Some((name.to_owned(), json!(value)))
            })
            .collect();
        let body = serde_json::from_slice(body).unwrap_or_else(|_| {
            if body.is_empty() { Value::Null } else { json!(String::from_utf8_lossy(body)) }
        });
        self.kept.push_back(json!({
            "method": request.method().as_str(),
            "path": request.uri().path(),
            "query": request.query_string(),
            "headers": headers,
            "authorized": authorized,
            "body": body,
        }));
    }

    pub(crate) fn list(&self) -> Vec<Value> {
        self.kept.iter().cloned().collect()
    }

    pub(crate) fn clear(&mut self) {
        self.kept.clear();
    }
}
