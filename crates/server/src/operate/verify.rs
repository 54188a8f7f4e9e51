//! `webhook verify`: checks a delivery's signature and, if it does not hold, says why.

use std::path::Path;

use adapter_webhooks::diagnosis::{Diagnosis, Headers, diagnose};
use anyhow::{Context, bail};
use time::OffsetDateTime;

use super::{
    Unreadable,
    given::{self, STDIN},
};
use crate::cli::VerifyArgs;

/// Most bytes read of a secret or a body: many times the largest event.
const MOST: u64 = 16 * 1024 * 1024;

pub struct Verification {
    pub holds: bool,
    /// Result in words, with the reasons.
    pub said: String,
}

/// Checks the delivery as of the time that the arguments name, else as of `now`.
///
/// # Errors
/// When secret or body cannot be read.
pub fn delivery(arguments: &VerifyArgs, now: OffsetDateTime) -> anyhow::Result<Verification> {
    if arguments.secret == STDIN && arguments.body == STDIN {
        bail!(Unreadable::new("standard input can hold the secret or the body, not both"));
    }
    let secret = match arguments.secret.as_str() {
        STDIN => {
            let secret = given::secret(Path::new(STDIN), MOST);
            secret.with_context(|| Unreadable::new("the secret cannot be read"))?
        }
        given => given.to_owned(),
    };
    let body = body(&arguments.body)?;
    let at = arguments.at.unwrap_or_else(|| now.unix_timestamp());
    let diagnosis = diagnose(&secret, headers(arguments), &body, at);
    Ok(Verification { holds: diagnosis.holds, said: words(&diagnosis) })
}

fn headers(arguments: &VerifyArgs) -> Headers<'_> {
    let VerifyArgs { header, webhook_signature, webhook_id, webhook_timestamp, .. } = arguments;
    match webhook_signature {
        Some(signature) => Headers::Standard {
            id: webhook_id.as_deref().unwrap_or_default(),
            timestamp: webhook_timestamp.as_deref().unwrap_or_default(),
            signature,
        },
        None => Headers::Service(header.as_deref().unwrap_or_default()),
    }
}

fn words(diagnosis: &Diagnosis) -> String {
    let verdict = if diagnosis.holds { "the signature holds" } else { "the signature does not hold:" };
    let reasons = diagnosis.reasons.iter().map(|reason| format!("- {reason}"));
    let notes = diagnosis.notes.iter().map(|note| format!("note: {note}"));
    [verdict.to_owned()].into_iter().chain(reasons).chain(notes).collect::<Vec<_>>().join("\n")
}

/// Returns JSON as it is given, else the bytes of the file.
fn body(given: &str) -> anyhow::Result<Vec<u8>> {
    if given.trim_start().starts_with(['{', '[', '"']) {
        return Ok(given.as_bytes().to_vec());
    }
    let unreadable = || format!("the body is neither JSON nor a file that can be read: {given}");
    given::bytes(Path::new(given), MOST).with_context(|| Unreadable::new(unreadable()))
}
