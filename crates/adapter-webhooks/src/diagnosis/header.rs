//! Parsing of the header: as it must be, and as it may have been meant.

use super::{Finding, quotes::unquoted};
use crate::signature::seconds;
use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};

const TAG: usize = 32;
/// Most digits of a time in seconds; until the year 5138, a longer number counts milliseconds.
const SECONDS_DIGITS: usize = 11;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Signature {
    /// Text that is signed before the body, its dot included.
    pub(super) before_body: String,
    /// In Unix seconds.
    pub(super) signed_at: i64,
    /// Bytes of the HMAC.
    pub(super) tag: Vec<u8>,
    /// Faults of the time that were corrected.
    pub(super) faults: Vec<Finding>,
}

/// A parsed header.
#[derive(Debug, Default)]
pub(super) struct Read {
    /// Every combination of its times and HMACs.
    pub(super) signatures: Vec<Signature>,
    /// Reasons for which a receiver that follows the specification refuses it.
    pub(super) faults: Vec<Finding>,
    /// Oddities that such a receiver accepts.
    pub(super) notes: Vec<Finding>,
}

pub(super) fn read(header: &str) -> Read {
    let mut read = Read::default();
    let text = unwrapped(header.trim(), &mut read.faults);
    if text.is_empty() {
        read.faults.push(Finding::HeaderEmpty);
        return read;
    }
    let elements = elements(text, &mut read.faults);
    let values =
        |name: &'static str| elements.iter().filter(move |(known, _)| known == name).map(|(_, value)| value);
    let tags: Vec<Vec<u8>> = values("v1").filter_map(|value| tag(value, &mut read)).collect();
    if values("v1").next().is_none() {
        read.faults.push(Finding::NoTag);
    }
    if tags.len() > 1 {
        read.notes.push(Finding::SeveralTags { count: tags.len() });
    }
    let times: Vec<&String> = values("t").collect();
    if times.is_empty() {
        read.faults.push(Finding::NoTime);
    } else if times.iter().any(|t| seconds(t).is_none()) {
        read.faults.push(Finding::TimeForm);
    }
    if times.len() > 1 {
        read.faults.push(Finding::SeveralTimes { count: times.len() });
    }
    for t in times {
        for tag in &tags {
            read.signatures.extend(readings(t, tag));
        }
    }
    read
}

/// Parses the headers of the Standard Webhooks specification.
pub(super) fn read_standard(id: &str, timestamp: &str, signature: &str) -> Read {
    let mut read = Read::default();
    if id.is_empty() {
        read.faults.push(Finding::StandardId);
    }
    let values = signature.split_whitespace().filter_map(|value| value.strip_prefix("v1,"));
    let tags: Option<Vec<Vec<u8>>> =
        values.map(|value| BASE64.decode(value.as_bytes()).ok().filter(|tag| tag.len() == TAG)).collect();
    let tags = tags.unwrap_or_default();
    match tags.len() {
        0 => read.faults.push(Finding::StandardTag),
        1 => {}
        count => read.notes.push(Finding::SeveralTags { count }),
    }
    match timestamp.parse() {
        Ok(signed_at) => {
            let of = |tag| Signature {
                before_body: format!("{id}.{timestamp}."),
                signed_at,
                tag,
                faults: Vec::new(),
            };
            read.signatures = tags.into_iter().map(of).collect();
        }
        Err(_) => read.faults.push(Finding::StandardTime),
    }
    read
}

/// Removes the header's name and quotes around the value.
fn unwrapped<'a>(text: &'a str, faults: &mut Vec<Finding>) -> &'a str {
    let value = match text.split_once(':') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case(crate::signature::HEADER) => {
            faults.push(Finding::HeaderName);
            value.trim()
        }
        _ => text,
    };
    match unquoted(value) {
        Some(inner) => {
            faults.push(Finding::HeaderQuotes);
            inner.trim()
        }
        None => value,
    }
}

/// Splits the header into names and values, whatever separates them.
fn elements(text: &str, faults: &mut Vec<Finding>) -> Vec<(String, String)> {
    let parts: Vec<&str> = text.split('=').map(str::trim).collect();
    let joined = parts.join("=");
    if joined.len() != text.len() {
        faults.push(Finding::HeaderSpaces);
    }
    let lenient: Vec<&str> = joined
        .split(|c: char| c.is_whitespace() || ",;&".contains(c))
        .filter(|element| !element.is_empty())
        .collect();
    let strict = joined.split(',').map(str::trim).filter(|element| !element.is_empty());
    if !strict.eq(lenient.iter().copied()) {
        faults.push(Finding::HeaderSeparator);
    }
    let named: Vec<(&str, &str)> = lenient.iter().filter_map(|element| element.split_once('=')).collect();
    if named.iter().any(|(name, _)| ["T", "V1"].contains(name)) {
        faults.push(Finding::HeaderCapitals);
    }
    named.iter().map(|(name, value)| (name.to_ascii_lowercase(), (*value).to_owned())).collect()
}

fn tag(value: &str, read: &mut Read) -> Option<Vec<u8>> {
    if let Some(tag) = HEXLOWER_PERMISSIVE.decode(value.as_bytes()).ok().filter(|tag| tag.len() == TAG) {
        if value.bytes().any(|byte| byte.is_ascii_uppercase())
            && !read.notes.contains(&Finding::TagInCapitals)
        {
            read.notes.push(Finding::TagInCapitals);
        }
        return Some(tag);
    }
    let decoded = BASE64.decode(value.as_bytes()).ok().filter(|tag| tag.len() == TAG);
    read.faults.push(match decoded {
        Some(_) => Finding::TagInBase64,
        None => Finding::TagForm { length: value.chars().count() },
    });
    decoded
}

/// Returns the readings of `t`: in seconds, or if it can only be milliseconds, signed as they are or in
/// seconds.
fn readings(t: &str, tag: &[u8]) -> Vec<Signature> {
    let Some(signed_at) = seconds(t) else { return Vec::new() };
    let reading = |t: String, signed_at, faults| Signature {
        before_body: format!("{t}."),
        signed_at,
        tag: tag.to_vec(),
        faults,
    };
    if t.len() <= SECONDS_DIGITS {
        return vec![reading(t.to_owned(), signed_at, Vec::new())];
    }
    let signed_at = signed_at / 1_000;
    vec![
        reading(t.to_owned(), signed_at, vec![Finding::TimeInMilliseconds]),
        reading(signed_at.to_string(), signed_at, vec![Finding::TimeInMilliseconds]),
    ]
}
