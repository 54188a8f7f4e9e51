//! What a text says to a draft, read by the words and signs that it is made of.
//!
//! The whole text has to consist of known words: a yes is never looked for among others. The words are in
//! files by tongue, so that somebody who knows the tongue can change them; what each part does is
//! [`lexicon::Part`]. Words that also say "I have read it" or "good" (تمام، اوكي، ok, 👍) are no yes by
//! themselves and harmless beside one.

mod lexicon;
mod tokens;

use lexicon::{Lexicon, Part};
use tokens::tokens_of;

use super::draft_kind::DraftKind;

/// Most characters of a text that is looked at; a yes with all its courtesies is shorter.
const LONGEST: usize = 120;
/// Fewest words of a yes for each beyond the first that is not known, for it to be worth asking again.
const WORDS_FOR_UNKNOWN: usize = 5;

/// What one text says by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    Yes,
    No,
    /// Words of assent without a yes.
    Assent,
    /// Almost a yes.
    Near,
    Other,
}

/// What the words of a text are, taken together.
#[derive(Default)]
struct Found {
    words: usize,
    parts: Vec<Part>,
    unknown: Vec<String>,
    /// Whether something is about another subject, or says the opposite for this kind of draft.
    is_foreign: bool,
    begins_with_sign: bool,
}

impl Found {
    fn has(&self, part: Part) -> bool {
        self.parts.contains(&part)
    }

    /// Returns whether a verb says yes.
    fn has_verb(&self) -> bool {
        self.has(Part::Confirm) || self.has(Part::Make)
    }

    fn says_yes(&self) -> bool {
        self.has(Part::Yes) || self.has_verb() || (self.has(Part::Go) && self.has(Part::Assent))
    }

    /// Returns whether something makes of a yes but almost one. To the question whether to cancel, the verb
    /// needs a yes beside it.
    fn is_doubtful(&self) -> bool {
        self.has(Part::Near)
            || (self.has(Part::WithVerb) && !self.has_verb())
            || (self.has(Part::Cancel) && !self.has(Part::Yes) && !self.has(Part::Confirm))
    }

    /// Returns whether each thing that is named is what a verb beside it is about, in an answer to that kind
    /// of draft.
    fn objects_fit(&self, kind: DraftKind) -> bool {
        self.parts.iter().all(|part| match (kind, part) {
            (_, Part::Object(None)) => self.has_verb() || self.has(Part::Cancel),
            (DraftKind::Cancellation, Part::Object(Some(DraftKind::Order))) => self.has(Part::Cancel),
            (kind, Part::Object(Some(of))) => kind == *of && self.has_verb(),
            _ => true,
        })
    }
}

/// Classifies `text` as an answer to a draft of that kind.
pub(super) fn read(kind: DraftKind, text: &str) -> Meaning {
    if text.chars().nth(LONGEST).is_some() {
        return Meaning::Other;
    }
    let Some(found) = tokens_of(text).and_then(|tokens| find(kind, tokens)) else { return Meaning::Other };
    if found.is_foreign || !found.objects_fit(kind) {
        return Meaning::Other;
    }
    if found.has(Part::No) {
        let is_no = |part: &Part| matches!(part, Part::No | Part::Company | Part::Title);
        let is_alone = found.unknown.is_empty() && found.parts.iter().all(is_no);
        return if is_alone { Meaning::No } else { Meaning::Other };
    }
    let says_yes = found.says_yes();
    match found.unknown.as_slice() {
        [] if says_yes && !found.is_doubtful() && !found.begins_with_sign => Meaning::Yes,
        [] if says_yes || found.has(Part::Go) || found.is_doubtful() => Meaning::Near,
        [] if found.has(Part::Assent) => Meaning::Assent,
        // A courtesy that no list has, or a name; what has an article is a subject of its own.
        unknown
            if says_yes
                && !found.is_doubtful()
                && unknown.len() <= (found.words / WORDS_FOR_UNKNOWN).max(1)
                && !unknown.iter().any(|word| word.starts_with("ال")) =>
        {
            Meaning::Near
        }
        _ => Meaning::Other,
    }
}

/// Part of a text, from one token on.
#[derive(Clone, Copy)]
struct Step {
    /// Words up to the end that are in no phrase, and far more for one that spoils.
    cost: usize,
    /// Number of tokens, and what they are; `None` for a word that is in no phrase.
    taken: (usize, Option<Part>),
}

/// Takes the text apart into phrases, so that the fewest words are left, and into the longest ones first;
/// `None` if a word spoils it, or a sign, or a word with a digit, is not known.
fn find(kind: DraftKind, tokens: Vec<String>) -> Option<Found> {
    let lexicon = Lexicon::shipped();
    let tokens: Vec<String> = tokens.into_iter().flat_map(|token| lexicon.known_forms(token)).collect();
    let mut found = Found {
        words: tokens.len(),
        begins_with_sign: tokens.first().is_some_and(|token| !is_word(token)),
        ..Found::default()
    };
    let mut rest = tokens.as_slice();
    for (taken, part) in steps(kind, &tokens) {
        let (phrase, after) = rest.split_at_checked(taken)?;
        rest = after;
        match (part, phrase) {
            (Some(Part::Spoils), _) => return None,
            (Some(part), _) => found.parts.push(part),
            (None, [word]) if lexicon.has_word(word) => found.is_foreign = true,
            (None, [_]) if found.parts.last() == Some(&Part::Title) => found.parts.push(Part::Company),
            (None, [word]) if word.chars().all(char::is_alphabetic) => found.unknown.push(word.clone()),
            (None, _) => return None,
        }
    }
    Some(found)
}

/// Returns how many tokens each phrase takes, and what it is.
fn steps(kind: DraftKind, tokens: &[String]) -> Vec<(usize, Option<Part>)> {
    let lexicon = Lexicon::shipped();
    // Steps from each token on, the last token first.
    let mut best: Vec<Step> = Vec::with_capacity(tokens.len());
    let cost_behind = |best: &[Step], taken: usize| match best.len().checked_sub(taken) {
        Some(at) => best.get(at).map_or(0, |step| step.cost),
        None => 0,
    };
    for at in (0..tokens.len()).rev() {
        let rest = tokens.get(at..).unwrap_or_default();
        let phrases = (1..=lexicon.longest.min(rest.len())).rev().filter_map(|taken| {
            let part = lexicon.part(kind, rest.get(..taken)?)?;
            let spoils = if part == Part::Spoils { LONGEST } else { 0 };
            Some(Step { cost: spoils + cost_behind(&best, taken), taken: (taken, Some(part)) })
        });
        let left = Step { cost: 1 + cost_behind(&best, 1), taken: (1, None) };
        // Of equals, `min_by_key` takes the first. A word that is known by itself is never left.
        let is_known = lexicon.part(kind, rest.get(..1).unwrap_or_default()).is_some();
        let step = phrases.chain((!is_known).then_some(left)).min_by_key(|step| step.cost);
        best.push(step.unwrap_or(left));
    }
    let mut steps = Vec::new();
    let mut left = best.len();
    while let Some(step) = left.checked_sub(1).and_then(|at| best.get(at)) {
        steps.push(step.taken);
        left = left.saturating_sub(step.taken.0);
    }
    steps
}

fn is_word(token: &str) -> bool {
    token.chars().any(char::is_alphanumeric)
}
