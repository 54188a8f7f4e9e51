//! Text that others wrote and that we show: one line, bounded, with nothing in it that cannot be seen.

use std::fmt;

use super::is_direction_control;

/// One line of text from a system or a person that we do not vouch for. It is not blank, has no control characters, no
/// direction marks and no characters that hide letters in plain sight, and is no longer than it was allowed to be. It
/// may be personal, so `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlainText(String);

impl PlainText {
    /// Reads `written`, cut after `longest` characters; what shows nothing counts as none of them. `None` when
    /// nothing is left.
    pub fn read(written: &str, longest: usize) -> Option<Self> {
        Self::read_whole(written, longest).map(|(text, _)| text)
    }

    /// As [`PlainText::read`], and tells whether all of it is there.
    pub fn read_whole(written: &str, longest: usize) -> Option<(Self, bool)> {
        let mut text = String::with_capacity(written.len().min(longest.saturating_mul(4)));
        let (mut length, mut gap) = (0, false);
        let mut whole = true;
        for c in written.chars() {
            if c.is_whitespace() || c.is_control() {
                gap = length > 0;
            } else if !hides(c) {
                let taken = 1 + usize::from(gap);
                if length + taken > longest {
                    whole = false;
                    break;
                }
                if std::mem::take(&mut gap) {
                    text.push(' ');
                }
                text.push(c);
                length += taken;
            }
        }
        (!super::is_blank(&text)).then_some((Self(text), whole))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether a character shows nothing and is no part of a word or an emoji, as a joiner is: direction marks, zero-width
/// spaces, the tags that can spell out hidden Latin letters (U+E0000 and after), and notes between lines.
const fn hides(c: char) -> bool {
    is_direction_control(c)
        || matches!(c,
            '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffc}' | '\u{e0000}'..='\u{e0fff}')
}

impl fmt::Debug for PlainText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PlainText(…)")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::PlainText;
    use crate::text::is_direction_control;

    fn read(written: &str, longest: usize) -> Option<String> {
        PlainText::read(written, longest).map(|text| text.as_str().to_owned())
    }

    #[test]
    fn what_is_not_seen_is_not_there() {
        for (written, left) in [
            ("  a\r\n\tb  ", Some("a b")),
            ("a\u{202e}b\u{2066}c\u{200f}", Some("abc")),
            ("a\u{200b}b\u{feff}", Some("ab")),
            ("\u{e0049}\u{e0067}حليب", Some("حليب")),
            ("می\u{200c}خواهم", Some("می\u{200c}خواهم")),
            ("👨\u{200d}👩\u{200d}👧", Some("👨\u{200d}👩\u{200d}👧")),
            ("\0\u{85}\u{2028}", None),
            ("\u{200d}\u{202e}", None),
            ("", None),
        ] {
            assert_eq!(read(written, 100).as_deref(), left, "{written:?}");
        }
    }

    #[test]
    fn text_is_cut_by_characters_and_says_so() {
        assert_eq!(read("خمسة حروف", 4).as_deref(), Some("خمسة"));
        // A space at the cut is none.
        assert_eq!(read("خمسة حروف", 5).as_deref(), Some("خمسة"));
        let whole = |written, longest| PlainText::read_whole(written, longest).unwrap().1;
        assert!(whole("abc", 3) && whole("abc \u{200f}", 3) && !whole("abcd", 3));
    }

    proptest! {
        #[test]
        fn any_text_becomes_one_bounded_line(text in "\\PC{0,60}|.{0,60}", longest in 0_usize..40) {
            if let Some(read) = read(&text, longest) {
                prop_assert!(read.chars().count() <= longest);
                prop_assert!(!read.contains(|c: char| c.is_control() || is_direction_control(c)));
                prop_assert!(!read.contains("  ") && read.trim() == read && !read.is_empty());
                prop_assert_eq!(self::read(&read, longest), Some(read));
            }
        }
    }
}
