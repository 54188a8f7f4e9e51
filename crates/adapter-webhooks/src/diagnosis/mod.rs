//! Why a signature does not hold, for whoever writes a receiver and wonders.
//!
//! What was given is held against the specification first. Where that fails, every common way to spoil a secret, a
//! body or a header is undone, alone and together, until the HMAC matches: then what was undone is the reason, and
//! no guess.

mod body;
mod clock;
mod finding;
mod header;
mod json;
mod secret;

use data_encoding::BASE64;
pub use finding::{Finding, Reprinted};

use ring::hmac::{self, HMAC_SHA256, Key};

use self::header::Signature;

/// What is to be said of a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// Whether a receiver that goes by the specification accepts it; by our own header, as
    /// [`crate::signature::verify`] does.
    pub holds: bool,
    /// Why not; nothing when it holds.
    pub reasons: Vec<Finding>,
    /// What is worth knowing all the same.
    pub notes: Vec<Finding>,
}

/// The headers that a delivery is verified by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headers<'a> {
    /// The value of `X-Service-Signature`.
    Service(&'a str),
    /// Those of the Standard Webhooks specification.
    Standard {
        /// `webhook-id`.
        id: &'a str,
        /// `webhook-timestamp`.
        timestamp: &'a str,
        /// `webhook-signature`.
        signature: &'a str,
    },
}

impl Headers<'_> {
    fn read(self) -> header::Read {
        match self {
            Self::Service(header) => header::read(header),
            Self::Standard { id, timestamp, signature } => header::read_standard(id, timestamp, signature),
        }
    }

    /// The key that a secret is: its own bytes to us, what its base64 stands for to the other specification.
    fn key(self, secret: &str) -> Key {
        let bytes = secret.as_bytes();
        let digits = secret.strip_prefix("whsec_").unwrap_or(secret);
        match (self, BASE64.decode(digits.as_bytes())) {
            (Self::Standard { .. }, Ok(decoded)) => Key::new(HMAC_SHA256, &decoded),
            (Self::Standard { .. }, Err(_)) => Key::new(HMAC_SHA256, digits.as_bytes()),
            (Self::Service(_), _) => Key::new(HMAC_SHA256, bytes),
        }
    }
}

/// Judges a delivery: `body` as it came, `at` the receiver's clock in unix seconds.
pub fn diagnose(secret: &str, headers: Headers<'_>, body: &[u8], at: i64) -> Diagnosis {
    let read = headers.read();
    let mut reasons = read.faults;
    match closest_match(secret, headers, &read.signatures, body) {
        Some(Match { signed_at, faults }) => {
            reasons.extend(faults);
            reasons.extend(clock::findings(signed_at, at));
        }
        None => reasons.extend(explained(secret, &read.signatures, body, at)),
    }
    Diagnosis { holds: reasons.is_empty(), reasons, notes: read.notes }
}

/// A way to read what was given so that the HMAC matches.
struct Match {
    signed_at: i64,
    faults: Vec<Finding>,
}

/// The match for which least has to be put right.
fn closest_match(secret: &str, headers: Headers<'_>, signatures: &[Signature], body: &[u8]) -> Option<Match> {
    let bodies = body::renderings(body);
    let mut closest: Option<Match> = None;
    for (secret, of_secret) in secret::spellings(secret) {
        let key = headers.key(&secret);
        for (body, of_body) in &bodies {
            for signature in signatures {
                let faults = [&signature.faults[..], &of_secret, of_body].concat();
                let closer = closest.as_ref().is_none_or(|closest| faults.len() < closest.faults.len());
                if closer && matches(&key, signature, body) {
                    closest = Some(Match { signed_at: signature.signed_at, faults });
                }
            }
        }
    }
    closest
}

fn matches(key: &Key, signature: &Signature, body: &[u8]) -> bool {
    let signed = [signature.before_body.as_bytes(), body].concat();
    hmac::verify(key, &signed, &signature.tag).is_ok()
}

/// What can be said where nothing matches. A header that is not whole is reason enough, and says nothing of the rest.
fn explained(secret: &str, signatures: &[Signature], given: &[u8], at: i64) -> Vec<Finding> {
    let mut reasons = Vec::new();
    if !secret::is_like_ours(secret) {
        reasons.push(Finding::SecretForm);
    }
    reasons.extend(body::guess(given));
    let Some(signature) = signatures.first() else { return reasons };
    if reasons.is_empty() {
        reasons.push(if body::is_like_ours(given) { Finding::OtherSecret } else { Finding::NoMatch });
    }
    reasons.extend(clock::findings(signature.signed_at, at));
    reasons
}

/// What stands between a pair of quotes.
fn unquoted(text: &str) -> Option<&str> {
    let within = |quote: char| text.strip_prefix(quote)?.strip_suffix(quote);
    within('"').or_else(|| within('\'')).or_else(|| within('`'))
}

#[cfg(test)]
mod tests;
