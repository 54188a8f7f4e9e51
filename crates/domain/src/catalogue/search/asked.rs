//! A question in its words, and what each of them is worth.

use super::{
    lists::{asks, begins_a_wish, describes, is_unit},
    service::is_of_service,
    synonyms::{Sort, Synonyms},
    words::{tokens, words},
};
use crate::text::fold_for_search;

/// Words of a question that are looked for.
const MOST_ASKED: usize = 12;
/// Words from which a question tells a story, of which unknown words are the trimmings.
const STORY: usize = 4;
/// Weight of a word that only belongs to the story.
const ASIDE: f64 = 0.1;
/// Weight of a word that says only which of a good, if the question says what as well.
const WHICH: f64 = 0.75;

/// A word of a question that may stand in a title.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) text: String,
    /// Whether the word likely tells why, and not what.
    pub(super) aside: bool,
    /// Whether the word is known to say only which of a good.
    pub(super) which: bool,
}

/// A question without the words that only ask.
#[derive(Debug, Clone)]
pub(super) struct Asked {
    pub(super) words: Vec<Word>,
    /// Whether any product may be what is wanted: a question about delivery wants none.
    pub(super) wants: bool,
}

impl Asked {
    /// Reads a question; digits are words of their own.
    pub(super) fn read(asked: &str, synonyms: &Synonyms) -> Self {
        Self::of(&words(asked), synonyms)
    }

    /// Does as [`Asked::read`], but digits stay with the letters that they are written with.
    pub(super) fn read_unparted(asked: &str, synonyms: &Synonyms) -> Self {
        let all: Vec<String> = tokens(&fold_for_search(asked)).map(str::to_owned).collect();
        Self::of(&all, synonyms)
    }

    /// Reads a question about anything that a business writes of, in which delivery and payment may be all
    /// that is wanted.
    pub(super) fn of_texts(asked: &str) -> Vec<Word> {
        let all = words(asked);
        let mut asked: Vec<Word> = Vec::new();
        for word in all.iter().filter(|word| !asks(word) && !is_drawn_out(word)) {
            if asked.len() < MOST_ASKED && asked.iter().all(|known| known.text != *word) {
                asked.push(told(word));
            }
        }
        asked
    }

    fn of(all: &[String], synonyms: &Synonyms) -> Self {
        // «بي ضمان» asks whether it has a guarantee; elsewhere the word may be a letter of a name: «جي بي ال».
        let only_asks = |at: usize| {
            let next = all.get(at + 1);
            all.get(at).is_some_and(|word| word == "بي")
                && next.is_some_and(|next| is_of_service(next, synonyms))
        };
        let all: Vec<String> =
            all.iter().enumerate().filter(|(at, _)| !only_asks(*at)).map(|(_, word)| word.clone()).collect();
        let says_what = |word: &String| !asks(word) && !is_of_service(word, synonyms);
        let names = |word: &String| says_what(word) && !describes(word) && !is_unit(word) && !is_number(word);
        // A unit alone, such as the letter of a size, names no good.
        let wants = all.iter().any(names) || all.iter().all(|word| says_what(word) && !is_unit(word));
        if !wants {
            let mut words: Vec<Word> =
                all.iter().filter(|word| says_what(word)).map(|word| told(word)).collect();
            if words.is_empty() {
                words = all.iter().map(|word| told(word)).collect();
            }
            words.truncate(MOST_ASKED);
            return Self { words, wants };
        }
        let wish = all.iter().position(|word| begins_a_wish(word)).unwrap_or_default();
        let wish = if all.iter().skip(wish).any(names) { wish } else { 0 };
        let is_story = all.iter().filter(|word| says_what(word)).count() >= STORY;
        let aside = |at: usize, word: &String| {
            if at < wish {
                synonyms.spelled(word).is_empty()
            } else {
                is_story && !is_number(word) && !is_latin_name(word) && synonyms.groups(word).is_empty()
            }
        };
        let said = all.iter().enumerate().filter(|(_, word)| !asks(word));
        let mut words: Vec<Word> = said
            .map(|(at, word)| Word {
                text: word.clone(),
                aside: !says_what(word) || aside(at, word),
                which: synonyms.groups(word).first().is_some_and(|group| group.sort == Sort::Which),
            })
            .collect();
        if words.iter().all(|word| word.aside) {
            for word in &mut words {
                word.aside = false;
            }
        }
        // What is wanted is often said last.
        let mut left = words.len().saturating_sub(MOST_ASKED);
        words.retain(|word| {
            let leaves = word.aside && left > 0;
            left -= usize::from(leaves);
            !leaves
        });
        words.truncate(MOST_ASKED);
        Self { words, wants }
    }
}

impl Word {
    /// Returns the weight of the word in the question.
    pub(super) fn counts(&self) -> f64 {
        let counts = if is_unit(&self.text) {
            0.2
        } else if is_number(&self.text) {
            0.6
        } else if describes(&self.text) {
            0.35
        } else {
            1.0
        };
        if self.aside {
            counts * ASIDE
        } else if self.which {
            counts * WHICH
        } else {
            counts
        }
    }
}

/// Returns the first question to a shop: the customer's own spelling of the words that say what is wanted.
pub fn question(asked: &str, synonyms: &Synonyms) -> String {
    let read = Asked::read_unparted(asked, synonyms);
    let is_kept = |word: &str| read.words.iter().any(|kept| kept.text == word && !kept.aside);
    let kept: Vec<&str> = asked
        .split_whitespace()
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()))
        .filter(|word| tokens(&fold_for_search(word)).any(is_kept))
        .collect();
    if kept.is_empty() { asked.trim().to_owned() } else { kept.join(" ") }
}

/// Returns whether a word is one letter over and over: a cry, or a laugh.
fn is_drawn_out(word: &str) -> bool {
    let mut letters = word.chars();
    letters.next().is_some_and(|first| first.is_alphabetic() && letters.all(|letter| letter == first))
}

pub(super) fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns whether a word has Latin letters and digits, as models are named.
fn is_latin_name(word: &str) -> bool {
    word.is_ascii() && word.contains(|c: char| c.is_ascii_digit())
}

fn told(word: &str) -> Word {
    Word { text: word.to_owned(), aside: false, which: false }
}
