//! Text by others that we show: one line, bounded, without invisible characters.

use std::fmt;

use compact_str::CompactString;

use super::direction::is_direction_control;

/// One line of text from a system or a person that we do not vouch for: not blank, bounded in length, and
/// without control characters, direction marks or characters that hide letters in plain sight. Possibly
/// personal, so `Debug` does not show it.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlainText(CompactString);

impl PlainText {
    /// Cleans `written` and cuts it after `longest` characters, invisible ones not counted; `None` if nothing
    /// is left.
    pub fn read(written: &str, longest: usize) -> Option<Self> {
        Self::read_whole(written, longest).map(|(text, _)| text)
    }

    /// Cleans as [`PlainText::read`] does, and also returns whether nothing was cut off.
    pub fn read_whole(written: &str, longest: usize) -> Option<(Self, bool)> {
        if is_plain(written) && (written.len() <= longest || written.chars().count() <= longest) {
            return (!super::is_blank(written)).then(|| (Self(written.into()), true));
        }
        Self::cleaned(written, longest)
    }

    fn cleaned(written: &str, longest: usize) -> Option<(Self, bool)> {
        let mut text = CompactString::with_capacity(written.len().min(longest.saturating_mul(4)));
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

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Returns whether a character is invisible and, unlike a joiner, no part of a word or an emoji: direction
/// marks, zero-width spaces, the tags that can spell out hidden Latin letters (U+E0000 and after), and notes
/// between lines.
const fn hides(c: char) -> bool {
    is_direction_control(c)
        || matches!(c,
            '\u{ad}' | '\u{180e}' | '\u{200b}' | '\u{2060}'..='\u{2065}' | '\u{206a}'..='\u{206f}' | '\u{feff}'
            | '\u{fff9}'..='\u{fffc}' | '\u{e0000}'..='\u{e0fff}')
}

/// Returns whether a text needs no cleaning, as far as its bytes tell at a glance: visible ASCII, letters of
/// two bytes except those that may hide something, and single spaces between them. Any other text is checked
/// letter by letter.
fn is_plain(written: &str) -> bool {
    let bytes = written.as_bytes();
    // No early exit, so that many bytes are checked at once. U+0080 to U+00BF begin with C2.
    let unknown = |byte: u8| !matches!(byte, b' '..=b'~' | 0x80..=0xbf | 0xc3..=0xdf);
    let odd = bytes.iter().fold(0, |odd, &byte| odd | u8::from(unknown(byte)));
    // Two spaces; U+061C.
    let apart = |pair: (u8, u8)| pair != (b' ', b' ') && pair != (0xd8, 0x9c);
    let pairs = bytes.iter().copied().zip(bytes.iter().copied().skip(1));
    let odd = pairs.fold(odd, |odd, pair| odd | u8::from(!apart(pair)));
    odd == 0 && !written.starts_with(' ') && !written.ends_with(' ')
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
        // A space at the cut is dropped.
        assert_eq!(read("خمسة حروف", 5).as_deref(), Some("خمسة"));
        let whole = |written, longest| PlainText::read_whole(written, longest).unwrap().1;
        assert!(whole("abc", 3) && whole("abc \u{200f}", 3) && !whole("abcd", 3));
    }

    proptest! {
        #[test]
        fn what_is_taken_as_it_stands_is_what_letter_by_letter_would_be_left(
            text in "[\\x00-\\x7f\\u{80}-\\u{7ff}]{0,12}|[ a-zء-ي]{0,12}|.{0,12}|[ \u{61c}\u{640}\u{a0}\u{ad}\u{200b}x]{0,5}",
            longest in 0_usize..14,
        ) {
            let whole = |read: Option<(PlainText, bool)>| read.map(|(text, whole)| (text.0, whole));
            prop_assert_eq!(
                whole(PlainText::read_whole(&text, longest)),
                whole(PlainText::cleaned(&text, longest))
            );
        }

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
