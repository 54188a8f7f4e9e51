//! Tags of conversations.

use serde::{Deserialize, Serialize};

use crate::text::fold_for_search;

/// Longest tag, in characters.
const LONGEST: usize = 50;

/// A tag of 1 to 50 characters, without white space at the ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tag(String);

impl TryFrom<String> for Tag {
    type Error = InvalidTag;

    fn try_from(written: String) -> Result<Self, InvalidTag> {
        Self::read(&written)
    }
}

impl From<Tag> for String {
    fn from(tag: Tag) -> Self {
        tag.0
    }
}

/// Error for a text that is no tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a tag has 1 to 50 characters, white space at the ends not counted, one of them a letter or a sign")]
pub struct InvalidTag;

impl Tag {
    /// Parses a tag.
    ///
    /// # Errors
    /// [`InvalidTag`] if it is too long, has control characters, or has nothing visible.
    pub fn read(written: &str) -> Result<Self, InvalidTag> {
        let tag = Self(written.trim().to_owned());
        let fits = tag.0.chars().nth(LONGEST).is_none() && !tag.0.contains(char::is_control);
        if fits && !tag.folded().is_empty() { Ok(tag) } else { Err(InvalidTag) }
    }

    /// Returns the tag as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the form that tells tags apart: capitals and the forms of a letter make no difference.
    pub fn folded(&self) -> String {
        fold_for_search(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Tag;

    #[test]
    fn a_tag_is_trimmed_and_told_apart_by_its_letters() {
        let read = |written: &str| Tag::read(written).ok().map(|tag| (tag.0.clone(), tag.folded()));
        let known = |tag: &str, folded: &str| Some((tag.to_owned(), folded.to_owned()));
        let longest = "ع".repeat(50);
        assert_eq!(read("  VIP "), known("VIP", "vip"));
        assert_eq!(read("أحمد"), known("أحمد", "احمد"));
        assert_eq!(read("★"), known("★", "★"));
        assert_eq!(read(&longest), known(&longest, &longest));
        for written in ["", "  \u{a0}", "\u{200f}", "ـ", "a\tb", "a\0", &format!("{longest}a")] {
            assert_eq!(read(written), None, "{written:?}");
        }
    }
}
