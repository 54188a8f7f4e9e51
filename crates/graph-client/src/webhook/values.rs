//! Tolerant parsing of a post's plain values.

use serde_json::Value;
use time::{Duration, OffsetDateTime};

/// Smallest number that counts milliseconds: in seconds it would lie beyond the year 5000.
const FIRST_MILLISECONDS: i64 = 100_000_000_000;
/// Longest field name shown in the log, and longest id of an account, in bytes.
const LONGEST_NAME: usize = 64;
/// Longest id of a message, in bytes; in practice it is near 128.
const LONGEST_MESSAGE_ID: usize = 512;

/// Parses a time since 1970 in seconds or milliseconds, as a number or in a string.
pub fn instant(value: &Value) -> Option<OffsetDateTime> {
    let count = match value {
        Value::String(text) => text.trim().parse().ok()?,
        other => other.as_i64()?,
    };
    let since = match count {
        0..FIRST_MILLISECONDS => Duration::seconds(count),
        FIRST_MILLISECONDS.. => Duration::milliseconds(count),
        _ => return None,
    };
    OffsetDateTime::UNIX_EPOCH.checked_add(since)
}

/// Parses an id of an account, a number or a person, decimal in practice; `None` for an id that a store could
/// stumble over.
pub fn network_id(value: Option<&Value>) -> Option<String> {
    let id = match value? {
        Value::String(id) => id.clone(),
        Value::Number(id) => id.as_u64()?.to_string(),
        _ => return None,
    };
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let formed = !id.is_empty() && id.len() <= LONGEST_NAME && id.bytes().all(plain);
    formed.then_some(id)
}

/// Parses the id of a message, which is opaque.
pub fn message_id(value: Option<&Value>) -> Option<String> {
    let id = value?.as_str()?;
    let formed = !id.is_empty() && id.len() <= LONGEST_MESSAGE_ID && !id.contains(char::is_control);
    formed.then(|| id.to_owned())
}

/// Returns a text without U+0000, which no store takes; `None` if it is blank.
pub fn text(value: Option<&Value>) -> Option<String> {
    let text = value?.as_str()?.replace('\0', "");
    (!text.trim().is_empty()).then_some(text)
}

/// Parses a whole number, also one in a text.
pub fn integer(value: Option<&Value>) -> Option<i64> {
    match value? {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_i64(),
    }
}

/// Fields that hold people's words, in the order in which they are shown.
const WORDS: [&str; 21] = [
    "title",
    "formatted_name",
    "name",
    "subtitle",
    "header",
    "question",
    "label",
    "text",
    "message",
    "comment",
    "answer",
    "body",
    "description",
    "caption",
    "footer",
    "price",
    "amount",
    "currency",
    "quantity",
    "phone",
    "phone_number",
];
/// Fields that hold several words, such as the choices of a poll.
const SEVERAL: [&str; 3] = ["options", "answers", "choices"];
/// Fields that name a thing, shown only beside words.
const NAMES: [&str; 3] = ["retailer_id", "product_retailer_id", "id"];
/// Deepest level that is examined.
const DEEPEST: usize = 6;
/// Most lines extracted from something unknown.
const MOST_LINES: usize = 40;

/// Extracts the words of something unknown, line by line, with the names beside them. Empty if it has no
/// words.
pub fn words(value: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    collect(value, DEEPEST, &mut lines);
    lines
}

