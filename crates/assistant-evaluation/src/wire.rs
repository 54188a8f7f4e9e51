//! HTTP client for everything on this machine.

use std::time::Duration;

use anyhow::{Context, bail};
use reqwest::{Client, Method, StatusCode, header};
use serde_json::Value;

/// An HTTP client that fails on anything but a 2xx.
#[derive(Clone)]
pub(crate) struct Wire {
    client: Client,
    /// The dashboard's cookie, after a sign-in.
    cookie: Option<String>,
}

impl Wire {
    pub(crate) fn new(patience: Duration) -> anyhow::Result<Self> {
        // Fails only if the same provider is already installed.
        let _installed = rustls::crypto::ring::default_provider().install_default();
        let client =
            Client::builder().no_proxy().no_gzip().timeout(patience).build().context("the client")?;
        Ok(Self { client, cookie: None })
    }

    /// Signs in at the dashboard.
    pub(crate) async fn signed_in(&self, url: &str, body: &Value) -> anyhow::Result<Self> {
        let answer = self.client.post(url).header("x-dashboard", "1").json(body).send().await?;
        let answer = answer.error_for_status()?;
        let set = answer.headers().get(header::SET_COOKIE).context("no cookie was set")?.to_str()?;
        let cookie = set.split(';').next().map(str::to_owned);
        Ok(Self { client: self.client.clone(), cookie })
    }

    pub(crate) async fn get(&self, url: &str) -> anyhow::Result<Value> {
        self.ask(Method::GET, url, None, None).await
    }

    pub(crate) async fn post(&self, url: &str, body: &Value) -> anyhow::Result<Value> {
        self.ask(Method::POST, url, Some(body), None).await
    }

    pub(crate) async fn put(&self, url: &str, body: &Value) -> anyhow::Result<Value> {
        self.ask(Method::PUT, url, Some(body), None).await
    }

    pub(crate) async fn delete(&self, url: &str) -> anyhow::Result<Value> {
        self.ask(Method::DELETE, url, None, None).await
    }

    /// Sends a request with a bearer's key.
    pub(crate) async fn ask(
        &self,
        method: Method,
        url: &str,
        body: Option<&Value>,
        key: Option<&str>,
    ) -> anyhow::Result<Value> {
        let mut request = self.client.request(method, url).header("x-dashboard", "1");
        if let Some(cookie) = &self.cookie {
            request = request.header(header::COOKIE, cookie);
        }
        if let Some(key) = key {
            request = request.bearer_auth(key);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await.with_context(|| format!("{url} does not answer"))?;
        let status = answer.status();
        if status == StatusCode::NO_CONTENT {
            return Ok(Value::Null);
        }
        let text = answer.text().await?;
        if !status.is_success() {
            bail!("{url} answered {status}: {}", text.chars().take(300).collect::<String>());
        }
        serde_json::from_str(&text).with_context(|| format!("{url} answered no JSON"))
    }
}

/// Returns a text of a JSON value, by pointer; empty if there is none.
pub(crate) fn text<'a>(of: &'a Value, pointer: &str) -> &'a str {
    of.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// Lists the elements of a list in a JSON value, by pointer.
pub(crate) fn items<'a>(of: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    of.pointer(pointer).and_then(Value::as_array).into_iter().flatten()
}
