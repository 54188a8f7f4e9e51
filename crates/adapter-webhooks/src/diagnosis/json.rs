//! Other ways to print the same JSON. Works on the text, since parsing would lose the order of the fields and
//! the spelling of numbers.

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

/// Removes white space between tokens; `None` if a string does not end.
pub(super) fn compact(text: &str) -> Option<String> {
    let mut compact = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            ' ' | '\t' | '\r' | '\n' => {}
            '"' => {
                compact.push('"');
                compact.push_str(&rest_of_string(&mut chars)?);
            }
            c => compact.push(c),
        }
    }
    Some(compact)
}

/// Resolves all escapes that JSON can do without; `None` if one cannot be parsed.
pub(super) fn unescaped(text: &str) -> Option<String> {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' => escape(escaped(&mut chars)?, &mut plain),
            c => plain.push(c),
        }
    }
    Some(plain)
}

/// Decodes a JSON text that is one string.
pub(super) fn string(text: &str) -> Option<Vec<u8>> {
    let inner = text.trim().strip_prefix('"')?.strip_suffix('"')?;
    let mut held = String::with_capacity(inner.len());
    let mut chars = inner.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '"' => return None,
            '\\' => held.push(escaped(&mut chars)?),
            c => held.push(c),
        }
    }
    Some(held.into_bytes())
}

/// Returns a string from behind its opening quote to its closing one, undecoded.
fn rest_of_string(chars: &mut Chars<'_>) -> Option<String> {
    let mut rest = String::new();
    loop {
        let c = chars.next()?;
        rest.push(c);
        match c {
            '"' => return Some(rest),
            '\\' => rest.push(chars.next()?),
            _ => {}
        }
    }
}

/// Parses an escape from behind its backslash.
fn escaped(chars: &mut Peekable<Chars<'_>>) -> Option<char> {
    Some(match chars.next()? {
        'b' => '\u{8}',
        'f' => '\u{c}',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        c @ ('"' | '\\' | '/') => c,
        'u' => {
            let first = four_digits(chars)?;
            if let Some(c) = char::from_u32(first) {
                return Some(c);
            }
            // The first half of a pair (RFC 8259, section 7).
            chars.next_if_eq(&'\\')?;
            chars.next_if_eq(&'u')?;
            let second = four_digits(chars)?;
            let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
            char::decode_utf16(pair).next()?.ok()?
        }
        _ => return None,
    })
}

fn four_digits(chars: &mut Peekable<Chars<'_>>) -> Option<u32> {
    (0..4).try_fold(0, |number, _| Some(number * 16 + chars.next()?.to_digit(16)?))
}

/// Writes a character as our bodies have it.
fn escape(c: char, out: &mut String) {
    match c {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c < ' ' => {
            // Writing to a string does not fail.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        }
        c => out.push(c),
    }
}

#[cfg(test)]
mod tests {
    use super::{compact, string, unescaped};

    #[test]
    fn spacing_goes_and_strings_stay() {
        let text = "{ \"a\" :\t[1.0, 2e3],\r\n  \"b c\": \"d \\\" e\\\\\" }\n";
        assert_eq!(compact(text).as_deref(), Some("{\"a\":[1.0,2e3],\"b c\":\"d \\\" e\\\\\"}"));
        assert_eq!(compact("{\"a"), None);
    }

    #[test]
    fn escapes_become_what_they_stand_for_unless_json_needs_them() {
        let table = [
            (r#""\u0633\u0627\u0631\u0629""#, Some("\"سارة\"")),
            (r#""https:\/\/x""#, Some("\"https://x\"")),
            (r#""\uD83D\ude00""#, Some("\"😀\"")),
            (r#""\u0022\u005c\u000A\u001F""#, Some(r#""\"\\\n\u001f""#)),
            (r#""\u003c""#, Some("\"<\"")),
            (r#""\ud83d""#, None),
            (r#""\x""#, None),
            (r#""\u12"#, None),
        ];
        for (text, plain) in table {
            assert_eq!(unescaped(text).as_deref(), plain, "{text}");
        }
    }

    #[test]
    fn a_string_holds_what_it_says() {
        assert_eq!(string(" \"{\\\"a\\\":1}\"\n").as_deref(), Some(&b"{\"a\":1}"[..]));
        assert_eq!(string("{\"a\":1}"), None);
        assert_eq!(string("\"a\",\"b\""), None);
    }
}
