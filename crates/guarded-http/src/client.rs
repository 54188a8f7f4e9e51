//! The client.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bounded_http::Options as ConnectionOptions;
use bytes::{Bytes, BytesMut};
use reqwest::header::{HeaderMap, LOCATION};
use reqwest::{Method, StatusCode};
use tls_trust::Trust;
use tokio::time::Instant;
use url::{Host, Url};

use crate::error::{BuildError, CallError};
use crate::policy::{Policy, Scheme, scheme_of};
use crate::resolver::{Resolver, SystemResolver, VettedResolver};

/// Lifetime of an idle connection. Many servers (Node.js, for one) close theirs after 5 s, and a request that
/// crosses with the close fails; others wait for a minute and more.
const IDLE: Duration = Duration::from_secs(4);
/// Idle connections kept for one host: as many as may be busy there at once, so that none is opened in vain.
const IDLE_PER_HOST: usize = 64;
/// Bytes on the wire that an answer may have besides its body.
const BESIDE_BODY: usize = 256 * 1024;
/// Largest buffer reserved for an announced body; a longer body grows it as it comes.
const MOST_SET_ASIDE: usize = 65_536;

/// Bounds of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Deadline of the whole call: look-up, connection, headers, body and redirects.
    pub timeout: Duration,
    /// Largest body, in bytes, that is read; the rest is left unread.
    pub max_body: usize,
    /// Largest number of redirects followed: of a GET or HEAD any, of another method 307 and 308 within the
    /// origin. A redirect that is not followed is itself the answer; with 0, every one is.
    pub max_redirects: u8,
}

/// Resolver and trusted authorities of a client.
pub struct Options {
    pub resolver: Arc<dyn Resolver>,
    /// Authorities whose certificates are accepted.
    pub trust: Trust,
}

impl Default for Options {
    fn default() -> Self {
        Self { resolver: Arc::new(SystemResolver), trust: Trust::default() }
    }
}

/// One call. The URL's fragment is not sent.
#[derive(Clone)]
pub struct Request {
    pub method: Method,
    pub url: Url,
    /// All headers but those of the transfer itself. A redirect to another origin drops them: they may hold
    /// secrets.
    pub headers: HeaderMap,
    /// Empty for none.
    pub body: Bytes,
}

/// Shows the method and the host alone: path, headers and body may hold secrets.
impl fmt::Debug for Request {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("method", &self.method)
            .field("host", &self.url.host_str())
            .finish_non_exhaustive()
    }
}

/// An answer of any status.
#[derive(Clone)]
pub struct Response {
    pub status: StatusCode,
    pub headers: HeaderMap,
    /// At most [`Limits::max_body`] bytes.
    pub body: Bytes,
    /// Whether the body was longer than `max_body`, or than the room given to [`Received::within`].
    pub body_truncated: bool,
    /// Whether a redirect that was followed led to another origin. The requests after it carried no header of
    /// the caller's, so a refusal for missing credentials says nothing about those credentials.
    pub left_origin: bool,
}

impl Response {
    /// Returns the target of this answer to a request for `from`, if it is a redirect with a usable address.
    pub fn redirect_from(&self, from: &Url) -> Option<Url> {
        let redirects = matches!(self.status.as_u16(), 301 | 302 | 303 | 307 | 308);
        let location = self.headers.get(LOCATION).filter(|_| redirects)?;
        from.join(location.to_str().ok()?).ok()
    }

    /// Returns the body if it was read whole.
    ///
    /// # Errors
    /// [`CallError::BodyTooLarge`] when it was cut.
    pub fn whole_body(self) -> Result<Bytes, CallError> {
        if self.body_truncated { Err(CallError::BodyTooLarge) } else { Ok(self.body) }
    }
}

/// Shows the status and the body's length alone.
impl fmt::Debug for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Response")
            .field("status", &self.status)
            .field("body_bytes", &self.body.len())
            .field("body_truncated", &self.body_truncated)
            .finish_non_exhaustive()
    }
}

/// An answer whose head has come; its body is optional.
pub struct Answer {
    incoming: reqwest::Response,
    body: BytesMut,
    is_whole: bool,
    limits: Limits,
    until: Instant,
}

impl Answer {
    /// Returns the status.
    pub fn status(&self) -> StatusCode {
        self.incoming.status()
    }

    /// Returns the headers.
    pub fn headers(&self) -> &HeaderMap {
        self.incoming.headers()
    }

