//! Classification of answers by status, and of failures.

use std::borrow::Cow;

use domain::systems::{CallError, Exchange, RefusalMessage};
use guarded_http::{Bytes, CallError as HttpError, Response, Url, header, retry_after};
use time::OffsetDateTime;

use crate::{
    json::{Node, values::string},
    read::read,
};

/// An answer of status 2xx, still to be parsed.
pub(crate) struct Taken {
    pub(crate) body: Bytes,
    pub(crate) exchange: Exchange,
}

/// Classifies the answer of `url`.
pub(crate) fn judge(
    answer: Response,
    url: &Url,
    attempts: u8,
    now: OffsetDateTime,
) -> Result<Taken, CallError> {
    let status = answer.status.as_u16();
    match status {
        200..=299 => taken(answer, attempts),
        // After a redirect to another origin the secret was not sent.
        401 | 403 if answer.left_origin => Err(CallError::Misdirected { status }),
        401 | 403 => Err(CallError::NeedsReconnection { status, message: message(&answer) }),
        404 | 410 => Err(CallError::NotFound { message: message(&answer) }),
        429 => {
            let value = answer.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
            let retry_after = value.and_then(|value| retry_after(value, now));
            Err(CallError::SlowDown { retry_after, message: message(&answer) })
        }
        400..=499 => Err(CallError::Refused { status, message: message(&answer) }),
        500..=599 => Err(CallError::Down { status, message: message(&answer) }),
        _ if answer.redirect_from(url).is_some_and(|target| target.origin() != url.origin()) => {
            Err(CallError::Misdirected { status })
        }
        _ => Err(CallError::Unreadable { status, unusable: Vec::new() }),
    }
}

fn taken(answer: Response, attempts: u8) -> Result<Taken, CallError> {
    let status = answer.status.as_u16();
    // No compression was asked for, and nothing is decompressed.
    let packed = answer.headers.get(header::CONTENT_ENCODING).is_some_and(|coding| coding != "identity");
    if packed {
        return Err(CallError::Unreadable { status, unusable: Vec::new() });
    }
    let left_origin = answer.left_origin;
    let body = answer.whole_body().map_err(|error| failed(&error))?;
    let exchange = Exchange { status, bytes: body.len(), attempts, left_origin };
    Ok(Taken { body, exchange })
}

/// Returns the `message` that a refusing or failing system has for the team, if its answer is JSON with one.
fn message(answer: &Response) -> Option<RefusalMessage> {
    if answer.body_truncated {
        return None;
    }
    let words = |node: &Node<'_, '_>| {
        let [message] = node.fields(["message"])?;
        message.required(|value| string(value).map(Cow::into_owned))
    };
    let (words, _) = read(&answer.body, words).ok()?;
    RefusalMessage::read(&words)
}

/// Classifies a call that came to no answer.
pub(crate) fn failed(error: &HttpError) -> CallError {
    let unreachable = |sent| CallError::Unreachable { words: error.to_string(), sent };
    match error {
        HttpError::Timeout => CallError::TimedOut,
        HttpError::BodyTooLarge => CallError::TooLarge,
        HttpError::Exhausted => CallError::NotMade("this machine can open no further connection"),
        HttpError::Protocol | HttpError::TooMuch | HttpError::TooManyRedirects => unreachable(true),
        HttpError::Forbidden(_)
        | HttpError::Dns
        | HttpError::Refused
        | HttpError::Connect
        | HttpError::Untrusted(_)
        | HttpError::Tls(_) => unreachable(false),
    }
}

/// Returns whether another attempt may help; the address and its certificate will be the same.
pub(crate) const fn may_pass(error: &HttpError) -> bool {
    matches!(
        error,
        HttpError::Timeout | HttpError::Dns | HttpError::Refused | HttpError::Connect | HttpError::Protocol
    )
}
