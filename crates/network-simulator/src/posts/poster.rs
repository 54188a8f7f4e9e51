//! Client of the callback, and its signature.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

use actix_web::web::Bytes;
use data_encoding::HEXLOWER;
use reqwest::header::CONTENT_TYPE;
use ring::hmac;
use rustls::crypto::ring::default_provider;
use rustls::{ClientConfig, RootCertStore};
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::Semaphore;
use url::Url;

use crate::clock;
use crate::config::Config;
use crate::error::Error;
use crate::log::Posted;

/// Client that calls the callback.
pub(crate) struct Poster {
    client: reqwest::Client,
    key: hmac::Key,
    slots: Semaphore,
    /// Posts that wait for another attempt.
    pub(crate) waiting: AtomicUsize,
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
pub(crate) struct Parcel {
    pub(crate) owner_id: String,
    pub(crate) field: String,
    pub(crate) body: Arc<RawValue>,
    pub(crate) signature: Option<String>,
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

    pub(crate) fn signature(&self, body: &str, signed: Signed) -> Option<String> {
        let with = |key: &hmac::Key| {
            format!("sha256={}", HEXLOWER.encode(hmac::sign(key, body.as_bytes()).as_ref()))
        };
        match signed {
            Signed::Rightly => Some(with(&self.key)),
            Signed::Forged => Some(with(&hmac::Key::new(hmac::HMAC_SHA256, b"another secret"))),
            Signed::Missing => None,
        }
    }

    pub(crate) async fn attempt(&self, url: &Url, parcel: &Parcel, attempt: usize) -> Posted {
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
