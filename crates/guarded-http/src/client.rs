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

/// Idle connections are kept this long. Many servers close theirs after 5 s (Node.js, for one), and a request that crosses
/// with the close has failed; others wait for a minute and more.
const IDLE: Duration = Duration::from_secs(4);
/// Idle connections kept for one host: as many as may be busy there at once, so that none is opened in vain.
const IDLE_PER_HOST: usize = 64;
/// Bytes of an answer beside its body, on the wire.
const BESIDE_BODY: usize = 256 * 1024;
/// Bytes set aside for a body that is announced; a longer one grows as it comes.
const MOST_SET_ASIDE: usize = 65_536;

/// The bounds of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// For everything together: look-up, connection, headers, body, redirects.
    pub timeout: Duration,
    /// Bytes read of an answer's body; the rest is left unread.
    pub max_body: usize,
    /// How many redirects are followed: any of a GET or HEAD; of another method 307 and 308 within the origin. Of
    /// what is not followed, and with 0, the redirect itself is the answer.
    pub max_redirects: u8,
}

/// What a client is made of beyond policy and limits.
pub struct Options {
    /// Where host names are looked up.
    pub resolver: Arc<dyn Resolver>,
    /// Whose certificates are trusted.
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
    /// The method.
    pub method: Method,
    /// Where to.
    pub url: Url,
    /// All headers but those of the transfer itself. A redirect to another origin drops them: they may hold
    /// secrets.
    pub headers: HeaderMap,
    /// The body; empty for none.
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

/// An answer, whatever its status.
#[derive(Clone)]
pub struct Response {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The body, up to [`Limits::max_body`].
    pub body: Bytes,
    /// Whether the body was longer than that, or than there was room for; see [`Received::within`].
    pub body_truncated: bool,
    /// Whether a redirect that was followed led to another origin. From there on no header of the request was sent,
    /// so that a refusal for a lack of credentials says nothing about them.
    pub left_origin: bool,
}

impl Response {
    /// Where it sends the caller that asked `from`, if it is a redirect with a usable address.
    pub fn redirect_from(&self, from: &Url) -> Option<Url> {
        let redirects = matches!(self.status.as_u16(), 301 | 302 | 303 | 307 | 308);
        let location = self.headers.get(LOCATION).filter(|_| redirects)?;
        from.join(location.to_str().ok()?).ok()
    }

    /// The body, where only all of it is of use.
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

/// An answer whose head has come, for whom the status matters and not the body.
pub struct Answer {
    incoming: reqwest::Response,
    body: BytesMut,
    is_whole: bool,
    limits: Limits,
    until: Instant,
}

impl Answer {
    /// The status.
    pub fn status(&self) -> StatusCode {
        self.incoming.status()
    }

    /// The headers.
    pub fn headers(&self) -> &HeaderMap {
        self.incoming.headers()
    }

    /// Reads the body until it ends or breaks off, [`Limits::max_body`] is reached, or the call's time is up. What has come
    /// stays where the future is dropped.
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
        // Whatever ends it, what has come is all that there is.
        self.is_whole = tokio::time::timeout_at(self.until, coming).await.unwrap_or(false);
    }

    /// Whether all of the body was read.
    pub fn is_whole(&self) -> bool {
        self.is_whole
    }

    /// What was read of the body.
    pub fn body(&self) -> &[u8] {
        &self.body
    }
}

/// Shows the status and the length of what was read of the body alone.
impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer")
            .field("status", &self.status())
            .field("body_bytes", &self.body.len())
            .finish_non_exhaustive()
    }
}

/// Room for an answer while it comes: whoever calls many strangers at once bounds by it what their answers hold together.
pub trait AnswerRoom: fmt::Debug + Send + Sync {
    /// Sees that the answer may hold so many bytes, in place of those that it held before; `false` where there is no room for
    /// them. For fewer than before there always is.
    fn holds(&self, bytes: usize) -> bool;
}

/// How much of an answer has come, told while it comes: it is known of a call that broke or was given up, too.
#[derive(Debug, Default)]
pub struct Received {
    /// One more than the bytes of the body; 0 before an answer has begun.
    beyond: AtomicUsize,
    /// `None` is room for any answer within [`Limits::max_body`].
    room: Option<Box<dyn AnswerRoom>>,
}

impl Received {
    /// Of an answer that ends where `room` has none for more of it, as one that is larger than [`Limits::max_body`] does.
    pub fn within(room: impl AnswerRoom + 'static) -> Self {
        Self { beyond: AtomicUsize::default(), room: Some(Box::new(room)) }
    }

