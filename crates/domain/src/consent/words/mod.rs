//! What a text says to a draft, read by the words and signs that it is made of.
//!
//! The whole text has to consist of known words: a yes is never looked for among others. The words are in
//! files by tongue, so that somebody who knows the tongue can change them; what each part does is
//! [`lexicon::Part`]. Words that also say "I have read it", "good" or "go on" (تمام، اوكي، ok, 👍) are no yes
//! by themselves and harmless beside one.

mod lexicon;
mod tokens;

use lexicon::{Lexicon, Part};
use tokens::{known_form, tokens_of};

use super::draft_kind::DraftKind;

/// Most characters of a text that is looked at; a yes with all its courtesies is shorter.
const LONGEST: usize = 120;
/// Most words of a yes with a word that is not known, which is worth asking again.
const MOST_BESIDE_UNKNOWN: usize = 5;

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
    yes: bool,
    confirm: bool,
    make: bool,
    cancel: bool,
    assent: bool,
    go: bool,
    with_verb: bool,
    near: bool,
    no: bool,
    objects: Vec<Option<DraftKind>>,
    unknown: Vec<String>,
    /// Whether something is about another subject, or says the opposite for this kind of draft.
    is_foreign: bool,
    begins_with_sign: bool,
}

/// Classifies `text` as an answer to a draft of that kind.
pub(super) fn read(kind: DraftKind, text: &str) -> Meaning {
    if text.chars().nth(LONGEST).is_some() {
        return Meaning::Other;
    }
    let Some(found) = tokens_of(text).and_then(|tokens| find(kind, tokens)) else { return Meaning::Other };
    let says_yes = found.yes || found.confirm || found.make || (found.go && found.assent);
    if found.is_foreign || !objects_fit(kind, &found) {
        return Meaning::Other;
    }
    if found.no {
        let says_more = says_yes || found.cancel || found.assent || found.go || found.near;
        let is_alone = !says_more && found.objects.is_empty() && found.unknown.is_empty();
        return if is_alone { Meaning::No } else { Meaning::Other };
    }
    match found.unknown.as_slice() {
        [] if says_yes && !found.near && !found.begins_with_sign => Meaning::Yes,
        [] if says_yes || found.near || found.go => Meaning::Near,
        [] if found.assent => Meaning::Assent,
        // A courtesy that no list has, or a name; what has an article is a subject of its own.
        [one] if says_yes && !found.near && found.words <= MOST_BESIDE_UNKNOWN && !one.starts_with("ال") => {
            Meaning::Near
        }
        _ => Meaning::Other,
    }
}

/// Takes the text apart, the longest phrases first; `None` if a word spoils it, or a sign is not known.
fn find(kind: DraftKind, tokens: Vec<String>) -> Option<Found> {
    let lexicon = Lexicon::shipped();
    let tokens: Vec<String> = tokens.into_iter().map(|token| known_form(lexicon, token)).collect();
    let mut found = Found {
        words: tokens.len(),
        begins_with_sign: tokens.first().is_some_and(|token| !is_word(token)),
        ..Found::default()
    };
    let mut rest = tokens.as_slice();
    while let [first, others @ ..] = rest {
        let longest = (1..=lexicon.longest.min(rest.len())).rev().find_map(|count| {
            let (phrase, after) = rest.split_at_checked(count)?;
            Some((lexicon.part(kind, &phrase.join(" "))?, after))
        });
        let Some((part, after)) = longest else {
            rest = others;
            if lexicon.has_phrase(first) {
                found.is_foreign = true;
            } else if is_word(first) {
                found.unknown.push(first.clone());
            } else {
                return None;
            }
            continue;
        };
        rest = after;
        match part {
            Part::Yes => found.yes = true,
            Part::Confirm => found.confirm = true,
            Part::Make => found.make = true,
            Part::Cancel => found.cancel = true,
            Part::Object(of) => found.objects.push(of),
            Part::Assent => found.assent = true,
            Part::Go => found.go = true,
            Part::WithVerb => found.with_verb = true,
            Part::Near => found.near = true,
            Part::Company => {}
            Part::No => found.no = true,
            Part::Spoils => return None,
        }
    }
    // To the question whether to cancel, the verb needs a yes beside it.
    found.near |= found.cancel && !(found.yes || found.confirm);
    found.near |= found.with_verb && !(found.confirm || found.make || found.no);
    Some(found)
}

/// Returns whether each thing that is named is what a verb beside it is about, in an answer to that kind of
/// draft.
fn objects_fit(kind: DraftKind, found: &Found) -> bool {
    let fits = |of: &Option<DraftKind>| match (kind, of) {
        (_, None) => found.confirm || found.make || found.cancel,
        (DraftKind::Cancellation, Some(DraftKind::Order)) => found.cancel,
        (kind, Some(of)) => kind == *of && (found.confirm || found.make),
    };
    found.objects.iter().all(fits)
}

fn is_word(token: &str) -> bool {
    token.chars().any(char::is_alphanumeric)
}
