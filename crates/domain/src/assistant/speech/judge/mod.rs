//! The judge of a model's own wording: it passes only what says nothing beyond code's wording. A "no" costs
//! style, never an answer, so what it does not understand it refuses.

mod lexicon;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::HashSet;

use self::{
    lexicon::Lexicon,
    tokens::{Token, tokens},
};
use super::{
    messages::Speech,
    phrase::Phrase,
    phrasebook::Phrasebook,
    spoken::{Fact, Spoken},
    voice::Voice,
};
use crate::{assistant::language::is_in, language::Language, text::is_blank};

/// Longest wording that is read, in bytes.
pub const LONGEST_WORDING: usize = 8 * 1024;
/// Longest prose that is courtesy alone, in bytes.
const LONGEST_COURTESY: usize = 400;
/// Characters that a wording may have beyond twice those of code's.
const LONGER: usize = 80;
/// Fewest letters of a word that a phrase is recognised by.
const FEWEST_LETTERS: usize = 3;
/// Words that help others and tell nothing themselves.
const HELPING: [&str; 6] = ["will", "have", "has", "been", "can", "does"];

/// Reason a wording does not replace code's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Objection {
    #[error("it is longer than {LONGEST_WORDING} bytes")]
    TooLong,
    #[error("it is empty")]
    Empty,
    #[error("it is much longer than code's wording")]
    Longer,
    #[error("it is in another language")]
    Language,
    #[error("the answer names several things, which it could exchange")]
    SeveralTitles,
    #[error("it asks where nothing is asked, or the other way round")]
    Question,
    #[error("a fact of the answer is missing, changed or at another place")]
    Facts,
    #[error("it has a number that is no fact of the answer")]
    Number,
    #[error("it has the sign {0:?}")]
    Sign(char),
    #[error("the word {0:?} is neither code's nor courtesy")]
    Word(String),
    #[error("it denies something else than code's wording does")]
    Denial,
    #[error("it leaves out what `{}` says", .0.key())]
    LeftOut(Phrase),
}

impl Objection {
    /// Returns its kind, without what it objects to.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::TooLong => "too_long",
            Self::Empty => "empty",
            Self::Longer => "longer",
            Self::Language => "language",
            Self::SeveralTitles => "several_titles",
            Self::Question => "question",
            Self::Facts => "facts",
            Self::Number => "number",
            Self::Sign(_) => "sign",
            Self::Word(_) => "word",
            Self::Denial => "denial",
            Self::LeftOut(_) => "left_out",
        }
    }
}

/// Phrases whose words prose without acts may have: they state nothing and promise nothing.
const COURTEOUS: [Phrase; 7] = [
    Phrase::Greet,
    Phrase::GreetSalam,
    Phrase::Thank,
    Phrase::Apologise,
    Phrase::YouAreWelcome,
    Phrase::Bye,
    Phrase::AskAnythingElse,
];

/// Words of greetings beside those of the lexicons, which have what a wording may say.
const GREETINGS: [&str; 9] = ["سلام", "السلام", "عليكم", "سلاو", "الو", "شلونكم", "شلونك", "salam", "alo"];

/// Returns whether a text has no word but courtesy, in whichever language.
pub fn is_courtesy(text: &str) -> bool {
    tokens(text).iter().all(|token| match token {
        Token::Word(word) => {
            GREETINGS.contains(&word.as_str())
                || Voice::ALL.into_iter().any(|voice| Lexicon::of(voice).is_courteous(word))
        }
        Token::Number(_) => false,
        Token::Sign(_) => true,
    })
}

/// What a word that denies stands before.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Behind {
    Word(String),
    Fact,
    Nothing,
}

/// A text taken apart: its facts, and the words beside them.
#[derive(Debug, Default)]
struct Parts {
    /// `None` stands for a fact.
    free: Vec<Option<Token>>,
    facts: usize,
}

/// The facts to look for in a text.
struct Facts {
    /// In their order.
    required: Vec<Vec<Token>>,
    /// The one title of the answer, which may be said at any place or left out.
    title: Option<Vec<Token>>,
}

