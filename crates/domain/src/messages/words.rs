//! Words that a message is found by, and words that are searched for.
//!
//! A message is found by the beginnings of its words, folded as names are; what stands between words is
//! ignored. Arabic writes its article and some particles onto the word, so a word is found by what follows
//! them, too.

use std::collections::BTreeSet;

use crate::text::{fold_for_search, is_mark, is_silent};

/// Longest search, in characters.
const LONGEST: usize = 200;
/// Characters of a word that count; the rest is ignored.
const LONGEST_WORD: usize = 40;
/// Most different words of a message that count.
const MOST_WORDS: usize = 600;
/// Fewest letters that must remain of a word when a particle is taken off.
const SHORTEST_REST: usize = 3;

/// Returns the words by which a message is found, each once, separated by spaces.
pub fn words_of(text: &str) -> String {
    let mut words: Vec<String> = tokens(text).flat_map(|token| forms(folded(token))).collect();
    words.sort_unstable();
    words.dedup();
    words.truncate(MOST_WORDS);
    words.join(" ")
}

/// A search for messages that have a word beginning with each of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WordSearch(Vec<String>);

/// Reason why a search is invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidWordSearch {
    #[error("what is searched for must have at most 200 characters")]
    TooLong,
    #[error("what is searched for must have a letter or a digit")]
    Blank,
}

/// A part of a text around a match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnippetPart {
    /// Text as it was written, not folded.
    pub text: String,
    pub is_match: bool,
}

impl WordSearch {
    /// Parses what a person typed.
    pub fn read(written: &str) -> Result<Self, InvalidWordSearch> {
        if written.chars().nth(LONGEST).is_some() {
            return Err(InvalidWordSearch::TooLong);
        }
        let bare = |word: String| rest_after(&word, "ال").map_or_else(|| word.clone(), str::to_owned);
        let words: BTreeSet<String> =
            tokens(written).map(|token| bare(folded(token))).filter(|word| !word.is_empty()).collect();
        if words.is_empty() {
            return Err(InvalidWordSearch::Blank);
        }
        Ok(Self(words.into_iter().collect()))
    }

    /// Returns the words, folded, each once.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// Returns whether a text has a word for each that is searched for.
    pub fn finds(&self, text: &str) -> bool {
        let words: BTreeSet<String> = tokens(text).flat_map(|token| forms(folded(token))).collect();
        self.0.iter().all(|wanted| words.iter().any(|word| begins(word, wanted)))
    }

    /// Returns the part of a text around the first match, some `most` characters long.
    pub fn snippet(&self, text: &str, most: usize) -> Vec<SnippetPart> {
        let mut parts: Vec<SnippetPart> = Vec::new();
        let pieces: Vec<(&str, bool)> = pieces(text).map(|piece| (piece, self.is_wanted(piece))).collect();
        let first = pieces.iter().position(|(_, is_match)| *is_match).unwrap_or_default();
        let length =
            |pieces: &[(&str, bool)]| pieces.iter().map(|(piece, _)| piece.chars().count()).sum::<usize>();
        let (before, _) = pieces.split_at(first);
        let skipped = (0..=first).find(|at| before.get(*at..).is_none_or(|kept| length(kept) <= most / 3));
        let (mut left, skipped) = (most, skipped.unwrap_or(first));
        let mut push = |text: &str, is_match: bool| match parts.last_mut() {
            Some(last) if last.is_match == is_match => last.text.push_str(text),
            _ => parts.push(SnippetPart { text: text.to_owned(), is_match }),
        };
        if skipped > 0 {
            push("…", false);
        }
        for (piece, is_match) in pieces.into_iter().skip(skipped) {
            let kept: String = piece.chars().take(left).collect();
            left -= kept.chars().count();
            push(&kept, is_match);
            if kept.len() < piece.len() {
                push("…", false);
                break;
            }
        }
        parts
    }

    fn is_wanted(&self, piece: &str) -> bool {
        forms(folded(piece)).iter().any(|word| self.0.iter().any(|wanted| begins(word, wanted)))
    }
}

/// Returns whether `word` begins with `wanted`. A single letter or digit must be the whole word: as a
/// beginning it would match nearly anything.
fn begins(word: &str, wanted: &str) -> bool {
    if wanted.chars().nth(1).is_some() { word.starts_with(wanted) } else { word == wanted }
}

fn is_of_word(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c) || is_silent(c) && !c.is_whitespace()
}

fn tokens(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_of_word(c)).filter(|token| !token.is_empty())
}

/// Splits a text into words and what stands between them, by turns, leaving nothing out.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let of_word = is_of_word(rest.chars().next()?);
        let end = rest.find(|c| is_of_word(c) != of_word).unwrap_or(rest.len());
        let (piece, behind) = rest.split_at(end);
        rest = behind;
        Some(piece)
    })
}

