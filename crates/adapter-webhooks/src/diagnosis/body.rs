//! The body as given, and as it may have been before something rewrote it.

use super::{Finding, finding::Reprinted, json};
use data_encoding::BASE64;

/// U+FEFF in UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// Beginning of every body that we send.
const BEGINNING: &str = r#"{"id":""#;

/// A possible body, with the faults undone to get it.
pub(super) type Rendering = (Vec<u8>, Vec<Finding>);

/// Lists the body as given, then everything that it may have been.
pub(super) fn renderings(given: &[u8]) -> Vec<Rendering> {
    let mut renderings = vec![(given.to_vec(), Vec::new())];
    let mut wrapped = vec![(given.to_vec(), Vec::new())];
    // A body can be wrapped twice, for example in base64 with a line break around it.
    for _ in 0..2 {
        wrapped = wrapped.iter().flat_map(unwrapped).collect();
        renderings.extend(wrapped.iter().cloned());
    }
    let printed: Vec<Rendering> = renderings.iter().flat_map(before_printing).collect();
    renderings.extend(printed);
    renderings
}

/// Undoes each single wrapping or change of encoding that may have happened.
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

/// Returns the bytes whose Latin-1 reading is `text`.
fn from_latin_1(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect()
}

/// Undoes a second printing of the JSON: removes spacing, resolves escapes, or both.
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

/// Guesses what changed a body where undoing changes did not help.
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

/// Returns whether the body has the form in which we send bodies, so that nothing seems to have printed it
/// again.
pub(super) fn is_like_ours(given: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(given) else { return false };
    text.starts_with(BEGINNING)
        && guess(given).is_none()
        && json::compact(text).and_then(|compact| json::unescaped(&compact)).is_some_and(|ours| ours == text)
}
