//! The client.

use std::{
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use http::header::{ACCEPT, HeaderValue};
use http_body::{Body, Frame, SizeHint};
use hyper::body::{Bytes, Incoming};
use hyper_util::{
    client::legacy::{self, connect::HttpConnector},
    rt::{TokioExecutor, TokioTimer},
};
use reqwest::{Method, Request, RequestBuilder, Response, Url, dns::Resolve};
use rustls::{ClientConfig, RootCertStore, crypto::ring};
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};

use crate::{
    connector::{Connector, Names},
    exchange::Exchange,
    wire::TooMuch,
};

/// Average size, in bytes, of a body's pieces once there are many: each takes the same time, whatever it holds.
const LEAST_PIECE: usize = 64;
/// Pieces of a body that may be smaller, in any answer and in the largest.
const PIECES: [usize; 2] = [256, 20_000];

/// How often the system looks whether the other side of a silent connection is there.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How a client connects, and what it bears.
pub struct Options {
    /// Whom it trusts. HTTP/2 is spoken where its protocols name it.
    pub tls: ClientConfig,
    /// Where names are looked up; `None` for the operating system.
    pub resolver: Option<Arc<dyn Resolve>>,
    /// Whether it refuses to call without TLS.
    pub https_only: bool,
    /// For a look-up, a connection and TLS together.
    pub connect_timeout: Option<Duration>,
    /// For a whole exchange, unless its request says otherwise.
    pub timeout: Option<Duration>,
    /// How long idle connections are kept.
    pub idle: Duration,
    /// Idle connections that are kept for one host.
    pub idle_per_host: usize,
    /// Most bytes of one answer on the wire, over HTTP/1.
    pub answer_bytes: usize,
}

impl Options {
    /// For a server that is called without TLS: nobody is trusted.
    ///
    /// # Errors
    /// Of rustls.
    pub fn without_tls() -> Result<Self, rustls::Error> {
        let provider = Arc::new(ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        Ok(Self::new(tls.with_root_certificates(RootCertStore::empty()).with_no_client_auth()))
    }

    /// Trusting whom `tls` trusts, without time limits, and with answers of any length.
    pub fn new(tls: ClientConfig) -> Self {
        Self {
            tls,
            resolver: None,
            https_only: false,
            connect_timeout: None,
            timeout: None,
            idle: Duration::from_secs(90),
            idle_per_host: usize::MAX,
            answer_bytes: usize::MAX,
        }
    }
}

/// Calls strangers. Cheap to clone; clones share their connections. It follows no redirect, uses no proxy and unpacks
/// nothing.
#[derive(Debug, Clone)]
pub struct Client {
    /// Writes requests; it makes no connection.
    writer: reqwest::Client,
    http: legacy::Client<Connector, reqwest::Body>,
    timeout: Option<Duration>,
    /// Pieces of a body that may be small.
    pieces: usize,
}

/// An exchange came to no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request cannot be written.
    #[error("the request cannot be written")]
    Request(#[source] reqwest::Error),
    /// No answer in time.
    #[error("no answer within the time limit")]
    Timeout,
    /// The connection was not made, or broke.
    #[error("the exchange broke off")]
    Exchange(#[source] legacy::Error),
}

impl Error {
    /// Whether no connection was made, so that nothing was sent.
    pub fn is_connect(&self) -> bool {
        matches!(self, Self::Exchange(error) if error.is_connect())
    }

    /// Whether the time was up.
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout)
    }
}

impl Client {
    /// Makes a client; nothing is called yet.
    ///
    /// # Errors
    /// Of reqwest, when it cannot write requests.
    pub fn new(options: Options) -> reqwest::Result<Self> {
        let Options {
            tls,
            resolver,
            https_only,
            connect_timeout,
            timeout,
            idle,
            idle_per_host,
            answer_bytes,
        } = options;
        let writer = reqwest::Client::builder().tls_backend_preconfigured(tls.clone()).no_proxy().build()?;
        let mut tcp = HttpConnector::new_with_resolver(Names(resolver));
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        // A kept connection whose other side is gone without a word is noticed before a request is sent on it.
        tcp.set_keepalive(Some(KEEP_ALIVE));
        tcp.set_keepalive_interval(Some(KEEP_ALIVE));
        tcp.set_keepalive_retries(Some(3));
        let tls = Arc::new(tls);
        let connector = Connector { tcp, tls, https_only, within: connect_timeout, answer_bytes };
        let pieces = (answer_bytes / LEAST_PIECE).clamp(PIECES[0], PIECES[1]);
        let http = legacy::Client::builder(TokioExecutor::new())
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(idle)
            .pool_max_idle_per_host(idle_per_host)
            .build(connector);
        Ok(Self { writer, http, timeout, pieces })
    }

    /// Begins to write a request, for [`Client::send`].
    pub fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.writer.request(method, url)
    }

    /// Sends `request` as [`Client::execute`] does.
    ///
    /// # Errors
    /// [`Error`].
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, Error> {
        self.execute(request.build().map_err(Error::Request)?).await
    }

    /// Sends `request` and gives the answer once its head is there. Its time limit holds for the body as well.
    ///
    /// # Errors
    /// [`Error`]. A status is no error, whatever it is.
    pub async fn execute(&self, request: Request) -> Result<Response, Error> {
        let exchange = Exchange::begun(request.method(), request.url());
        let answered = self.executed(request).await;
        match &answered {
            Ok(answer) => exchange.answered(answer.status()),
            Err(error) => exchange.broke(error),
        }
        answered
    }

    async fn executed(&self, mut request: Request) -> Result<Response, Error> {
        let until = request.timeout().copied().or(self.timeout).map(|within| Instant::now() + within);
        request.headers_mut().entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
        let request = http::Request::try_from(request).map_err(Error::Request)?;
        let exchanged = self.http.request(request);
        let answered = match until {
            Some(until) => timeout_at(until, exchanged).await.map_err(|_| Error::Timeout)?,
            None => exchanged.await,
        };
        let (head, incoming) = answered.map_err(Error::Exchange)?.into_parts();
        let body = Coming {
            incoming,
            may_be_small: self.pieces,
            pieces: 0,
            bytes: 0,
            time_is_up: until.map(|until| Box::pin(sleep_until(until))),
        };
        Ok(http::Response::from_parts(head, reqwest::Body::wrap(body)).into())
    }
}

/// A body that breaks off when the time is up, or where it comes in crumbs.
struct Coming {
    incoming: Incoming,
    may_be_small: usize,
    pieces: usize,
    bytes: usize,
    time_is_up: Option<Pin<Box<Sleep>>>,
}

impl Body for Coming {
    type Data = Bytes;
    type Error = Box<dyn std::error::Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        // First, so that a body that never pauses ends in time as well.
        if let Some(time_is_up) = &mut self.time_is_up
            && time_is_up.as_mut().poll(context).is_ready()
        {
            return Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::TimedOut).into())));
        }
        let frame = ready!(Pin::new(&mut self.incoming).poll_frame(context));
        if let Some(bytes) = frame.as_ref().and_then(|frame| frame.as_ref().ok()?.data_ref()) {
            self.pieces += 1;
            self.bytes += bytes.len();
            if self.pieces > self.may_be_small && self.bytes / self.pieces < LEAST_PIECE {
                return Poll::Ready(Some(Err(TooMuch.into())));
            }
        }
        Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
    }

    fn is_end_stream(&self) -> bool {
        self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.incoming.size_hint()
    }
}