fn collect(value: &Value, depth: usize, lines: &mut Vec<String>) {
    let Some(depth) = depth.checked_sub(1) else { return };
    match value {
        Value::Object(fields) => {
            let said = |name: &&str| match fields.get(*name) {
                Some(Value::Number(number)) => Some(number.to_string()),
                other => text(other),
            };
            let words: Vec<String> = WORDS.iter().filter_map(said).collect();
            let names = NAMES.iter().filter(|_| !words.is_empty()).filter_map(said).collect::<Vec<_>>();
            let several = SEVERAL.iter().filter_map(|name| fields.get(*name)?.as_array()).flatten();
            let several = several.filter_map(|item| text(Some(item)));
            for line in words.into_iter().chain(several).chain(names) {
                if lines.len() < MOST_LINES && !lines.contains(&line) {
                    lines.push(line);
                }
            }
            for field in fields.values() {
                collect(field, depth, lines);
            }
        }
        Value::Array(items) => {
            for item in items {
                collect(item, depth, lines);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Returns `name` if the log may show it, else `unnamed`.
pub fn shown_name(name: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.- ".contains(&byte);
    let shown = !name.is_empty() && name.len() <= LONGEST_NAME && name.bytes().all(plain);
    if shown { name } else { "unnamed" }.to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use time::macros::datetime;

    use super::{instant, integer, message_id, network_id, shown_name, text, words};

    #[test]
    fn times_come_in_seconds_or_milliseconds_as_text_or_number() {
        let at = datetime!(2025-11-20 00:53:21 UTC);
        for (written, wanted) in [
            (json!("1763600001"), Some(at)),
            (json!(1_763_600_001), Some(at)),
            (json!("1763600001000"), Some(at)),
            (json!(1_763_600_001_250_i64), Some(at + time::Duration::milliseconds(250))),
            (json!(0), Some(time::OffsetDateTime::UNIX_EPOCH)),
            (json!(-1), None),
            (json!(i64::MAX), None),
            (json!(u64::MAX), None),
            (json!(1.5), None),
            (json!("soon"), None),
            (json!(""), None),
            (Value::Null, None),
        ] {
            assert_eq!(instant(&written), wanted, "{written}");
        }
    }

    #[test]
    fn ids_and_names_are_those_that_cause_no_trouble() {
        for (written, id) in [
            (json!("106540352242922"), Some("106540352242922")),
            (json!(1_234_567_890), Some("1234567890")),
            (json!("a\u{0}"), None),
            (json!(""), None),
            (json!("1".repeat(65)), None),
            (json!(-1), None),
        ] {
            assert_eq!(network_id(Some(&written)).as_deref(), id, "{written}");
        }
        assert_eq!(message_id(Some(&json!("wamid.HBgM+/="))).as_deref(), Some("wamid.HBgM+/="));
        for bad in [json!(""), json!("a\nb"), json!(5), json!("x".repeat(513))] {
            assert_eq!(message_id(Some(&bad)), None, "{bad}");
        }
        assert_eq!(shown_name("account_update"), "account_update");
        assert_eq!(shown_name("two\nlines"), "unnamed");
    }

    #[test]
    fn numbers_come_as_numbers_or_in_texts() {
        for (written, wanted) in [
            (json!(131_053), Some(131_053)),
            (json!("131053"), Some(131_053)),
            (json!("soon"), None),
            (json!(1.5), None),
        ] {
            assert_eq!(integer(Some(&written)), wanted, "{written}");
        }
    }

    #[test]
    fn what_is_not_known_says_its_words_and_what_it_is_called() {
        for (value, wanted) in [
            (
                json!({ "elements": [{ "id": "771", "title": "سماعة", "price": 25000, "image_url": "https://x" }] }),
                vec!["سماعة", "25000", "771"],
            ),
            (
                json!({ "ask": { "text": "Which?" }, "options": [{ "name": "A" }, { "name": "B" }] }),
                vec!["Which?", "A", "B"],
            ),
            (
                json!({ "poll": { "question": "Which?", "options": ["A", "B"], "id": "7" } }),
                vec!["Which?", "A", "B", "7"],
            ),
            (json!({ "feedback": [{ "label": "Service", "comment": "Slow" }] }), vec!["Service", "Slow"]),
            (json!({ "id": "1", "sha256": "x" }), vec![]),
            (json!("words"), vec![]),
        ] {
            assert_eq!(words(&value), wanted, "{value}");
        }
        let deep = (0..9).fold(json!({ "text": "far" }), |inner, _| json!({ "in": inner }));
        assert_eq!(words(&deep), Vec::<String>::new());
    }

    #[test]
    fn a_text_without_words_is_none() {
        assert_eq!(text(Some(&json!("a\u{0}b"))).as_deref(), Some("ab"));
        for nothing in [json!(""), json!(" \n"), json!("\u{0}"), json!(5), Value::Null] {
            assert_eq!(text(Some(&nothing)), None, "{nothing}");
        }
    }
}