    /// Bytes of the last answer's body that were read; `None` where no answer has begun.
    pub fn bytes(&self) -> Option<usize> {
        self.beyond.load(Ordering::Relaxed).checked_sub(1)
    }

    /// Whether there is room for so many bytes.
    fn has(&self, bytes: usize) -> bool {
        let fits = self.room.as_ref().is_none_or(|room| room.holds(bytes));
        if fits {
            self.beyond.store(bytes.saturating_add(1), Ordering::Relaxed);
        }
        fits
    }
}

/// Calls addresses that customers typed. Cheap to clone; clones share their connections.
#[derive(Clone)]
pub struct GuardedClient {
    policy: Arc<Policy>,
    limits: Limits,
    https: SchemeClient,
    http: SchemeClient,
}

/// The connections of one scheme, with the resolver that judges by it.
#[derive(Clone)]
struct SchemeClient {
    client: bounded_http::Client,
    resolver: VettedResolver,
}

impl GuardedClient {
    /// Makes a client with the system's resolver and root certificates.
    ///
    /// # Errors
    /// [`BuildError`], when the system has no root certificates.
    pub fn new(policy: Policy, limits: Limits) -> Result<Self, BuildError> {
        Self::with_options(policy, limits, Options::default())
    }

    /// As [`GuardedClient::new`], with a resolver and trusted authorities of the caller's.
    ///
    /// # Errors
    /// [`BuildError`].
    pub fn with_options(policy: Policy, limits: Limits, options: Options) -> Result<Self, BuildError> {
        let Options { resolver, trust } = options;
        let policy = Arc::new(policy);
        let mut tls = trust.client_config()?;
        // HTTP/2 has answers share a connection, and much that says nothing: none of it can be counted for one answer.
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        let client_for = |scheme| -> Result<SchemeClient, BuildError> {
            let resolver =
                VettedResolver { inner: Arc::clone(&resolver), policy: Arc::clone(&policy), scheme };
            let client = bounded_http::Client::new(ConnectionOptions {
                resolver: Some(Arc::new(resolver.clone())),
                https_only: scheme == Scheme::Https,
                idle: IDLE,
                idle_per_host: IDLE_PER_HOST,
                // Chunks and records of TLS of a few bytes each would take more, and more of our time than they say.
                answer_bytes: BESIDE_BODY.saturating_add(limits.max_body.saturating_mul(2)),
                ..ConnectionOptions::new(tls.clone())
            })?;
            Ok(SchemeClient { client, resolver })
        };
        Ok(Self { limits, https: client_for(Scheme::Https)?, http: client_for(Scheme::Http)?, policy })
    }

    /// Judges `url` as a call would, look-up included, without calling it: for the moment it is registered.
    ///
    /// # Errors
    /// [`CallError::Forbidden`], [`CallError::Dns`], [`CallError::Timeout`].
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

    /// Sends `request` and reads the answer. Sent at most once: nothing here retries.
    ///
    /// # Errors
    /// [`CallError`]. A status is no error, whatever it is.
    pub async fn send(&self, request: Request) -> Result<Response, CallError> {
        self.send_counting(request, &Received::default()).await
    }

    /// As [`GuardedClient::send`], telling `received` what comes.
    ///
    /// # Errors
    /// As there.
    pub async fn send_counting(&self, request: Request, received: &Received) -> Result<Response, CallError> {
        tokio::time::timeout(self.limits.timeout, self.follow(request, received))
            .await
            .map_err(|_| CallError::Timeout)?
    }

    /// Sends `request` and returns once the answer's head is there; the body is still to be read. Sent at most once, and no
    /// redirect is followed.
    ///
    /// # Errors
    /// [`CallError`]. A status is no error, whatever it is.
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
        // Only as a hint, and no more than comes in one piece: nothing is set aside on the word of a stranger.
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

    /// The answer once its head is there.
    async fn ask(&self, request: &Request) -> Result<reqwest::Response, CallError> {
        let client = &self.client_for(&request.url)?.client;
        let mut sent = reqwest::Request::new(request.method.clone(), request.url.clone());
        sent.headers_mut().clone_from(&request.headers);
        *sent.body_mut() = Some(request.body.clone().into());
        client.execute(sent).await.map_err(|error| CallError::of_http(&error))
    }

    /// The connections that may carry a call to `url`, once its text passes the policy.
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

/// Whether a redirect may be followed: a body never leaves its origin, and never becomes another method's.
fn may_follow(method: &Method, status: StatusCode, leaves: bool) -> bool {
    matches!(*method, Method::GET | Method::HEAD) || (!leaves && matches!(status.as_u16(), 307 | 308))
}
