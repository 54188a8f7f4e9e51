//! The client.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bounded_http::{Client, Error, Options};
use bytes::{Bytes, BytesMut};
use reqwest::Method;
use reqwest::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderValue};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tls_trust::{TrustError, untrusted};
use tracing::{Instrument, Span, field::Empty};
use url::{Host, Url, form_urlencoded};

use crate::answer;
use crate::codes::{Class, Surface};
use crate::error::{GraphError, Refusal};
use crate::form::FormFile;
use crate::raw::RawFile;
use crate::retry::{Pacing, Pauses, RetryPolicy, SystemPacing};
use crate::{signature, tls};

/// Largest answer, in bytes; a page of templates is the largest in practice, and far smaller.
const MAX_BODY: usize = 8 * 1024 * 1024;
/// Lifetime of an idle connection.
const IDLE: Duration = Duration::from_mins(1);

/// Time limit of an upload; the largest file has 100 MB.
const UPLOAD: Duration = Duration::from_mins(2);

/// Address, version and policy of the calls to a network.
#[derive(Debug, Clone)]
pub struct Config {
    /// Address without the version, such as `https://graph.facebook.com`. Plain `http` only on loopback.
    pub base_url: Url,
    /// Path segment of the version, such as `v25.0`.
    pub version: String,
    /// Secret of the app; if set, every call carries its proof.
    pub app_secret: Option<SecretString>,
    /// Product whose error codes to expect.
    pub surface: Surface,
    /// Time limit of one try, from connecting to the last byte; half of it is for connecting.
    pub timeout: Duration,
    pub retry: RetryPolicy,
}

/// Reason why the client could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("the network's address must be https, or http on loopback")]
    BaseUrl,
    /// No trusted certificate.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// Anything else of the HTTP library.
    #[error("the HTTP client cannot be set up: {0}")]
    Http(#[from] reqwest::Error),
}

/// Client of the Graph API. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct GraphClient {
    http: Client,
    config: Arc<Config>,
    pacing: Arc<dyn Pacing>,
}

/// Registers the metrics of calls to the networks at zero, so that the first call of an outcome is an
/// increase.
pub fn count_from_zero() {
    for outcome in ["answered", "not_sent", "refused", "unknown"] {
        calls(outcome).increment(0);
    }
}

fn calls(outcome: &'static str) -> metrics::Counter {
    metrics::counter!("messaging_network_calls_total", "outcome" => outcome)
}

impl GraphClient {
    /// Makes a client that waits in real time.
    pub fn new(config: Config) -> Result<Self, ConfigError> {
        Self::with_pacing(config, Arc::new(SystemPacing))
    }

    /// Makes a client whose pauses are those of `pacing`.
    pub fn with_pacing(config: Config, pacing: Arc<dyn Pacing>) -> Result<Self, ConfigError> {
        if !is_safe(&config.base_url) {
            return Err(ConfigError::BaseUrl);
        }
        let is_https = config.base_url.scheme() == "https";
        let http = Client::new(Options {
            https_only: is_https,
            timeout: Some(config.timeout),
            // Shorter than the whole, so that a connection that never came is seen as one.
            connect_timeout: Some(config.timeout / 2),
            idle: IDLE,
            ..tls::options(is_https)?
        })?;
        Ok(Self { http, config: Arc::new(config), pacing })
    }

