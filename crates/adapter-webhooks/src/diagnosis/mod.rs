//! Diagnosis of a signature that does not hold, for the author of a receiver.
//!
//! The input is checked against the specification first. If that fails, every common way to spoil a secret, a
//! body or a header is undone, alone and together, until the HMAC matches: what was undone is then the proven
//! reason.

mod body;
mod clock;
mod finding;
mod header;
mod json;
mod quotes;
mod secret;

use data_encoding::BASE64;
pub use finding::{Finding, Reprinted};

use ring::hmac::{self, HMAC_SHA256, Key};

use self::header::Signature;

/// Verdict on a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnosis {
    /// Whether a receiver that follows the specification accepts the delivery; by our own header, as
    /// [`crate::signature::verify`] does.
    pub holds: bool,
    /// Empty if the signature holds.
    pub reasons: Vec<Finding>,
    /// Findings worth knowing though they are no reason.
    pub notes: Vec<Finding>,
}

/// Headers that a delivery is verified by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Headers<'a> {
    /// Value of `X-Service-Signature`.
    Service(&'a str),
    /// Headers of the Standard Webhooks specification.
    Standard {
        /// Value of `webhook-id`.
        id: &'a str,
        /// Value of `webhook-timestamp`.
        timestamp: &'a str,
        /// Value of `webhook-signature`.
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

    /// Returns the key of a secret: by our rule its own bytes, by the other specification those that its
    /// base64 encodes.
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

/// Judges a delivery by its `body` as received and the receiver's clock `at`, in Unix seconds.
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

/// A reading of the input whose HMAC matches.
struct Match {
    signed_at: i64,
    faults: Vec<Finding>,
}

/// Finds the match with the fewest corrections.
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

/// Lists the possible reasons if nothing matches. An incomplete header is reason enough, and says nothing of
/// the rest.
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

#[cfg(test)]
mod tests;