    /// Reads the body until it ends or breaks off, [`Limits::max_body`] is reached, or the call's time is up.
    /// Dropping the future keeps what was read so far.
    pub async fn read(&mut self) {
        let coming = async {
            while let Ok(chunk) = self.incoming.chunk().await {
                let Some(chunk) = chunk else { return true };
                let left = self.limits.max_body.saturating_sub(self.body.len());
                self.body.extend_from_slice(chunk.get(..left).unwrap_or(&chunk));
                if chunk.len() > left {
                    break;
                }
            }
            false
        };
        // Whatever ended the reading, `body` holds what came.
        self.is_whole = tokio::time::timeout_at(self.until, coming).await.unwrap_or(false);
    }

    /// Returns whether all of the body was read.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// Returns what was read of the body.
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

/// Shows the status alone, with the number of bytes read of the body.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status())
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// Memory budget for answers as they come, shared by calls to many strangers at once.
pub trait AnswerRoom: fmt::Debug + Send + Sync {
    /// Reserves `bytes` for the answer in place of what it held before; `false` if there is no room. Never
    /// refuses fewer bytes than before.
    fn holds(&self, bytes: usize) -> bool;
}

/// Progress of an answer, readable while it comes and after a call that broke or was given up.
#[derive(Debug, Default)]
pub struct Received {
    /// Bytes of the body plus one; 0 before an answer has begun.
    beyond: AtomicUsize,
    /// `None` for an answer bounded by [`Limits::max_body`] alone.
    room: Option<Box<dyn AnswerRoom>>,
}

impl Received {
    /// Makes a progress whose answer is cut where `room` has none left, as at [`Limits::max_body`].
    pub fn within(room: impl AnswerRoom + 'static) -> Self {
        Self { beyond: AtomicUsize::default(), room: Some(Box::new(room)) }
    }

    /// Returns how many bytes of the last answer's body were read; `None` if no answer has begun.
    pub fn bytes(&self) -> Option<usize> {
        self.beyond.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Reserves room for `bytes` of the body and notes them; `false` if there is none.
    fn has(&self, bytes: usize) -> bool {
        let fits = self.room.as_ref().is_none_or(|room| room.holds(bytes));
        if fits {
            self.beyond.store(bytes.saturating_add(1), Ordering::Relaxed);
        }
        fits
    }
}

/// HTTP client for addresses that customers typed. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct GuardedClient {
    policy: Arc<Policy>,
    limits: Limits,
    https: SchemeClient,
    http: SchemeClient,
}

/// Connections of one scheme, with the resolver that judges by it.
#[derive(Clone)]
struct SchemeClient {
    client: bounded_http::Client,
    resolver: VettedResolver,
}

impl GuardedClient {
    /// Makes a client with the system's resolver and root certificates.
    ///
    /// [`BuildError`] when the system has no root certificates.
    pub fn new(policy: Policy, limits: Limits) -> Result<Self, BuildError> {
        Self::with_options(policy, limits, Options::default())
    }

    /// Makes a client with the caller's resolver and trusted authorities.
    pub fn with_options(policy: Policy, limits: Limits, options: Options) -> Result<Self, BuildError> {
        let Options { resolver, trust } = options;
        let policy = Arc::new(policy);
        let mut tls = trust.client_config()?;
        // Over HTTP/2 answers share a connection, and frames that carry nothing cannot be counted for one
        // answer.
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let client_for = |scheme| -> Result<SchemeClient, BuildError> {
            let resolver =
                VettedResolver { inner: Arc::clone(&resolver), policy: Arc::clone(&policy), scheme };
            let client = bounded_http::Client::new(ConnectionOptions {
                resolver: Some(Arc::new(resolver.clone())),
                https_only: scheme == Scheme::Https,
                idle: IDLE,
                idle_per_host: IDLE_PER_HOST,
                // An answer in chunks or TLS records of a few bytes each would exceed it, and costs more time
                // than it is worth.
                answer_bytes: BESIDE_BODY.saturating_add(limits.max_body.saturating_mul(2)),
                ..ConnectionOptions::new(tls.clone())
            })?;
            Ok(SchemeClient { client, resolver })
        };
        Ok(Self { limits, https: client_for(Scheme::Https)?, http: client_for(Scheme::Http)?, policy })
    }

