//! Answer to what is no HTTP, or does not end as such: in the shape of all errors, and the connection's last.

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

use super::{bare, timeouts::LINGER, wire::Wire};
use crate::{app::App, headers, problem::Problem, request_log};

/// Ends a connection that the library is done with.
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
        // If closed at once, a client in the middle of sending would lose the answer.
        let mut unread = [0; 4_096];
        while wire.io.read(&mut unread).await? > 0 {}
        std::io::Result::Ok(())
    };
    // A client that is gone needs no answer.
    let _ = tokio::time::timeout(LINGER, spoken).await;
}

/// Returns what is wrong, if the library has not answered that itself.
fn problem<IO>(wire: &Wire<IO>, ended: &Result<(), DispatchError>) -> Option<Problem> {
    let Some(status) = bare::status(&wire.held) else {
        // The library gave up the connection with a request in hand: the body's chunks cannot be told apart.
        let broken = ended.is_ok() && wire.unanswered.0.get() && !wire.behind;
        return broken.then(|| Problem::invalid("the chunks of the body are broken"));
    };
    let status = StatusCode::from_u16(status).ok()?;
    let message = match (ended, status) {
        // The connection ended well: what looks like an answer of the library may be the end of a body.
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
        (Err(DispatchError::Parse(ParseError::Header)), _) => broken_head(&wire.heard),
        _ => "this is no HTTP/1.1 request",
    };
    Some(Problem::new(status, message))
}

/// Names the fault in the headers of a request, by its beginning.
fn broken_head(bytes: &[u8]) -> &'static str {
    let text = String::from_utf8_lossy(bytes);
    let (head, whole) = text.split_once("\r\n\r\n").map_or((&*text, false), |(head, _)| (head, true));
    let mut lines = head.split("\r\n");
    let first = lines.next().unwrap_or_default();
    let headers: Vec<(String, &str)> = lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim()))
        .collect();
    let of =
        |name: &str| headers.iter().filter(|(it, _)| it == name).map(|(_, value)| *value).collect::<Vec<_>>();
    let (hosts, lengths, codings) = (of("host"), of("content-length"), of("transfer-encoding"));
    let is_number = |length: &&str| !length.is_empty() && length.bytes().all(|byte| byte.is_ascii_digit());
    match (hosts.len(), lengths.len(), codings.len()) {
        (2.., ..) => "the header `Host` comes more than once",
        (0, ..) if whole && first.ends_with("HTTP/1.1") => "the header `Host` is missing",
        (_, 2.., _) => "the header `Content-Length` comes more than once",
        (_, 1, _) if !lengths.iter().all(is_number) => "the header `Content-Length` is no number",
        (_, 1, 1..) => "the headers `Content-Length` and `Transfer-Encoding` cannot be together",
        (_, _, 2..) => "the header `Transfer-Encoding` comes more than once",
        (_, _, 1) if first.ends_with("HTTP/1.0") => "HTTP/1.0 has no `Transfer-Encoding`",
        (_, _, 1) if codings != ["chunked"] => "of `Transfer-Encoding` only `chunked` is taken",
        (_, 0, 0) if whole && first.ends_with("HTTP/1.0") && first.starts_with("POST ") => {
            "the header `Content-Length` is missing"
        }
        _ => "a header of the request breaks the rules of HTTP",
    }
}

/// Formats the whole answer as it goes over the wire.
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

#[cfg(test)]
mod tests {
    use super::broken_head;

    #[test]
    fn of_a_broken_head_the_one_cause_is_told() {
        for (head, cause) in [
            ("GET /v1/me HTTP/1.1\r\n\r\n", "`Host` is missing"),
            ("GET /v1/me HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n", "`Host` comes more than once"),
            (
                "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "`Content-Length` comes more",
            ),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: two\r\n\r\n", "`Content-Length` is no number"),
            ("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: +2\r\n\r\n", "`Content-Length` is no number"),
            (
                "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n",
                "cannot be together",
            ),
            ("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n", "only `chunked`"),
            ("POST / HTTP/1.0\r\nHost: x\r\n\r\n", "`Content-Length` is missing"),
            ("POST / HTTP/1.1\r\nHost: x\r\nno header\r\n\r\n", "a header of the request breaks"),
            // Cut: what has not come may be there.
            ("GET / HTTP/1.1\r\nX-\u{0}: 1", "a header of the request breaks"),
            ("", "a header of the request breaks"),
        ] {
            let told = broken_head(head.as_bytes());
            assert!(told.contains(cause), "{head}: {told}");
            assert!(!told.contains(" or "), "{told}");
        }
    }
}