    /// Reads `path` (below the version, such as `1234/message_templates`).
    pub async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        token: &SecretString,
    ) -> Result<T, GraphError> {
        self.call(Method::GET, path, query, None, token).await
    }

    /// Reads `path` with the credentials in the query, in a single try: what they hold may be valid only
    /// once.
    pub async fn get_without_token<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
    ) -> Result<T, GraphError> {
        let mut url = self.address(path)?;
        url.query_pairs_mut().extend_pairs(query);
        let answer =
            self.exchange(self.http.request(Method::GET, url).header(ACCEPT, "application/json")).await?;
        serde_json::from_slice(&answer)
            .map_err(|_| GraphError::unknown("the network's answer cannot be read"))
    }

    /// Posts `body` to `path`. However often it is tried, it reaches the network at most once.
    pub async fn post_json<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &(impl Serialize + Sync),
        token: &SecretString,
    ) -> Result<T, GraphError> {
        let body = serde_json::to_vec(body)
            .map_err(|_| GraphError::not_sent("the request cannot be written as JSON", None))?;
        self.call(Method::POST, path, &[], Some(body.into()), token).await
    }

    /// Posts to `path` with a query and no body.
    pub async fn post_query<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        token: &SecretString,
    ) -> Result<T, GraphError> {
        self.call(Method::POST, path, query, None, token).await
    }

    /// Deletes what `path` and `query` name.
    pub async fn delete<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        token: &SecretString,
    ) -> Result<T, GraphError> {
        self.call(Method::DELETE, path, query, None, token).await
    }

    /// Sends all bytes of an upload `session`, whose address may have a query. As with
    /// [`GraphClient::post_file`], an upload alone reaches nobody.
    pub async fn post_raw<T: DeserializeOwned>(
        &self,
        session: &str,
        file: RawFile,
        token: &SecretString,
    ) -> Result<T, GraphError> {
        let (path, query) = session.split_once('?').unwrap_or((session, ""));
        let query: Vec<_> = form_urlencoded::parse(query.as_bytes()).collect();
        let query: Vec<(&str, &str)> = query.iter().map(|(name, value)| (&**name, &**value)).collect();
        let url = self.url(path, &query, token)?;
        let mut headers = headers(token, false)?;
        let scheme = HeaderValue::from_str(&format!("OAuth {}", token.expose_secret()));
        let mut scheme = scheme.map_err(|_| GraphError::not_sent("the token cannot be written", None))?;
        scheme.set_sensitive(true);
        headers.insert(AUTHORIZATION, scheme);
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(file.content_type));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(file.size));
        headers.insert("file_offset", HeaderValue::from_static("0"));
        let request = self.http.request(Method::POST, url).timeout(UPLOAD).headers(headers).body(file.bytes);
        let answer = self.exchange(request).await?;
        serde_json::from_slice(&answer)
            .map_err(|_| GraphError::unknown("the network's answer cannot be read"))
    }

    /// Uploads a file to `path`, as a form with `fields` before it. An upload alone reaches nobody, so the
    /// caller may repeat it whatever became of it; here it is tried once, since its bytes can be read once.
    pub async fn post_file<T: DeserializeOwned>(
        &self,
        path: &str,
        fields: &[(&str, &str)],
        file: FormFile,
        token: &SecretString,
    ) -> Result<T, GraphError> {
        let url = self.url(path, &[], token)?;
        let request = self.http.request(Method::POST, url).timeout(UPLOAD);
        let request = request.headers(headers(token, false)?).multipart(file.form(fields)?);
        let answer = self.exchange(request).await?;
        serde_json::from_slice(&answer)
            .map_err(|_| GraphError::unknown("the network's answer cannot be read"))
    }

    pub(crate) fn http(&self) -> &Client {
        &self.http
    }

    pub(crate) fn base_url(&self) -> &Url {
        &self.config.base_url
    }

    async fn call<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<Bytes>,
        token: &SecretString,
    ) -> Result<T, GraphError> {
        let url = self.url(path, query, token)?;
        let headers = headers(token, body.is_some())?;
        let mut pauses = Pauses::new(self.config.retry);
        loop {
            let mut request = self.http.request(method.clone(), url.clone()).headers(headers.clone());
            if let Some(body) = &body {
                request = request.body(body.clone());
            }
            match self.exchange(request).await {
                Ok(answer) => {
                    return serde_json::from_slice(&answer)
                        .map_err(|_| GraphError::unknown("the network's answer cannot be read"));
                }
                Err(GraphError::NotSent { reason, retry_after }) => {
                    match pauses.after_failure(retry_after, self.pacing.jitter()) {
                        Some(pause) => self.pacing.pause(pause).await,
                        None => return Err(GraphError::NotSent { reason, retry_after }),
                    }
                }
                Err(other) => return Err(other),
            }
        }
    }

    /// Makes one call. A trace shows its duration and status alone: a path or a query may name a person.
    async fn exchange(&self, request: reqwest::RequestBuilder) -> Result<Bytes, GraphError> {
        let span = tracing::info_span!("network", http.response.status_code = Empty);
        let began = Instant::now();
        let exchanged = self.exchanged(request).instrument(span).await;
        let outcome = match &exchanged {
            Ok(_) => "answered",
            Err(GraphError::NotSent { .. }) => "not_sent",
            Err(GraphError::Refused(_)) => "refused",
            Err(GraphError::Unknown { .. }) => "unknown",
        };
        calls(outcome).increment(1);
        metrics::histogram!("messaging_network_call_seconds").record(began.elapsed().as_secs_f64());
        exchanged
    }

    async fn exchanged(&self, request: reqwest::RequestBuilder) -> Result<Bytes, GraphError> {
        let mut answer = self.http.send(request).await.map_err(|error| broken(&error))?;
        let mut body = BytesMut::new();
        let status = answer.status();
        trace_context::note(&Span::current(), "http.response.status_code", i64::from(status.as_u16()));
        while let Some(chunk) = answer.chunk().await.map_err(|error| cut(&error))? {
            if body.len() + chunk.len() > MAX_BODY {
                return Err(GraphError::unknown("the network's answer is too large"));
            }
            body.extend_from_slice(&chunk);
        }
        if status.is_success() {
            Ok(body.freeze())
        } else {
            Err(answer::failure(status.as_u16(), answer.headers(), &body, self.config.surface))
        }
    }

    fn address(&self, path: &str) -> Result<Url, GraphError> {
        let mut url = self.config.base_url.clone();
        url.path_segments_mut()
            .map_err(|()| GraphError::not_sent("the network's address takes no path", None))?
            .pop_if_empty()
            .push(&self.config.version)
            .extend(path.split('/').filter(|segment| !segment.is_empty()));
        Ok(url)
    }

    fn url(&self, path: &str, query: &[(&str, &str)], token: &SecretString) -> Result<Url, GraphError> {
        let mut url = self.address(path)?;
        let proof = self.config.app_secret.as_ref().map(|secret| signature::appsecret_proof(secret, token));
        if !query.is_empty() || proof.is_some() {
            url.query_pairs_mut()
                .extend_pairs(query)
                .extend_pairs(proof.as_deref().map(|proof| ("appsecret_proof", proof)));
        }
        Ok(url)
    }
}

