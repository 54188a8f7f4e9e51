//! The answer to what is no HTTP, or does not end as such: in the shape of all errors, and the connection's last.

use actix_http::error::{DispatchError, ParseError};
use actix_web::{
    ResponseError,
    body::MessageBody,
    http::{
        StatusCode,
        header::{CONNECTION, CONTENT_LENGTH, DATE, HeaderValue, HttpDate},
    },
};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};

use super::{LINGER, bare, wire::Wire};
use crate::{App, headers, problem::Problem, request_log};

/// Ends a connection that the library has done with.
pub(super) async fn end<IO: AsyncRead + AsyncWrite + Unpin>(
    app: &App,
    mut wire: Wire<IO>,
    ended: &Result<(), DispatchError>,
) {
    let answer = problem(&wire, ended).map(|problem| answer(app, &problem));
    if wire.closed && answer.is_none() || matches!(ended, Err(DispatchError::Io(_))) {
        return;
    }
    let last = answer.unwrap_or_else(|| std::mem::take(&mut wire.held));
    let spoken = async {
        wire.io.write_all(&last).await?;
        wire.io.shutdown().await?;
        // Closed at once, the answer would be lost to a client in the middle of sending.
        let mut unread = [0; 4_096];
        while wire.io.read(&mut unread).await? > 0 {}
        std::io::Result::Ok(())
    };
    // A client that is gone needs no answer.
    let _ = tokio::time::timeout(LINGER, spoken).await;
}

/// What is wrong, where the library left that to be said.
fn problem<IO>(wire: &Wire<IO>, ended: &Result<(), DispatchError>) -> Option<Problem> {
    let Some(status) = bare::status(&wire.held) else {
        // It gave up the connection with a request in hand: the body's chunks cannot be told apart.
        let broken = ended.is_ok() && wire.unanswered.0.get() && !wire.behind;
        return broken.then(|| Problem::invalid("the chunks of the body are broken"));
    };
    let status = StatusCode::from_u16(status).ok()?;
    let message = match (ended, status) {
        // It ended well: what looks like an answer of the library's may be the end of a body.
        (Ok(()), _) if wire.begun => return None,
        (_, StatusCode::REQUEST_TIMEOUT) => "the head of the request did not arrive in time",
        (_, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE) => {
            "the head of the request has more than 96 headers, or more than 128 KiB"
        }
        (Err(error), status) if status.is_server_error() => {
            return Some(Problem::internal(error.to_string()));
        }
        (Err(DispatchError::Parse(ParseError::Uri(_))), _) => {
            "the address of the request is none, or is longer than 65,534 bytes"
        }
        (Err(DispatchError::Parse(ParseError::Header)), _) => {
            "a header of the request breaks the rules of HTTP, or one that is needed is missing"
        }
        _ => "this is no HTTP/1.1 request",
    };
    Some(Problem::new(status, message))
}

/// The whole answer as it goes over the wire.
fn answer(app: &App, problem: &Problem) -> Vec<u8> {
    let id = app.ids.next();
    request_log::say_unreadable(id, problem);
    let mut response = problem.error_response();
    let now = HttpDate::from(std::time::SystemTime::from(app.clock.now()));
    let of_http = [
        (DATE, HeaderValue::try_from(now.to_string()).ok()),
        (CONNECTION, Some(HeaderValue::from_static("close"))),
    ];
    let headers = response.headers_mut();
    headers::put(&app.edge, headers);
    request_log::name(id, headers);
    for (name, value) in of_http {
        if let Some(value) = value {
            headers.insert(name, value);
        }
    }
    let (head, body) = response.into_parts();
    let body = body.try_into_bytes().unwrap_or_default();
    let mut answer =
        format!("HTTP/1.1 {}\r\n{CONTENT_LENGTH}: {}\r\n", head.status(), body.len()).into_bytes();
    for (name, value) in head.headers() {
        answer.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
    }
    answer.extend_from_slice(b"\r\n");
    answer.extend_from_slice(&body);
    answer
}
