//! The client that a bucket is asked with.

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

/// Who calls.
const CALLER: HeaderValue = HeaderValue::from_static("Messaging-Service/1.0");

/// Makes clients that trust whom this service trusts.
#[derive(Debug)]
pub(crate) struct Trusting {
    pub(crate) trust: Trust,
    /// How long one call may take.
    pub(crate) call: Duration,
    /// How long a connection may take.
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

/// Asks a bucket. Nothing is unpacked on the way: it says how long a file is.
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

/// Why a call came to no answer: what may come to one when it is made again is told from what will not.
fn failed(error: bounded_http::Error) -> HttpError {
    let kind = match () {
        () if error.is_connect() => HttpErrorKind::Connect,
        () if error.is_timeout() => HttpErrorKind::Timeout,
        () if cause::<TooMuch>(&error).is_some() => HttpErrorKind::Unknown,
        () => HttpErrorKind::Interrupted,
    };
    HttpError::new(kind, error)
}

/// Why the rest of an answer does not come.
fn cut(error: reqwest::Error) -> HttpError {
    let kind = if error.is_timeout() { HttpErrorKind::Timeout } else { HttpErrorKind::Interrupted };
    HttpError::new(kind, error)
}
