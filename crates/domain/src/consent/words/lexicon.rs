//! The words that answers to a summary are made of, from files by tongue.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use super::tokens::{shortened, tokens_of};
use crate::consent::draft_kind::DraftKind;

const FILES: [&str; 5] = [
    include_str!("ar.txt"),
    include_str!("en.txt"),
    include_str!("ckb.txt"),
    include_str!("latin.txt"),
    include_str!("signs.txt"),
];

static SHIPPED: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::read(&FILES));

/// Part that a word or phrase plays in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// A yes by itself, to any draft.
    Yes,
    /// A verb that says yes to any draft.
    Confirm,
    /// A verb that says yes to an order or a booking.
    Make,
    /// A verb that says yes to a cancellation, beside another yes.
    Cancel,
    /// What a verb is about; `None` for a pronoun.
    Object(Option<DraftKind>),
    /// Harmless beside a yes; by itself it may also say "I have read it".
    Assent,
    /// Asks to go on: a yes beside words of assent, and almost one by itself.
    Go,
    /// Harmless beside a verb of confirming; beside a bare yes it may mean something else.
    WithVerb,
    /// Makes even a yes beside it worth asking again.
    Near,
    /// Harmless beside a yes, and nothing by itself: forms of address, please, thanks.
    Company,
    /// A no by itself.
    No,
    /// A condition, a negation, a question or another subject: with it, nothing is an answer.
    Spoils,
}

impl Part {
    /// Parses the head of a section: the part, and the kinds of drafts for which it is played.
    fn read(head: &str) -> Option<(Self, &'static [DraftKind])> {
        use DraftKind::{Booking, Cancellation, Order};
        const MAKING: &[DraftKind] = &[Order, Booking];
        const ALL: &[DraftKind] = &DraftKind::ALL;
        Some(match head {
            "yes" => (Self::Yes, ALL),
            "confirm" => (Self::Confirm, ALL),
            "make" => (Self::Make, MAKING),
            "make order" => (Self::Make, &[Order]),
            "make booking" => (Self::Make, &[Booking]),
            "cancel" => (Self::Cancel, &[Cancellation]),
            "object any" => (Self::Object(None), ALL),
            // What is cancelled is an order.
            "object order" => (Self::Object(Some(Order)), &[Order, Cancellation]),
            "object booking" => (Self::Object(Some(Booking)), &[Booking]),
            "object cancellation" => (Self::Object(Some(Cancellation)), &[Cancellation]),
            "assent" => (Self::Assent, ALL),
            "assent making" => (Self::Assent, MAKING),
            "go" => (Self::Go, ALL),
            "go making" => (Self::Go, MAKING),
            "with verb" => (Self::WithVerb, ALL),
            "near" => (Self::Near, ALL),
            "company" => (Self::Company, ALL),
            "no" => (Self::No, ALL),
            "no making" => (Self::No, MAKING),
            "no cancellation" => (Self::No, &[Cancellation]),
            "spoils" => (Self::Spoils, ALL),
            _ => return None,
        })
    }
}

/// Parts that a phrase plays, each with the kinds of drafts for which it does.
type Parts = Vec<(Part, &'static [DraftKind])>;

/// The words and phrases, as tokens joined by spaces.
pub(super) struct Lexicon {
    phrases: HashMap<String, Parts>,
    /// Every word of a phrase.
    words: HashSet<String>,
    /// Number of tokens of the longest phrase.
    pub(super) longest: usize,
}

impl Lexicon {
    pub(super) fn shipped() -> &'static Self {
        &SHIPPED
    }

    fn read(files: &[&'static str]) -> Self {
        let mut lexicon = Self { phrases: HashMap::new(), words: HashSet::new(), longest: 0 };
        let lines = files.iter().flat_map(|file| file.lines()).map(str::trim);
        let mut section = None;
        for line in lines.filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if let Some(head) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = Part::read(head);
            } else if let (Some(section), Some(tokens)) = (section, tokens_of(line)) {
                lexicon.longest = lexicon.longest.max(tokens.len());
                let phrase = tokens.join(" ");
                lexicon.words.extend(tokens);
                let parts = lexicon.phrases.entry(phrase).or_default();
                if !parts.contains(&section) {
                    parts.push(section);
                }
            }
        }
        lexicon
    }

    /// Returns the part that a phrase plays in an answer to a draft of that kind.
    pub(super) fn part(&self, kind: DraftKind, phrase: &str) -> Option<Part> {
        let parts = self.phrases.get(phrase)?;
        parts.iter().find(|(_, kinds)| kinds.contains(&kind)).map(|(part, _)| *part)
    }

    /// Returns whether a phrase plays a part in answers to drafts of any kind.
    pub(super) fn has_phrase(&self, phrase: &str) -> bool {
        self.phrases.contains_key(phrase)
    }

    /// Returns a word as it is known: without an "and" or "so" that is written as its first letter, and with
    /// a letter that is written three times or more but once, or twice; any other word as it is.
    pub(super) fn known_form(&self, word: String) -> String {
        let knows = |word: &str| self.words.contains(word);
        if knows(&word) {
            return word;
        }
        let bare = word.strip_prefix(['و', 'ف']).filter(|bare| knows(bare)).map(str::to_owned);
        let shorter = || {
            [1, 2].map(|most| shortened(&word, most)).into_iter().find(|form| *form != word && knows(form))
        };
        bare.or_else(shorter).unwrap_or(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> impl Iterator<Item = &'static str> {
        let lines = FILES.iter().flat_map(|file| file.lines()).map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
    }

    #[test]
    fn every_line_is_read() {
        for line in lines() {
            match line.strip_prefix('[') {
                Some(head) => assert!(Part::read(head.trim_end_matches(']')).is_some(), "{line}"),
                None => assert!(tokens_of(line).is_some_and(|tokens| !tokens.is_empty()), "{line}"),
            }
        }
    }

    #[test]
    fn no_phrase_plays_two_parts_for_one_kind_of_draft() {
        let twice = |(phrase, parts): (&String, &Parts)| {
            let plays = |kind| parts.iter().filter(|(_, kinds)| kinds.contains(&kind)).count();
            DraftKind::ALL.into_iter().any(|kind| plays(kind) > 1).then(|| format!("{phrase}: {parts:?}"))
        };
        let twice: Vec<_> = Lexicon::shipped().phrases.iter().filter_map(twice).collect();
        assert!(twice.is_empty(), "{twice:#?}");
    }
}
