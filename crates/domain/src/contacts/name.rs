//! Names of contacts.

use crate::text::PlainText;

/// Most characters of a name (docs/use/rest-api.md, "Limits").
const LONGEST: usize = 200;

/// A name: one line of 1 to 200 characters, at least one of them visible, trimmed. White space of any kind
/// becomes one space; characters that are invisible or turn the direction of the text are removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContactName(String);

/// Error of a text that is no name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`name` must have 1 to 200 characters, white space at the ends not counted")]
pub struct InvalidName;

impl ContactName {
    /// Parses a name; fails for a blank or an overlong text.
    pub fn read(written: &str) -> Result<Self, InvalidName> {
        let name = PlainText::read_whole(written, LONGEST).filter(|(_, is_whole)| *is_whole);
        name.map(|(name, _)| Self(name.as_str().to_owned())).ok_or(InvalidName)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::ContactName;

    #[test]
    fn a_name_is_one_line_and_its_characters_are_counted_not_its_bytes() {
        let read = |written: &str| ContactName::read(written).ok().map(|name| name.0);
        let longest = "ع".repeat(200);
        for (written, name) in [
            ("  سارة\u{a0}", Some("سارة")),
            ("a  b", Some("a b")),
            ("Ali\r\nHassan", Some("Ali Hassan")),
            ("Ali\tHassan\u{2028}Omar", Some("Ali Hassan Omar")),
            ("\u{202e}abc\u{202c}", Some("abc")),
            ("می\u{200c}خواهم", Some("می\u{200c}خواهم")),
            (&format!(" {longest}\n"), Some(longest.as_str())),
            (&format!("{longest}a"), None),
            ("", None),
            (" \t\n\u{2003}", None),
            ("\u{200b}", None),
            ("\u{200f} \u{2066}\u{2069}", None),
            ("\u{200f}سارة\u{200e}", Some("سارة")),
        ] {
            assert_eq!(read(written).as_deref(), name, "{written}");
        }
    }
}