/// Judges a wording that is suggested in place of `speech`.
///
/// # Errors
/// The first objection; code's wording is sent then.
pub fn judge(
    book: &Phrasebook,
    speech: &Speech,
    customer: &[String],
    wording: &str,
) -> Result<(), Objection> {
    if wording.len() > LONGEST_WORDING {
        return Err(Objection::TooLong);
    }
    if is_blank(wording) {
        return Err(Objection::Empty);
    }
    let code = speech.spoken();
    // That no person answers is left to nobody's wording.
    if code.phrases.iter().any(|phrase| !phrase.is_owners()) {
        return Err(Objection::Denial);
    }
    if wording.chars().count() > 2 * code.text.chars().count() + LONGER {
        return Err(Objection::Longer);
    }
    if !is_in(wording, script(book.voice())) {
        return Err(Objection::Language);
    }
    let facts = Facts::of(&code)?;
    let (said, suggested) = (Parts::of(&code.text, &facts), Parts::of(wording, &facts));
    if suggested.facts != facts.required.len() {
        return Err(Objection::Facts);
    }
    if said.asks() != suggested.asks() {
        return Err(Objection::Question);
    }
    let lexicon = Lexicon::of(book.voice());
    let known = Known::of(book, &code, &said, lexicon);
    known.check_words(&suggested, customer, lexicon)?;
    known.check_denials(&said, &suggested, lexicon)?;
    known.check_phrases(&suggested)
}

/// Judges prose that comes without acts: all of it has to be courtesy.
///
/// # Errors
/// The first objection; nothing of it is sent then.
pub fn judge_courtesy(book: &Phrasebook, text: &str) -> Result<(), Objection> {
    if text.len() > LONGEST_COURTESY {
        return Err(Objection::TooLong);
    }
    if is_blank(text) {
        return Err(Objection::Empty);
    }
    if !is_in(text, script(book.voice())) {
        return Err(Objection::Language);
    }
    let wordings = COURTEOUS.iter().flat_map(|phrase| book.wordings(*phrase));
    let words = wordings.flat_map(|wording| words(&Parts::of_wording(&wording))).collect();
    let known = Known { words, denials: HashSet::new(), phrases: Vec::new() };
    let lexicon = Lexicon::of(book.voice());
    let said = Parts { free: tokens(text).into_iter().map(Some).collect(), facts: 0 };
    known.check_words(&said, &[], lexicon)?;
    if said.denials(lexicon).is_empty() { Ok(()) } else { Err(Objection::Denial) }
}

const fn script(voice: Voice) -> Language {
    match voice {
        Voice::English => Language::English,
        Voice::IraqiArabic | Voice::FormalArabic | Voice::Sorani => Language::Arabic,
    }
}

fn bare_tokens(text: &str) -> Vec<Token> {
    let mut all = tokens(text);
    all.retain(|token| *token != Token::Sign('\n'));
    all
}

impl Facts {
    fn of(code: &Spoken) -> Result<Self, Objection> {
        let mut titles: Vec<_> = code.facts.iter().filter(|fact| matches!(fact, Fact::Title(_))).collect();
        titles.dedup();
        let title = match titles.as_slice() {
            [] => None,
            [title] => Some(bare_tokens(title.text())),
            _ => return Err(Objection::SeveralTitles),
        };
        let told = code.facts.iter().filter(|fact| matches!(fact, Fact::Told(_)));
        let required = told.map(|fact| bare_tokens(fact.text())).filter(|tokens| !tokens.is_empty());
        Ok(Self { required: required.collect(), title: title.filter(|title| !title.is_empty()) })
    }
}

impl Parts {
    fn of(text: &str, facts: &Facts) -> Self {
        let all = tokens(text);
        let mut parts = Self::default();
        let mut rest = all.as_slice();
        while let Some((first, behind)) = rest.split_first() {
            let next = facts.required.get(parts.facts);
            if let Some(after) = next.and_then(|fact| after(rest, fact)) {
                parts.facts += 1;
                parts.free.push(None);
                rest = after;
            } else if let Some(after) = facts.title.as_ref().and_then(|title| after(rest, title)) {
                parts.free.push(None);
                rest = after;
            } else {
                parts.free.push(Some(first.clone()));
                rest = behind;
            }
        }
        parts
    }

    /// Takes a wording of code's apart, with its places for facts.
    fn of_wording(wording: &[Option<&str>]) -> Self {
        let part = |part: Option<&str>| match part {
            Some(words) => bare_tokens(words).into_iter().map(Some).collect(),
            None => vec![None],
        };
        Self { free: wording.iter().copied().flat_map(part).collect(), facts: 0 }
    }

    fn asks(&self) -> bool {
        self.free.iter().flatten().any(Token::ends_question)
    }

    /// Lists the words that deny, with what stands behind each.
    fn denials(&self, lexicon: &Lexicon) -> Vec<(String, Behind)> {
        let said = self.free.iter().filter(|part| !matches!(part, Some(Token::Sign(_))));
        let said: Vec<_> = said.collect();
        let behind = |place: usize| match said.get(place + 1) {
            Some(Some(Token::Word(word) | Token::Number(word))) => Behind::Word(word.clone()),
            Some(None) => Behind::Fact,
            Some(Some(Token::Sign(_))) | None => Behind::Nothing,
        };
        let denial = |(place, part): (usize, &&Option<Token>)| match part {
            Some(Token::Word(word)) if lexicon.denies(word) => Some((word.clone(), behind(place))),
            _ => None,
        };
        said.iter().enumerate().filter_map(denial).collect()
    }
}

