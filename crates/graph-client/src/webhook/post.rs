//! A post as JSON.

use serde::Deserialize;
use serde_json::Value;

use super::surrogates;

/// Parses a post, also when a text in it is cut in the middle of an emoji.
///
/// # Errors
/// The place where the JSON breaks off, without a quotation from it.
pub fn parse(raw: &[u8]) -> Result<Value, String> {
    serde_json::from_slice(raw)
        .or_else(|_| serde_json::from_slice(&surrogates::mend(raw)))
        .map_err(|error| format!("no JSON from line {}, column {}", error.line(), error.column()))
}

/// Returns the `object` of a post without parsing the rest; `None` if it has none.
pub fn object_of(raw: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Head {
        object: String,
    }
    serde_json::from_slice::<Head>(raw).ok().map(|head| head.object)
}

#[cfg(test)]
mod tests {
    use super::{object_of, parse};

    #[test]
    fn the_object_is_found_wherever_it_stands_also_beside_half_an_emoji() {
        for (raw, object) in [
            (r#"{"object":"page","entry":[]}"#, Some("page")),
            (r#"{"entry":[{"text":"\ud83d"}],"object":"page"}"#, Some("page")),
            (r#"{"object":5}"#, None),
            ("{}", None),
            ("[]", None),
            ("", None),
        ] {
            assert_eq!(object_of(raw.as_bytes()).as_deref(), object, "{raw}");
        }
    }

    #[test]
    fn what_is_no_json_is_not_quoted() {
        let refused = parse(br#"{"secret": 9647701234567 oops"#).unwrap_err();
        assert!(!refused.contains("secret") && !refused.contains("964770"), "{refused}");
    }
}
