//! Repair of JSON whose strings hold half a surrogate pair, as text cut in the middle of an emoji does.

/// Replaces each `\u` escape of a lone surrogate by that of U+FFFD; everything else stays.
pub(super) fn mend(json: &[u8]) -> Vec<u8> {
    let mut mended = Vec::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.iter().position(|byte| *byte == b'\\') {
        let (before, escape) = rest.split_at(at);
        mended.extend_from_slice(before);
        let (kept, taken) = match (unit(escape), escape.get(6..).and_then(unit)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => (escape.get(..12), 12),
            (Some(0xD800..=0xDFFF), _) => (Some(br"\ufffd".as_slice()), 6),
            _ => (escape.get(..2), 2),
        };
        mended.extend_from_slice(kept.unwrap_or(escape));
        rest = escape.get(taken..).unwrap_or_default();
    }
    mended.extend_from_slice(rest);
    mended
}

/// Returns the UTF-16 unit of the `\u` escape that `text` begins with.
fn unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(br"\u")?.get(..4)?;
    let digits =
        std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::mend;

    #[test]
    fn only_lone_surrogates_change() {
        for (json, mended) in [
            (r#""plain""#, r#""plain""#),
            (r#""\ud83d\ude00""#, r#""\ud83d\ude00""#),
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\ud83d x""#, r#""\ufffd x""#),
            (r#""\ude00\ud83d""#, r#""\ufffd\ufffd""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\ud83d""#, r#""\\ud83d""#),
            (r#""\"\/\n\u0633""#, r#""\"\/\n\u0633""#),
            (r"\", r"\"),
            (r"\u+123", r"\u+123"),
        ] {
            assert_eq!(mend(json.as_bytes()), mended.as_bytes(), "{json}");
        }
    }
}
