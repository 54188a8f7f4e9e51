//! Errors of calls.

use std::{error::Error, io};

use bounded_http::{LookUpFailed, TooMuch};
use rustix::io::Errno;
use tls_trust::{TrustError, cause, rustls, untrusted};

use crate::policy::Forbidden;

/// Reason why a client could not be made.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// No trusted certificate.
    #[error(transparent)]
    Trust(#[from] TrustError),
    /// Anything else of the HTTP library.
    #[error("the HTTP client cannot be set up: {0}")]
    Http(#[from] reqwest::Error),
}

/// Reason why a call came to no answer. The texts name neither the address nor what was sent, so they may be
/// logged and shown to the address's owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The policy refuses the address; nothing was connected to.
    #[error("{0}")]
    Forbidden(#[from] Forbidden),
    /// This machine lacks the files, sockets or memory for another connection. No byte of the request was
    /// written.
    #[error("this machine can open no further connection")]
    Exhausted,
    #[error("the host name could not be resolved")]
    Dns,
    #[error("the connection was refused")]
    Refused,
    /// The connection could not be made for another reason.
    #[error("no connection could be made")]
    Connect,
    /// The host's certificate is not trusted, with what is wrong with it.
    #[error("the certificate is not trusted: {0}")]
    Untrusted(&'static str),
    #[error("TLS failed: {0}")]
    Tls(String),
    /// The whole exchange took longer than [`crate::Limits::timeout`].
    #[error("no complete answer within the time limit")]
    Timeout,
    #[error("the answer is larger than the limit")]
    BodyTooLarge,
    #[error("too many redirects")]
    TooManyRedirects,
    /// More came before the final head, in it, or around the body than `bounded-http` lets through.
    #[error("more came than an answer has")]
    TooMuch,
    /// The connection broke, or what came was not HTTP.
    #[error("the connection broke or the answer was not HTTP")]
    Protocol,
}

impl CallError {
    pub(crate) fn of_http(error: &bounded_http::Error) -> Self {
        if let Some(forbidden) = cause::<Forbidden>(error) {
            return Self::Forbidden(forbidden.clone());
        }
        if error.is_timeout() {
            return Self::Timeout;
        }
        // A look-up is a part of connecting.
        if !error.is_connect() || cause::<TooMuch>(error).is_some() {
            return Self::of_body(error);
        }
        if cause::<io::Error>(error).is_some_and(is_exhausted) {
            return Self::Exhausted;
        }
        if cause::<LookUpFailed>(error).is_some() {
            return Self::Dns;
        }
        if let Some(wrong) = untrusted(error) {
            return Self::Untrusted(wrong);
        }
        if let Some(tls) = cause::<rustls::Error>(error) {
            return Self::Tls(tls.to_string());
        }
        match cause::<io::Error>(error).map(io::Error::kind) {
            Some(io::ErrorKind::ConnectionRefused) => Self::Refused,
            // rustls reports an endless handshake message this way.
            Some(io::ErrorKind::InvalidData) => Self::Tls("what came is no handshake".to_owned()),
            _ => Self::Connect,
        }
    }

    /// Classifies the failure of a connection that had been made.
    pub(crate) fn of_body(error: &(dyn Error + 'static)) -> Self {
        if cause::<TooMuch>(error).is_some() { Self::TooMuch } else { Self::Protocol }
    }
}

/// Returns whether the error says that this machine lacks what a connection takes.
pub(crate) fn is_exhausted(error: &io::Error) -> bool {
    let lacking = [Errno::MFILE, Errno::NFILE, Errno::NOBUFS, Errno::NOMEM];
    Errno::from_io_error(error).is_some_and(|error| lacking.contains(&error))
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use tokio::net::TcpListener;

    use super::*;

    /// Calls a server whose body breaks off with `error`, and returns the call's error.
    async fn broken_off(error: Errno) -> CallError {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", server.local_addr().unwrap());
        let tls = tls_trust::Trust::default().client_config().unwrap();
        let client = bounded_http::Client::new(bounded_http::Options::new(tls)).unwrap();
        let body = stream::iter([Ok("the beginning"), Err(io::Error::from(error))]);
        let mut request = reqwest::Request::new(reqwest::Method::POST, url.parse().unwrap());
        *request.body_mut() = Some(reqwest::Body::wrap_stream(body));
        let failed = client.execute(request).await.unwrap_err();
        assert!(cause::<io::Error>(&failed).is_some_and(is_exhausted), "{failed:?}");
        CallError::of_http(&failed)
    }

    #[tokio::test]
    async fn a_lack_of_room_on_an_open_connection_is_none_of_room_for_another() {
        for lacking in [Errno::NOBUFS, Errno::NOMEM, Errno::MFILE] {
            assert_eq!(broken_off(lacking).await, CallError::Protocol);
        }
    }
}
