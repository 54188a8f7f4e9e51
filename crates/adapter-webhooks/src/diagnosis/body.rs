//! A body as it was given, and as it may have been before something rewrote it.

use super::{Finding, finding::Reprinted, json};
use data_encoding::BASE64;

/// U+FEFF in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// How every body of ours begins.
const BEGINNING: &str = r#"{"id":""#;

/// A rendering, and what was put right to come to it.
pub(super) type Rendering = (Vec<u8>, Vec<Finding>);

/// The body as given, then everything that it may have been.
pub(super) fn renderings(given: &[u8]) -> Vec<Rendering> {
    let mut renderings = vec![(given.to_vec(), Vec::new())];
    let mut wrapped = vec![(given.to_vec(), Vec::new())];
    // What can lie around a body can lie around it twice: a line break around base64.
    for _ in 0..2 {
        wrapped = wrapped.iter().flat_map(unwrapped).collect();
        renderings.extend(wrapped.iter().cloned());
    }
    let printed: Vec<Rendering> = renderings.iter().flat_map(before_printing).collect();
    renderings.extend(printed);
    renderings
}

/// Each thing that may have been put around it or done to its bytes, undone.
fn unwrapped((body, faults): &Rendering) -> Vec<Rendering> {
    let text = std::str::from_utf8(body).ok();
    let undone = [
        (body.strip_prefix(MARK).map(<[u8]>::to_vec), Finding::BodyMark),
        (Some(body.trim_ascii().to_vec()), Finding::BodyEnds),
        (text.and_then(json::string), Finding::BodyInString),
        (BASE64.decode(body).ok().filter(|inner| inner.starts_with(b"{")), Finding::BodyInBase64),
        (text.and_then(from_latin_1), Finding::BodyCharset),
    ];
    let changed = undone.into_iter().filter_map(|(undone, fault)| Some((undone?, fault)));
    changed
        .filter(|(undone, _)| undone != body)
        .map(|(undone, fault)| (undone, [faults.clone(), vec![fault]].concat()))
        .collect()
}

/// The bytes whose Latin-1 reading the text is.
fn from_latin_1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// As it was before it was printed again: spacing taken out, escapes written out, or both.
fn before_printing((body, faults): &Rendering) -> Vec<Rendering> {
    let Ok(text) = std::str::from_utf8(body) else { return Vec::new() };
    let both = json::compact(text).and_then(|compact| json::unescaped(&compact));
    let undone = [
        (json::compact(text), Reprinted::Spaced),
        (json::unescaped(text), Reprinted::Escaped),
        (both, Reprinted::SpacedAndEscaped),
    ];
    let changed = undone.into_iter().filter_map(|(undone, what)| Some((undone?.into_bytes(), what)));
    changed
        .filter(|(undone, _)| undone != body)
        .map(|(undone, what)| (undone, [faults.clone(), vec![Finding::BodyReprinted { what }]].concat()))
        .collect()
}

/// What else speaks for a body that was changed, where undoing it did not help.
pub(super) fn guess(given: &[u8]) -> Option<Finding> {
    if given.trim_ascii().is_empty() {
        return Some(Finding::BodyEmpty);
    }
    let text = std::str::from_utf8(given).ok()?;
    if text.contains('\u{fffd}') {
        return Some(Finding::BodyReplaced);
    }
    let compact = json::compact(text)?;
    (compact.starts_with('{') && !compact.starts_with(BEGINNING)).then_some(Finding::BodyReordered)
}

/// Whether it has the form in which we send bodies, so that nothing seems to have printed it again.
pub(super) fn is_like_ours(given: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(given) else { return false };
    text.starts_with(BEGINNING)
        && guess(given).is_none()
        && json::compact(text).and_then(|compact| json::unescaped(&compact)).is_some_and(|ours| ours == text)
}
