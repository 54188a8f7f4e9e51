//! The words that answers to a summary are made of, from files by tongue.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use super::tokens::{heard, shortened, tokens_of};
use crate::consent::draft_kind::DraftKind;

/// Each file, and whether it writes the sounds of another script, which everybody spells otherwise.
const FILES: [(&str, bool); 5] = [
    (include_str!("ar.txt"), false),
    (include_str!("en.txt"), false),
    (include_str!("ckb.txt"), false),
    (include_str!("latin.txt"), true),
    (include_str!("signs.txt"), false),
];
/// Fewest letters of a phrase that is recognised by its sound.
const FEWEST_HEARD: usize = 3;

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
    /// Asks to go on, which may be with talking: a yes beside words of assent, and almost one by itself.
    Go,
    /// Harmless beside a verb of confirming; beside a bare yes it may mean something else.
    WithVerb,
    /// Makes even a yes beside it worth asking again.
    Near,
    /// Harmless beside a yes, and nothing by itself: forms of address, please, thanks.
    Company,
    /// Company that somebody's name follows.
    Title,
    /// A no by itself.
    No,
    /// A condition, a negation, a question or another subject: with it, nothing is an answer.
    Spoils,
}

impl Part {
    /// Parses the head of a section: the parts, each with the kinds of drafts for which it is played.
    fn read(head: &str) -> Option<Parts> {
        use DraftKind::{Booking, Cancellation, Order};
        const MAKING: &[DraftKind] = &[Order, Booking];
        const ALL: &[DraftKind] = &DraftKind::ALL;
        let part: (Self, &'static [DraftKind]) = match head {
            // Whoever begins an order does not cancel it.
            "start" => return Some(vec![(Self::Make, MAKING), (Self::Go, &[Cancellation])]),
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
            "with verb" => (Self::WithVerb, ALL),
            "near" => (Self::Near, ALL),
            "company" => (Self::Company, ALL),
            "title" => (Self::Title, ALL),
            "no" => (Self::No, ALL),
            "no making" => (Self::No, MAKING),
            "no cancellation" => (Self::No, &[Cancellation]),
            "spoils" => (Self::Spoils, ALL),
            _ => return None,
        };
        Some(vec![part])
    }
}

