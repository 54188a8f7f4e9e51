//! HTTP client of a bucket.

use std::time::Duration;

use async_trait::async_trait;
use bounded_http::{Client, Options, TooMuch};
use http_body_util::BodyExt as _;
use object_store::{
    ClientOptions, Error, Result,
    client::{
        HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
        HttpService,
    },
};
use reqwest::{
    Body, Request,
    header::{HeaderValue, USER_AGENT},
};
use tls_trust::{Trust, cause};

/// User agent of its requests.
const CALLER: HeaderValue = HeaderValue::from_static("Messaging-Service/1.0");

/// Builds clients that trust the same authorities as this service.
#[derive(Debug)]
pub(crate) struct Trusting {
    pub(crate) trust: Trust,
    /// Time limit of one call.
    pub(crate) call: Duration,
    /// Time limit of a connection.
    pub(crate) connect: Duration,
}

impl HttpConnector for Trusting {
    fn connect(&self, _: &ClientOptions) -> Result<HttpClient> {
        let failed = |source| Error::Generic { store: "S3", source };
        let tls = self.trust.client_config().map_err(|error| failed(error.into()))?;
        let client = Client::new(Options {
            timeout: Some(self.call),
            connect_timeout: Some(self.connect),
            ..Options::new(tls)
        });
        Ok(HttpClient::new(Caller(client.map_err(|error| failed(error.into()))?)))
    }
}

/// HTTP client of a bucket. Decompresses nothing, since a file's length must be that on the wire.
#[derive(Debug)]
struct Caller(Client);

#[async_trait]
impl HttpService for Caller {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let request = Request::try_from(request.map(Body::wrap));
        let mut request = request.map_err(|error| HttpError::new(HttpErrorKind::Request, error))?;
        request.headers_mut().insert(USER_AGENT, CALLER);
        let answer = self.0.execute(request).await.map_err(failed)?;
        let (head, body) = http::Response::<Body>::from(answer).into_parts();
        Ok(HttpResponse::from_parts(head, HttpResponseBody::new(body.map_err(cut))))
    }
}

/// Translates the failure of a call, so that the library can tell which calls are worth repeating.
fn failed(error: bounded_http::Error) -> HttpError {
    let kind = match () {
        () if error.is_connect() => HttpErrorKind::Connect,
        () if error.is_timeout() => HttpErrorKind::Timeout,
        () if cause::<TooMuch>(&error).is_some() => HttpErrorKind::Unknown,
        () => HttpErrorKind::Interrupted,
    };
    HttpError::new(kind, error)
}

/// Translates the failure of reading an answer's rest.
fn cut(error: reqwest::Error) -> HttpError {
    let kind = if error.is_timeout() { HttpErrorKind::Timeout } else { HttpErrorKind::Interrupted };
    HttpError::new(kind, error)
}
