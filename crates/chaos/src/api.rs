//! A client of the API.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use anyhow::{Context, bail};
use reqwest::{Client, RequestBuilder};
use serde_json::Value;
use tokio::time::sleep;

/// Timeout of a request: longer than the service waits for the network.
const TIMEOUT: Duration = Duration::from_secs(40);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Attempts at a read: the rate limit's window is a minute.
const READS: usize = 200;
const READ_AGAIN: Duration = Duration::from_millis(500);

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    /// Returns a text of the body; empty if there is none.
    pub(crate) fn text(&self, pointer: &str) -> &str {
        self.body.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
    }
}

/// A client with an API key.
#[derive(Debug, Clone)]
pub(crate) struct Api {
    client: Client,
    front: SocketAddr,
    key: String,
    failed: Arc<Mutex<Vec<String>>>,
}

impl Api {
    pub(crate) fn new(front: SocketAddr, key: &str) -> anyhow::Result<Self> {
        // Another part of the process may have installed one before. Only plain HTTP is used here.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::builder()
            .no_proxy()
            .no_gzip()
            .timeout(TIMEOUT)
            .connect_timeout(CONNECT_TIMEOUT)
            .build()?;
        Ok(Self { client, front, key: key.to_owned(), failed: Arc::default() })
    }

    /// Posts a body under an idempotency key; `None` if no whole answer came.
    pub(crate) async fn post(&self, path: &str, idempotency_key: &str, body: &Value) -> Option<Answer> {
        let request = self.client.post(format!("http://{}{path}", self.front));
        let request = request.bearer_auth(&self.key).header("Idempotency-Key", idempotency_key).json(body);
        match Self::whole(request).await {
            Ok(answer) => {
                if answer.status >= 500 {
                    self.fails(format!("{idempotency_key}: {}", answer.status));
                }
                Some(answer)
            }
            Err(error) => {
                self.fails(format!("{idempotency_key}: {error}"));
                None
            }
        }
    }

    async fn whole(request: RequestBuilder) -> reqwest::Result<Answer> {
        let answer = request.send().await?;
        let status = answer.status().as_u16();
        Ok(Answer { status, body: answer.json().await? })
    }

    fn fails(&self, what: String) {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).push(what);
    }

    /// Lists the posts so far that had no whole answer, and those answered with a server error.
    pub(crate) fn failed(&self) -> Vec<String> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Loads all rows of a list, page by page.
    pub(crate) async fn list(&self, path: &str) -> anyhow::Result<Vec<Value>> {
        let (mut rows, mut cursor) = (Vec::new(), String::new());
        loop {
            let page = self.page(path, &cursor).await?;
            rows.extend(
                page.get("data").and_then(Value::as_array).context("a list has data")?.iter().cloned(),
            );
            match page.get("nextCursor").and_then(Value::as_str) {
                Some(next) => next.clone_into(&mut cursor),
                None => return Ok(rows),
            }
        }
    }

    async fn page(&self, path: &str, cursor: &str) -> anyhow::Result<Value> {
        let mut query = vec![("limit", "100")];
        if !cursor.is_empty() {
            query.push(("cursor", cursor));
        }
        let mut last = String::from("nothing");
        for _ in 0..READS {
            let request = self.client.get(format!("http://{}{path}", self.front));
            match request.query(&query).bearer_auth(&self.key).send().await {
                Ok(answer) if answer.status().is_success() => return Ok(answer.json().await?),
                Ok(answer) => last = answer.status().to_string(),
                Err(error) => last = error.to_string(),
            }
            sleep(READ_AGAIN).await;
        }
        bail!("{path} was answered with {last}")
    }
}