/// Parts that a phrase plays, each with the kinds of drafts for which it does.
type Parts = Vec<(Part, &'static [DraftKind])>;

/// The words and phrases, as tokens joined by spaces.
#[derive(Default)]
pub(super) struct Lexicon {
    phrases: HashMap<String, Parts>,
    /// Phrases by their sound.
    heard: HashMap<String, Parts>,
    /// Every word of a phrase.
    words: HashSet<String>,
    /// Phrases in Latin letters by their consonants.
    consonants: HashMap<String, Parts>,
    /// Number of tokens of the longest phrase.
    pub(super) longest: usize,
}

impl Lexicon {
    pub(super) fn shipped() -> &'static Self {
        &SHIPPED
    }

    fn read(files: &[(&'static str, bool)]) -> Self {
        let mut lexicon = Self::default();
        let mut section = Vec::new();
        for (line, is_heard) in
            files.iter().flat_map(|&(file, is_heard)| file.lines().map(move |line| (line.trim(), is_heard)))
        {
            if let Some(head) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                section = Part::read(head).unwrap_or_default();
            } else if !line.starts_with('#') {
                let phrases = spellings(line).into_iter().filter_map(|spelling| tokens_of(&spelling));
                for phrase in phrases.filter(|phrase| !phrase.is_empty()) {
                    lexicon.add(phrase, is_heard, &section);
                }
            }
        }
        lexicon
    }

    fn add(&mut self, phrase: Vec<String>, is_heard: bool, section: &[(Part, &'static [DraftKind])]) {
        let add = |parts: &mut Parts| {
            let new = section.iter().filter(|part| !parts.contains(part)).copied().collect::<Vec<_>>();
            parts.extend(new);
        };
        self.longest = self.longest.max(phrase.len());
        if let Some(sound) = sound_of(&phrase).filter(|_| is_heard) {
            add(self.heard.entry(sound).or_default());
        }
        if let Some(consonants) = consonants_of(&phrase) {
            add(self.consonants.entry(consonants).or_default());
        }
        add(self.phrases.entry(phrase.join(" ")).or_default());
        self.words.extend(phrase);
    }

    /// Returns the part that a phrase plays in an answer to a draft of that kind, as it is spelt, as it
    /// sounds, or by its consonants, if they are not those of another part.
    pub(super) fn part(&self, kind: DraftKind, phrase: &[String]) -> Option<Part> {
        let played = |parts: &Parts| {
            parts.iter().filter(|(_, kinds)| kinds.contains(&kind)).map(|(part, _)| *part).collect::<Vec<_>>()
        };
        let first = |parts: &Parts| played(parts).first().copied();
        let heard = || self.heard.get(&sound_of(phrase)?).and_then(first);
        let by_consonants = || match played(self.consonants.get(&consonants_of(phrase)?)?).as_slice() {
            [part] => Some(*part),
            parts => parts.contains(&Part::Spoils).then_some(Part::Spoils),
        };
        self.phrases.get(&phrase.join(" ")).and_then(first).or_else(heard).or_else(by_consonants)
    }

    /// Returns whether a word by itself plays a part in answers to drafts of any kind.
    pub(super) fn has_word(&self, word: &str) -> bool {
        DraftKind::ALL.into_iter().any(|kind| self.part(kind, &[word.to_owned()]).is_some())
    }

    /// Returns a word as it is known: without an "and" or "so" that is written as its first letter, and with
    /// a letter that is written three times or more but once, or twice, and other double ones but once, if
    /// they are no verb's ending. Two words that are written as one are parted, and any other word stays as
    /// it is.
    pub(super) fn known_forms(&self, word: String) -> Vec<String> {
        let knows = |word: &str| self.words.contains(word);
        if knows(&word) {
            return vec![word];
        }
        let bare = || word.strip_prefix(['و', 'ف']).filter(|bare| knows(bare)).map(str::to_owned);
        let shorter = || {
            let forms = [(3, 2), (3, 1), (2, 1)].map(|(run, most)| shortened(&word, run, most));
            let is_ending = word.ends_with("تت") && !word.ends_with("تتت");
            forms.into_iter().find(|form| *form != word && !is_ending && knows(form))
        };
        let one = bare().or_else(shorter);
        one.map(|one| vec![one]).or_else(|| self.parted(&word)).unwrap_or_else(|| vec![word])
    }

    /// Parts two words that are known by themselves and written as one.
    fn parted(&self, word: &str) -> Option<Vec<String>> {
        let knows = |part: &str| part.chars().nth(1).is_some() && self.phrases.contains_key(part);
        let mut places = word.char_indices().map(|(at, _)| word.split_at(at));
        let (one, other) = places.find(|(one, other)| knows(one) && knows(other))?;
        Some(vec![one.to_owned(), other.to_owned()])
    }
}

/// Returns the sound of a phrase in Latin letters that is long enough to be told by it.
fn sound_of(phrase: &[String]) -> Option<String> {
    let sounds: Vec<String> = phrase.iter().map(|word| heard(word)).collect::<Option<_>>()?;
    let letters: usize = sounds.iter().map(String::len).sum();
    (letters >= FEWEST_HEARD).then(|| sounds.join(" "))
}

/// Returns a phrase in Latin letters with the consonants of each word that has enough to be told by them.
fn consonants_of(phrase: &[String]) -> Option<String> {
    let consonants = |word: &String| {
        let all: String = heard(word)?.chars().filter(|c| !"aiu".contains(*c)).collect();
        Some(if all.len() >= FEWEST_HEARD { all } else { word.clone() })
    };
    phrase.iter().map(consonants).collect::<Option<Vec<_>>>().map(|words| words.join(" "))
}

/// Lists the spellings of a line: of what stands in parentheses, parted by `|`, each has its own.
fn spellings(line: &str) -> Vec<String> {
    let choice = line.split_once('(').and_then(|(before, rest)| Some((before, rest.split_once(')')?)));
    let Some((before, (choices, after))) = choice else { return vec![line.to_owned()] };
    let after = spellings(after);
    choices
        .split('|')
        .flat_map(|choice| after.iter().map(move |after| format!("{before}{choice}{after}")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines() -> impl Iterator<Item = &'static str> {
        let lines = FILES.iter().flat_map(|(file, _)| file.lines()).map(str::trim);
        lines.filter(|line| !line.is_empty() && !line.starts_with('#'))
    }

    #[test]
    fn every_line_is_read() {
        for line in lines() {
            match line.strip_prefix('[') {
                Some(head) => assert!(Part::read(head.trim_end_matches(']')).is_some(), "{line}"),
                None => {
                    for spelling in spellings(line) {
                        assert!(tokens_of(&spelling).is_some_and(|tokens| !tokens.is_empty()), "{spelling}");
                    }
                }
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
