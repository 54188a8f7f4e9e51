//! Signing and posting of webhooks, with repeats until they are answered with 200.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use actix_web::web::Bytes;
use data_encoding::HEXLOWER;
use reqwest::header::CONTENT_TYPE;
use ring::hmac;
use rustls::crypto::ring::default_provider;
use rustls::{ClientConfig, RootCertStore};
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use url::Url;

use super::escape::escaped;
use super::payload::{self, Piece};
use crate::clock;
use crate::config::Config;
use crate::core::{Core, Pending};
use crate::error::Error;
use crate::log::Posted;

/// Client that calls the callback.
pub(crate) struct Poster {
    client: reqwest::Client,
    key: hmac::Key,
    slots: Semaphore,
    waiting: AtomicUsize,
}

/// Signature of a webhook.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Signed {
    /// With the app's secret.
    #[default]
    Rightly,
    /// With another secret.
    Forged,
    Missing,
}

/// Result of the first attempt at a webhook; `None` if nobody was to get it.
pub(crate) type Outcome = Option<Result<u16, String>>;

/// A signed body.
#[derive(Clone)]
struct Parcel {
    owner_id: String,
    field: String,
    body: Arc<RawValue>,
    signature: Option<String>,
}

impl Poster {
    pub(crate) fn new(config: &Config) -> Result<Self, Error> {
        Ok(Self {
            client: client(config.webhook_timeout)?,
            key: hmac::Key::new(hmac::HMAC_SHA256, config.app_secret.expose_secret().as_bytes()),
            slots: Semaphore::new(config.webhook_concurrency.max(1)),
            waiting: AtomicUsize::new(0),
        })
    }

    /// Calls the callback for the handshake; returns its status and text.
    pub(crate) async fn get(&self, url: Url) -> Result<(u16, String), String> {
        let answer = self.client.get(url).send().await.map_err(|error| reason(&error))?;
        let status = answer.status().as_u16();
        Ok((status, answer.text().await.map_err(|error| reason(&error))?))
    }

    /// Fetches a file; returns its content type and its bytes.
    pub(crate) async fn fetch(&self, url: Url) -> Result<(String, Bytes), String> {
        let answer = self.client.get(url).send().await.map_err(|error| reason(&error))?;
        if !answer.status().is_success() {
            return Err(format!("HTTP status {}", answer.status()));
        }
        let content_type = answer.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let content_type = content_type.unwrap_or_default().to_owned();
        Ok((content_type, answer.bytes().await.map_err(|error| reason(&error))?))
    }

    fn signature(&self, body: &str, signed: Signed) -> Option<String> {
        let with = |key: &hmac::Key| {
            format!("sha256={}", HEXLOWER.encode(hmac::sign(key, body.as_bytes()).as_ref()))
        };
        match signed {
            Signed::Rightly => Some(with(&self.key)),
            Signed::Forged => Some(with(&hmac::Key::new(hmac::HMAC_SHA256, b"another secret"))),
            Signed::Missing => None,
        }
    }

    async fn attempt(&self, url: &Url, parcel: &Parcel, attempt: usize) -> Posted {
        let _slot = self.slots.acquire().await;
        let at = clock::rfc3339(clock::now());
        let mut request = self
            .client
            .post(url.clone())
            .header(CONTENT_TYPE, "application/json")
            .body(parcel.body.get().to_owned());
        if let Some(signature) = &parcel.signature {
            request = request.header("X-Hub-Signature-256", signature);
        }
        let (status, error) = match request.send().await {
            Ok(answer) => {
                let status = answer.status().as_u16();
                // Read to the end, so that the connection can be reused; the contents do not matter.
                let _body = answer.bytes().await;
                (Some(status), None)
            }
            Err(error) => (None, Some(reason(&error))),
        };
        Posted { at, url: url.to_string(), attempt, status, error, body: Arc::clone(&parcel.body) }
    }
}

/// Posts pieces, those for the same callback together; returns the outcomes of the first attempts.
pub(crate) async fn deliver(core: &Arc<Core>, pieces: Vec<Piece>, signed: Signed) -> Vec<Outcome> {
    let mut by_callback: BTreeMap<String, Vec<Piece>> = BTreeMap::new();
    let mut outcomes = Vec::new();
    for piece in pieces {
        match core.callback(&piece.owner_id, piece.field()) {
            Some(url) => by_callback.entry(url.to_string()).or_default().push(piece),
            None => outcomes.push(None),
        }
    }
    for pieces in by_callback.into_values() {
        let Some(first) = pieces.first() else { continue };
        for body in payload::bodies(&pieces) {
            outcomes.push(post(core, &first.owner_id, first.field(), &body, signed).await);
        }
    }
    outcomes
}

/// Posts a body to the callback of an account or a page; further attempts follow on their own. A body without
/// a right signature is posted once: the network does not do that at all.
pub(crate) async fn post(
    core: &Arc<Core>,
    owner_id: &str,
    field: &str,
    body: &Value,
    signed: Signed,
) -> Outcome {
    let url = core.callback(owner_id, field)?;
    let text = escaped(body).ok()?;
    let parcel = Parcel {
        owner_id: owner_id.to_owned(),
        field: field.to_owned(),
        signature: core.poster.signature(&text, signed),
        body: Arc::from(RawValue::from_string(text).ok()?),
    };
    let unanswered = core.await_answer();
    let posted = core.poster.attempt(&url, &parcel, 1).await;
    let outcome = posted.status.ok_or_else(|| posted.error.clone().unwrap_or_default());
    core.log().posted(posted);
    if outcome != Ok(200) && signed == Signed::Rightly {
        tracing::warn!(owner_id, outcome = ?outcome, "the callback did not take a webhook");
        retry(core, parcel, unanswered);
    }
    Some(outcome)
}

fn retry(core: &Arc<Core>, parcel: Parcel, unanswered: Pending) {
    // Waiting posts are held in memory: no more of them than of anything else.
    if core.poster.waiting.fetch_add(1, Ordering::Relaxed) >= core.config.keep {
        core.poster.waiting.fetch_sub(1, Ordering::Relaxed);
        return;
    }
    let task = Arc::clone(core);
    core.spawn(async move {
        for (pause, attempt) in task.retries().into_iter().zip(2..) {
            tokio::time::sleep(pause).await;
            let Some(url) = task.callback(&parcel.owner_id, &parcel.field) else { break };
            let posted = task.poster.attempt(&url, &parcel, attempt).await;
            let taken = posted.status == Some(200);
            task.log().posted(posted);
            if taken {
                break;
            }
        }
        task.poster.waiting.fetch_sub(1, Ordering::Relaxed);
        drop(unanswered);
    });
}

fn client(timeout: Duration) -> Result<reqwest::Client, Error> {
    let client_error = |error| Error::Client(Box::new(error));
    // No root certificates: callbacks are plain HTTP, and the process's own provider is left alone.
    let tls = ClientConfig::builder_with_provider(Arc::new(default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Error::Client(Box::new(error)))?
        .with_root_certificates(RootCertStore::empty())
        .with_no_client_auth();
    reqwest::Client::builder()
        .no_gzip()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(timeout)
        .user_agent("facebookexternalua")
        .build()
        .map_err(client_error)
}

/// Describes why a call failed, down to its cause, without the URL (it may contain the verify token).
fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "timed out".to_owned();
    }
    let mut cause: &dyn std::error::Error = error;
    while let Some(source) = cause.source() {
        cause = source;
    }
    cause.to_string()
}
