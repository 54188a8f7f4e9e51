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
    error::{Error, TooMuch},
    exchange::Exchange,
};

/// Least average size, in bytes, of a body's pieces once there are many: each costs the same time, whatever
/// it holds.
const LEAST_PIECE: usize = 64;
/// Number of a body's pieces that may be smaller: at least, for any answer, and at most, for the largest.
const PIECES: [usize; 2] = [256, 20_000];

/// Interval between keep-alive probes on a silent connection.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// Trust, resolver and bounds of a client.
pub struct Options {
    /// Trusted authorities. HTTP/2 is spoken if its ALPN protocols name it.
    pub tls: ClientConfig,
    /// `None` for the operating system.
    pub resolver: Option<Arc<dyn Resolve>>,
    /// Whether calls without TLS are refused.
    pub https_only: bool,
    /// Deadline for look-up, connection and TLS together.
    pub connect_timeout: Option<Duration>,
    /// Deadline for a whole exchange, unless its request has its own.
    pub timeout: Option<Duration>,
    /// Lifetime of an idle connection.
    pub idle: Duration,
    /// Idle connections kept for one host.
    pub idle_per_host: usize,
    /// Largest answer on the wire, in bytes, over HTTP/1.
    pub answer_bytes: usize,
}

impl Options {
    /// Makes options for a server that is called without TLS: nobody is trusted.
    pub fn without_tls() -> Result<Self, rustls::Error> {
        let provider = Arc::new(ring::default_provider());
        let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()?;
        Ok(Self::new(tls.with_root_certificates(RootCertStore::empty()).with_no_client_auth()))
    }

    /// Makes options that trust whom `tls` trusts, without time limits, for answers of any length.
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

/// HTTP client for strangers. Cheap to clone; clones share their connections. Follows no redirect, uses no
/// proxy and decompresses nothing.
#[derive(Debug, Clone)]
pub struct Client {
    /// Builder of requests; makes no connection.
    writer: reqwest::Client,
    http: legacy::Client<Connector, reqwest::Body>,
    timeout: Option<Duration>,
    /// Number of a body's pieces that may be small.
    pieces: usize,
}

impl Client {
    /// Makes a client; nothing is called yet.
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
        // So a dead peer is noticed before a request is sent on a kept connection.
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

    /// Begins a request for [`Client::send`].
    pub fn request(&self, method: Method, url: Url) -> RequestBuilder {
        self.writer.request(method, url)
    }

    /// Builds `request` and sends it as [`Client::execute`] does.
    pub async fn send(&self, request: RequestBuilder) -> Result<Response, Error> {
        self.execute(request.build().map_err(Error::Request)?).await
    }

    /// Sends `request` and returns the answer once its head is there; no status is an error. The time limit
    /// covers the body as well.
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

/// Body that breaks off when the time is up or its pieces are too small.
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
