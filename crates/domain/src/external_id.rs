//! Ids of customers' systems.

use std::{
    fmt,
    hash::{Hash, Hasher},
};

use compact_str::CompactString;
use serde::{Serialize, Serializer, ser::Error as _};
use serde_json::value::RawValue;

/// Most characters of an id.
const LONGEST: usize = 200;

/// An id of a customer's system. Kept as it came, a number by its digits as written; compared as text, and
/// serialized as the JSON type that it came in. `Debug` does not show it, because it leads to what the
/// system keeps of somebody.
#[derive(Clone)]
pub struct ExternalId {
    // Most ids are short, and then take no memory of their own.
    text: CompactString,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
}

impl ExternalId {
    /// Creates an id that came as a string; `None` if it is blank, longer than 200 characters, or has control
    /// characters.
    pub fn of_text(text: &str) -> Option<Self> {
        let formed = !text.trim().is_empty()
            && (text.len() <= LONGEST || text.chars().nth(LONGEST).is_none())
            && !text.contains(char::is_control);
        formed.then(|| Self { text: text.into(), kind: Kind::Text })
    }

    /// Creates an id that came as a JSON number, from its text; `None` if it is no number or longer than 200
    /// characters.
    pub fn of_number(written: &str) -> Option<Self> {
        let number = written.len() <= LONGEST
            && written.starts_with(|c: char| c == '-' || c.is_ascii_digit())
            && serde_json::from_str::<serde_json::Number>(written).is_ok();
        number.then(|| Self { text: written.into(), kind: Kind::Number })
    }

    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether the id came as a number.
    pub const fn is_number(&self) -> bool {
        matches!(self.kind, Kind::Number)
    }
}

impl PartialEq for ExternalId {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for ExternalId {}

impl Hash for ExternalId {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl fmt::Debug for ExternalId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ExternalId(…)")
    }
}

/// Serializes a number digit for digit into JSON text; `serde_json::Value` holds it only as precisely as its
/// own numbers do.
impl Serialize for ExternalId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.kind {
            Kind::Text => serializer.serialize_str(&self.text),
            Kind::Number => {
                RawValue::from_string(self.text.to_string()).map_err(S::Error::custom)?.serialize(serializer)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::ExternalId;

    #[test]
    fn an_id_is_written_as_it_came() {
        for number in ["7", "0", "-1", "1.50", "1e3", "9007199254740993", "123456789012345678901234567890"] {
            let id = ExternalId::of_number(number).unwrap();
            assert!(id.is_number());
            assert_eq!((serde_json::to_string(&id).unwrap().as_str(), id.as_str()), (number, number));
        }
        let id = ExternalId::of_text("007\"").unwrap();
        assert_eq!(serde_json::to_string(&id).unwrap(), r#""007\"""#);
    }

    #[test]
    fn ids_are_compared_as_text() {
        assert_eq!(ExternalId::of_number("12"), ExternalId::of_text("12"));
        assert_ne!(ExternalId::of_number("12"), ExternalId::of_text("12.0"));
    }

    #[test]
    fn what_is_no_id_is_none() {
        for text in ["", " ", "a\nb", "a\0", &"x".repeat(201)] {
            assert_eq!(ExternalId::of_text(text), None, "{text:?}");
        }
        for number in ["", "12a", "\"12\"", "null", "01", "+1", "1 2", " 1", &"1".repeat(201)] {
            assert_eq!(ExternalId::of_number(number), None, "{number:?}");
        }
    }

    #[test]
    fn an_id_is_not_printed() {
        assert!(!format!("{:?}", ExternalId::of_text("customer-77")).contains("77"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in ".{0,30}") {
            let _ = (ExternalId::of_text(&text), ExternalId::of_number(&text));
        }
    }
}