    /// Judges `url` as a call would, look-up included, without calling it: for the moment it is registered.
    pub async fn check(&self, url: &Url) -> Result<(), CallError> {
        let client = self.client_for(url)?;
        let Some(Host::Domain(host)) = url.host() else { return Ok(()) };
        let found = tokio::time::timeout(self.limits.timeout, client.resolver.resolve_host(host)).await;
        match found.map_err(|_| CallError::Timeout)? {
            Ok(_) => Ok(()),
            Err(error) => {
                Err(error.downcast().map_or(CallError::Dns, |forbidden| CallError::Forbidden(*forbidden)))
            }
        }
    }

    /// Sends `request` at most once and reads the answer; no status is an error.
    pub async fn send(&self, request: Request) -> Result<Response, CallError> {
        self.send_counting(request, &Received::default()).await
    }

    /// Sends `request` as [`GuardedClient::send`] does and notes in `received` how much has come.
    pub async fn send_counting(&self, request: Request, received: &Received) -> Result<Response, CallError> {
        tokio::time::timeout(self.limits.timeout, self.follow(request, received))
            .await
            .map_err(|_| CallError::Timeout)?
    }

    /// Sends `request` at most once, follows no redirect, and returns once the answer's head is there, the
    /// body unread. No status is an error.
    pub async fn begin(&self, request: &Request) -> Result<Answer, CallError> {
        let until = Instant::now() + self.limits.timeout;
        let incoming = tokio::time::timeout_at(until, self.ask(request));
        let incoming = incoming.await.map_err(|_| CallError::Timeout)??;
        Ok(Answer { incoming, body: BytesMut::new(), is_whole: false, limits: self.limits, until })
    }

    async fn follow(&self, mut request: Request, received: &Received) -> Result<Response, CallError> {
        let mut followed = 0;
        let mut left_origin = false;
        loop {
            let response = Response { left_origin, ..self.exchange(&request, received).await? };
            let target = response.redirect_from(&request.url).filter(|_| self.limits.max_redirects > 0);
            let Some(target) = target else { return Ok(response) };
            let leaves = target.origin() != request.url.origin();
            if !may_follow(&request.method, response.status, leaves) {
                return Ok(response);
            }
            if followed == self.limits.max_redirects {
                return Err(CallError::TooManyRedirects);
            }
            followed += 1;
            if leaves {
                left_origin = true;
                request.headers.clear();
            }
            request.url = target;
        }
    }

    async fn exchange(&self, request: &Request, received: &Received) -> Result<Response, CallError> {
        let mut answer = self.ask(request).await?;
        // Only a hint, capped: no stranger's word reserves much memory.
        let announced = answer.content_length().and_then(|bytes| usize::try_from(bytes).ok());
        let mut body = BytesMut::with_capacity(announced.unwrap_or_default().min(MOST_SET_ASIDE));
        let mut body_truncated = false;
        received.has(0);
        while let Some(chunk) = answer.chunk().await.map_err(|error| CallError::of_body(&error))? {
            let left = self.limits.max_body - body.len();
            let taken = chunk.get(..left).unwrap_or(&chunk);
            let fits = received.has(body.len() + taken.len());
            if fits {
                body.extend_from_slice(taken);
            }
            if !fits || chunk.len() > left {
                body_truncated = true;
                break;
            }
        }
        let headers = std::mem::take(answer.headers_mut());
        Ok(Response {
            status: answer.status(),
            headers,
            body: body.freeze(),
            body_truncated,
            left_origin: false,
        })
    }

    /// Sends `request` and returns the answer once its head is there.
    async fn ask(&self, request: &Request) -> Result<reqwest::Response, CallError> {
        let client = &self.client_for(&request.url)?.client;
        let mut sent = reqwest::Request::new(request.method.clone(), request.url.clone());
        sent.headers_mut().clone_from(&request.headers);
        *sent.body_mut() = Some(request.body.clone().into());
        client.execute(sent).await.map_err(|error| CallError::of_http(&error))
    }

    /// Returns the client for the scheme of `url`, once its text passes the policy.
    fn client_for(&self, url: &Url) -> Result<&SchemeClient, CallError> {
        Ok(match scheme_of(url, &self.policy)? {
            Scheme::Https => &self.https,
            Scheme::Http => &self.http,
        })
    }
}

impl fmt::Debug for GuardedClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GuardedClient")
            .field("policy", &self.policy)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// Returns whether a redirect may be followed: a body never leaves its origin, and never goes with another
/// method.
fn may_follow(method: &Method, status: StatusCode, leaves: bool) -> bool {
    matches!(*method, Method::GET | Method::HEAD) || (!leaves && matches!(status.as_u16(), 307 | 308))
}