/// Folds a word. If folding puts a space into it, the space is dropped.
fn folded(token: &str) -> String {
    let mut folded = fold_for_search(token);
    folded.retain(char::is_alphanumeric);
    if let Some((end, _)) = folded.char_indices().nth(LONGEST_WORD) {
        folded.truncate(end);
    }
    folded
}

/// Returns a word, and what is left of it without an article or a particle that is written onto it.
fn forms(word: String) -> Vec<String> {
    let mut forms = Vec::new();
    let mut current = word.as_str();
    for particles in [&["و", "ف"][..], &["بال", "كال", "لل", "ال"]] {
        if let Some(rest) = particles.iter().find_map(|particle| rest_after(current, particle)) {
            forms.push(rest.to_owned());
            current = rest;
        }
    }
    if !word.is_empty() {
        forms.push(word);
    }
    forms
}

/// Returns what follows the particle, if that is long enough for a word.
fn rest_after<'a>(word: &'a str, particle: &str) -> Option<&'a str> {
    word.strip_prefix(particle).filter(|rest| rest.chars().nth(SHORTEST_REST - 1).is_some())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{InvalidWordSearch, SnippetPart, WordSearch, words_of};

    fn search(written: &str) -> WordSearch {
        WordSearch::read(written).unwrap()
    }

    #[test]
    fn a_message_is_kept_by_its_words_folded_each_once() {
        for (text, words) in [
            ("Hello, HELLO world!", "hello world"),
            ("A-1042 / https://shop.example", "1042 a example https shop"),
            ("مُحَمَّد أحمد", "احمد محمد"),
            ("رقم ١٢٣", "123 رقم"),
            ("والطلب", "الطلب طلب والطلب"),
            ("بالمحل", "بالمحل محل"),
            ("للبيت", "بيت للبيت"),
            ("ولد", "ولد"),
            ("😀 …", ""),
            ("", ""),
        ] {
            assert_eq!(words_of(text), words, "{text}");
        }
    }

    #[test]
    fn words_are_found_by_their_beginning_and_in_any_order() {
        let text = "مرحبا، هل الطلب رقم A-1042 جاهز؟";
        for wanted in ["طلب", "الطلب", "جاهز مرحبا", "1042", "10", "a 1042", "A-1042", "الطـلـب", "جاهِز"]
        {
            assert!(search(wanted).finds(text), "{wanted}");
        }
        for missed in ["042", "جاهزين", "طلب 9", "1", "لطلب"] {
            assert!(!search(missed).finds(text), "{missed}");
        }
    }

    #[test]
    fn what_has_no_word_or_is_too_long_is_refused() {
        for blank in ["", " ", "!?", "😀", "\u{640}"] {
            assert_eq!(WordSearch::read(blank), Err(InvalidWordSearch::Blank), "{blank}");
        }
        assert!(WordSearch::read(&"ع".repeat(200)).is_ok());
        assert_eq!(WordSearch::read(&"ع".repeat(201)), Err(InvalidWordSearch::TooLong));
    }

    fn marked(wanted: &str, text: &str, most: usize) -> String {
        let shown = |part: SnippetPart| if part.is_match { format!("[{}]", part.text) } else { part.text };
        search(wanted).snippet(text, most).into_iter().map(shown).collect()
    }

    #[test]
    fn a_snippet_shows_what_was_found_as_it_was_written() {
        for (wanted, text, most, shown) in [
            ("order", "Your Order, please", 60, "Your [Order], please"),
            ("طلب", "هل الطَّلب جاهز", 60, "هل [الطَّلب] جاهز"),
            ("ready", "one two three four five six ready now", 15, "… six [ready] now"),
            ("one", "one two three", 5, "[one] t…"),
            ("abc", "abcdefghij", 4, "[abcd]…"),
            ("x", "nothing here", 7, "nothing…"),
        ] {
            assert_eq!(marked(wanted, text, most), shown);
        }
    }

    proptest! {
        #[test]
        fn whatever_is_written_is_found_by_each_of_its_words(text in "[a-zA-Z0-9 .,!ء-ي\u{64b}\u{640}😀-]{0,60}") {
            for word in text.split_whitespace() {
                if let Ok(search) = WordSearch::read(word) {
                    prop_assert!(search.finds(&text), "{word:?}");
                    prop_assert!(search.snippet(&text, 500).iter().any(|part| part.is_match), "{word:?}");
                }
            }
        }

        #[test]
        fn a_snippet_is_as_short_as_wanted(text in ".{0,300}", wanted in "[a-z]{1,3}", most in 1..80_usize) {
            let parts = search(&wanted).snippet(&text, most);
            let length: usize = parts.iter().map(|part| part.text.chars().count()).sum();
            prop_assert!(length <= most + 2);
        }

        #[test]
        fn what_is_kept_has_only_letters_digits_and_spaces(text in ".{0,200}") {
            prop_assert!(words_of(&text).chars().all(|c| c == ' ' || c.is_alphanumeric()));
        }
    }
}