/// Returns what stands behind a fact that a text begins with. Lines may break within it.
fn after<'a>(mut text: &'a [Token], fact: &[Token]) -> Option<&'a [Token]> {
    for wanted in fact {
        while let (Some((Token::Sign('\n'), rest)), true) = (text.split_first(), *wanted != Token::Sign('\n'))
        {
            text = rest;
        }
        let (first, rest) = text.split_first()?;
        if first != wanted {
            return None;
        }
        text = rest;
    }
    Some(text)
}

/// What code's wordings of the same phrases hold, whichever of them was chosen.
struct Known {
    words: HashSet<String>,
    denials: HashSet<(String, Behind)>,
    /// Words of each phrase that names no evidence; one of them has to be said.
    phrases: Vec<(Phrase, HashSet<String>)>,
}

impl Known {
    fn of(book: &Phrasebook, code: &Spoken, said: &Parts, lexicon: &Lexicon) -> Self {
        let mut known = Self { words: words(said), denials: HashSet::new(), phrases: Vec::new() };
        known.denials.extend(said.denials(lexicon));
        for phrase in &code.phrases {
            let mut of_phrase = HashSet::new();
            for wording in book.wordings(*phrase) {
                let parts = Parts::of_wording(&wording);
                known.denials.extend(parts.denials(lexicon));
                of_phrase.extend(words(&parts));
            }
            known.words.extend(of_phrase.iter().cloned());
            let is_telling = |word: &String| {
                word.chars().count() >= FEWEST_LETTERS
                    && !HELPING.contains(&word.as_str())
                    && !lexicon.is_courteous(word)
                    && !lexicon.denies(word)
            };
            of_phrase.retain(is_telling);
            if phrase.places().is_empty() && !phrase.is_courtesy() && !of_phrase.is_empty() {
                known.phrases.push((*phrase, of_phrase));
            }
        }
        known
    }

    fn check_words(
        &self,
        suggested: &Parts,
        customer: &[String],
        lexicon: &Lexicon,
    ) -> Result<(), Objection> {
        let theirs: HashSet<_> = customer.iter().flat_map(|said| bare_tokens(said)).collect();
        // From the end: whether a sentence is a question shows there.
        let mut is_question = false;
        for part in suggested.free.iter().rev().flatten() {
            if part.ends_sentence() {
                is_question = part.ends_question();
            }
            match part {
                Token::Number(_) => return Err(Objection::Number),
                Token::Sign(sign) if !lexicon.is_harmless(*sign) => return Err(Objection::Sign(*sign)),
                Token::Word(word) => {
                    // To repeat a customer's words is to say them, unless it is asked.
                    let is_theirs = is_question && theirs.contains(part);
                    if !is_theirs && !self.is_known(word, lexicon) {
                        return Err(Objection::Word(word.clone()));
                    }
                }
                Token::Sign(_) => {}
            }
        }
        Ok(())
    }

    fn is_known(&self, word: &str, lexicon: &Lexicon) -> bool {
        let is_known = |word: &str| self.words.contains(word) || lexicon.is_courteous(word);
        let joined = word.strip_prefix('و').filter(|rest| rest.chars().count() >= FEWEST_LETTERS);
        is_known(word) || joined.is_some_and(is_known)
    }

    fn check_denials(&self, said: &Parts, suggested: &Parts, lexicon: &Lexicon) -> Result<(), Objection> {
        let (said, suggested) = (said.denials(lexicon), suggested.denials(lexicon));
        let are_known = suggested.iter().all(|denial| self.denials.contains(denial));
        if said.is_empty() == suggested.is_empty() && are_known { Ok(()) } else { Err(Objection::Denial) }
    }

    fn check_phrases(&self, suggested: &Parts) -> Result<(), Objection> {
        let suggested = words(suggested);
        let left_out = self.phrases.iter().find(|(_, words)| words.is_disjoint(&suggested));
        left_out.map_or(Ok(()), |(phrase, _)| Err(Objection::LeftOut(*phrase)))
    }
}

fn words(parts: &Parts) -> HashSet<String> {
    let word = |token: &Token| match token {
        Token::Word(word) => Some(word.clone()),
        Token::Number(_) | Token::Sign(_) => None,
    };
    parts.free.iter().flatten().filter_map(word).collect()
}
