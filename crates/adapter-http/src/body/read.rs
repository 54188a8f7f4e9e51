//! Reading of bodies: so many bytes, in so much time.

use std::time::Duration;

use actix_web::{
    HttpMessage, HttpRequest,
    error::PayloadError,
    http::{
        StatusCode,
        header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderValue},
    },
    web::{Bytes, BytesMut, Payload},
};
use domain::access::Caller;
use futures_util::StreamExt;
use tokio::time::Instant;

use super::measured::Room;
use crate::{
    access::check_still_admitted,
    problem::{DashboardCode, Problem},
    session::SignedIn,
};

/// Largest body of an unknown sender, in bytes: an address, a password, a link's token.
const OPEN_LIMIT: usize = 16 * 1024;

/// Time limit for a client to send a body.
pub(super) const READ_TIMEOUT: Duration = Duration::from_secs(30);

/// Time within which a body still counts as sent by the admitted member. After that, members are looked up
/// again.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Reads a body of at most `limit` bytes, or [`OPEN_LIMIT`] if its sender is unknown.
pub(crate) async fn bytes(request: &HttpRequest, payload: Payload, limit: usize) -> Result<Bytes, Problem> {
    let limit = if is_of_somebody(request) { limit } else { limit.min(OPEN_LIMIT) };
    read(request, payload, limit).await
}

/// Returns whether the sender was admitted, by a session or a key.
fn is_of_somebody(request: &HttpRequest) -> bool {
    let extensions = request.extensions();
    extensions.contains::<SignedIn>() || extensions.contains::<Caller>()
}

/// Reads the body of a sender that is not known yet, while there is room for it and it comes fast enough.
pub(crate) async fn bytes_within(
    request: &HttpRequest,
    mut payload: Payload,
    limit: usize,
    room: &mut Room,
) -> Result<Bytes, Problem> {
    within(request, limit)?;
    let latest = Instant::now() + READ_TIMEOUT;
    let mut whole = BytesMut::new();
    loop {
        let next = tokio::select! {
            biased;
            problem = room.given_way() => return Err(problem),
            next = tokio::time::timeout_at(room.patience().min(latest), payload.next()) => next,
        };
        let Some(chunk) = next.map_err(|_| too_slow())? else { break };
        let chunk = chunk.map_err(|error| unread(&error))?;
        let capacity = capacity(&whole, &chunk, limit)?;
        room.note(whole.len() + chunk.len(), capacity, Instant::now())?;
        whole.reserve(capacity - whole.len());
        whole.extend_from_slice(&chunk);
    }
    Ok(whole.freeze())
}

async fn read(request: &HttpRequest, mut payload: Payload, limit: usize) -> Result<Bytes, Problem> {
    within(request, limit)?;
    let began = Instant::now();
    let read = async {
        let mut whole = BytesMut::new();
        while let Some(chunk) = payload.next().await {
            let chunk = chunk.map_err(|error| unread(&error))?;
            let capacity = capacity(&whole, &chunk, limit)?;
            whole.reserve(capacity - whole.len());
            whole.extend_from_slice(&chunk);
        }
        Ok::<_, Problem>(whole.freeze())
    };
    let whole = tokio::time::timeout(READ_TIMEOUT, read).await.map_err(|_| too_slow())??;
    if began.elapsed() > AT_ONCE {
        check_still_admitted(request).await?;
    }
    Ok(whole)
}

/// Returns the memory of a body with one more piece. It grows with what has come, not with the announced
/// length.
fn capacity(whole: &BytesMut, piece: &Bytes, limit: usize) -> Result<usize, Problem> {
    let length = whole.len() + piece.len();
    if length > limit {
        return Err(Problem::too_large(limit));
    }
    let now = whole.capacity();
    Ok(if length > now { length.max(2 * now).min(limit) } else { now })
}

/// Refuses a body that is announced with more than `limit` bytes.
pub(super) fn within(request: &HttpRequest, limit: usize) -> Result<(), Problem> {
    let limit_bytes = u64::try_from(limit).unwrap_or(u64::MAX);
    if announced(request).is_some_and(|length| length > limit_bytes) {
        return Err(Problem::too_large(limit));
    }
    Ok(())
}

/// Returns the announced length of the body.
pub(crate) fn announced(request: &HttpRequest) -> Option<u64> {
    request.headers().get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Refuses a compressed body: nothing here decompresses, and its size could not be foreseen.
pub(super) fn as_it_is(request: &HttpRequest) -> Result<(), Problem> {
    let packed = |value: &HeaderValue| !value.as_bytes().eq_ignore_ascii_case(b"identity");
    if request.headers().get_all(CONTENT_ENCODING).any(packed) {
        let message = "a body with a `Content-Encoding` is not taken; send it as it is";
        return Err(Problem::dashboard(DashboardCode::ContentEncoding, message));
    }
    Ok(())
}

pub(super) fn too_slow() -> Problem {
    Problem::new(StatusCode::REQUEST_TIMEOUT, "the body did not arrive in time")
}

/// Converts a broken connection or wrong framing: the sender's fault, whatever actix calls it.
pub(super) fn unread(error: &PayloadError) -> Problem {
    Problem::invalid(format!("the body could not be read: {error}"))
}
