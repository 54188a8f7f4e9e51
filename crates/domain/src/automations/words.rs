//! Words that a message may contain.

use serde::{Deserialize, Serialize};

use crate::text::fold_for_search;

/// Most words of a condition.
const MOST: usize = 50;
/// Longest word or phrase, in characters.
const LONGEST: usize = 100;

/// Particles that Arabic writes onto the front of a word: and, so, by, for, like, the.
const PREFIXES: [&str; 15] =
    ["و", "ف", "ب", "ل", "ك", "ال", "لل", "وال", "فال", "بال", "كال", "ولل", "وب", "ول", "وبال"];

/// Words and phrases. A message contains one if its words stand in it, in order and whole: capitals, signs,
/// the forms of a letter and the particles that Arabic writes onto a word make no difference.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct Words(Vec<String>);

/// Error for a word that cannot be looked for, or for too many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("at most {MOST} words, of 1 to {LONGEST} characters, each with a letter or a digit")]
pub struct InvalidWords;

impl TryFrom<Vec<String>> for Words {
    type Error = InvalidWords;

    fn try_from(written: Vec<String>) -> Result<Self, InvalidWords> {
        let fits = |words: &String| words.chars().nth(LONGEST).is_none() && !split(words).is_empty();
        let fits = written.len() <= MOST && written.iter().all(fits);
        if fits { Ok(Self(written)) } else { Err(InvalidWords) }
    }
}

impl From<Words> for Vec<String> {
    fn from(words: Words) -> Self {
        words.0
    }
}

impl Words {
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns whether the text contains one of them.
    pub fn are_in(&self, text: &str) -> bool {
        let text = split(text);
        self.0.iter().map(|words| split(words)).any(|wanted| {
            !wanted.is_empty()
                && text
                    .windows(wanted.len())
                    .any(|run| run.iter().zip(&wanted).all(|(word, wanted)| is_word(word, wanted)))
        })
    }
}

fn split(text: &str) -> Vec<String> {
    let folded = fold_for_search(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

fn is_word(word: &str, wanted: &str) -> bool {
    word == wanted || PREFIXES.iter().any(|prefix| word.strip_prefix(prefix) == Some(wanted))
}

#[cfg(test)]
mod tests {
    use super::Words;

    #[test]
    fn a_word_is_found_whole_in_any_spelling_and_with_what_is_written_onto_it() {
        for (words, text, found) in [
            ("سعر", "كم السعر؟", true),
            ("سعر", "بسعر الجملة", true),
            ("سعر", "والسعر", true),
            ("سعر", "أسعار", false),
            ("سعر", "تسعيرة", false),
            ("أسعار", "الاسعار لو سمحت", true),
            ("شكوى", "عندي شكوي", true),
            ("فاتورة", "فَاتـــورهْ", true),
            ("Price", "what's the PRICE?", true),
            ("no", "I know", false),
            ("human agent", "a human, agent please", true),
            ("human agent", "agent human", false),
            ("١٢٣", "order 123", true),
            ("order", "", false),
        ] {
            let words = Words::try_from(vec!["nothing".to_owned(), words.to_owned()]).unwrap();
            assert_eq!(words.are_in(text), found, "{words:?} in {text}");
        }
    }

    #[test]
    fn what_no_message_can_contain_is_no_word() {
        for written in ["", "  ", "؟!", &"a".repeat(101)] {
            assert!(Words::try_from(vec![written.to_owned()]).is_err(), "{written:?}");
        }
        assert!(Words::try_from(vec!["a".to_owned(); 51]).is_err());
        assert!(Words::try_from(Vec::new()).unwrap().is_empty());
    }
}