impl fmt::Debug for GraphClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GraphClient").field("config", &self.config).finish_non_exhaustive()
    }
}

fn headers(token: &SecretString, has_body: bool) -> Result<HeaderMap, GraphError> {
    let mut headers = HeaderMap::new();
    headers.insert(AUTHORIZATION, bearer(token)?);
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    if has_body {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    Ok(headers)
}

/// Makes the `Authorization` header. A token that no header can carry is refused as the network would refuse
/// a wrong one.
pub(crate) fn bearer(token: &SecretString) -> Result<HeaderValue, GraphError> {
    let mut value = HeaderValue::from_str(&format!("Bearer {}", token.expose_secret())).map_err(|_| {
        GraphError::Refused(Refusal {
            code: 190,
            subcode: None,
            message: "the access token has characters that no token has".to_owned(),
            details: None,
            class: Class::Channel,
        })
    })?;
    value.set_sensitive(true);
    Ok(value)
}

/// Classifies a failed exchange. Only a connection that was never made is certain to have carried nothing:
/// one that breaks later, even before an answer, may have delivered the request.
fn broken(error: &Error) -> GraphError {
    if let Some(wrong) = untrusted(error) {
        GraphError::not_sent(format!("the certificate of the network is not trusted: {wrong}"), None)
    } else if error.is_connect() {
        GraphError::not_sent("no connection to the network could be made", None)
    } else if matches!(error, Error::Request(_)) {
        GraphError::not_sent("the request could not be built", None)
    } else {
        unfinished(error.is_timeout())
    }
}

/// Classifies an answer whose rest does not come.
fn cut(error: &reqwest::Error) -> GraphError {
    unfinished(error.is_timeout())
}

fn unfinished(is_timeout: bool) -> GraphError {
    GraphError::unknown(if is_timeout {
        "no complete answer within the time limit"
    } else {
        "the connection broke before the answer was complete"
    })
}

/// Returns whether secrets may be sent to `url`: by `https`, or on this machine.
pub fn is_safe(url: &Url) -> bool {
    url.scheme() == "https" || is_loopback_http(url)
}

pub(crate) fn is_loopback_http(url: &Url) -> bool {
    url.scheme() == "http"
        && match url.host() {
            Some(Host::Ipv4(address)) => address.is_loopback(),
            Some(Host::Ipv6(address)) => address.is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        }
}
