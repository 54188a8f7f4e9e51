//! The judge of a model's own wording: it passes only code's own pieces, whole and in their order, with
//! courtesy around them. Words alone cannot be judged: with code's vocabulary a pending order can be told as
//! confirmed. A "no" costs style, never an answer.

mod courtesies;
#[cfg(test)]
mod tests;
mod tokens;

use self::{
    courtesies::Courtesies,
    tokens::{Token, tokens},
};
use super::{messages::Speech, phrase::Phrase, phrasebook::Phrasebook, spoken::Span, voice::Voice};
use crate::text::is_blank;

/// Longest wording that is read, in bytes.
pub const LONGEST_WORDING: usize = 8 * 1024;
/// Longest prose that is courtesy alone, in bytes.
const LONGEST_COURTESY: usize = 400;
/// Characters that a wording may have beyond twice those of code's.
const LONGER: usize = 80;

/// Reason a wording does not replace code's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Objection {
    #[error("it is longer than {LONGEST_WORDING} bytes")]
    TooLong,
    #[error("it is empty")]
    Empty,
    #[error("it is much longer than code's wording")]
    Longer,
    #[error("`{}` is said in code's words alone", .0.key())]
    Reserved(Phrase),
    #[error("the number {0} is not where code's wordings have it")]
    Number(String),
    #[error("the sign {0:?} is not where code's wordings have it")]
    Sign(char),
    #[error("the word {0:?} is neither courtesy nor where code's wordings have it")]
    Word(String),
    #[error("it leaves out what `{}` says", .0.map_or("evidence", Phrase::key))]
    LeftOut(Option<Phrase>),
}

impl Objection {
    /// Returns its kind, without what it objects to.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::TooLong => "too_long",
            Self::Empty => "empty",
            Self::Longer => "longer",
            Self::Reserved(_) => "reserved",
            Self::Number(_) => "number",
            Self::Sign(_) => "sign",
            Self::Word(_) => "word",
            Self::LeftOut(_) => "left_out",
        }
    }

    fn to(token: &Token) -> Self {
        match token {
            Token::Word(word) => Self::Word(word.clone()),
            Token::Number(number) => Self::Number(number.clone()),
            Token::Sign(sign) => Self::Sign(*sign),
        }
    }
}

/// Phrases that prose without acts may consist of: they state nothing and promise nothing.
const COURTEOUS: [Phrase; 7] = [
    Phrase::Greet,
    Phrase::GreetSalam,
    Phrase::Thank,
    Phrase::Apologise,
    Phrase::YouAreWelcome,
    Phrase::Bye,
    Phrase::AskAnythingElse,
];

/// Judges a wording that is suggested in place of `speech`.
///
/// # Errors
/// The first objection; code's wording is sent then.
pub fn judge(book: &Phrasebook, speech: &Speech, wording: &str) -> Result<(), Objection> {
    if wording.len() > LONGEST_WORDING {
        return Err(Objection::TooLong);
    }
    if is_blank(wording) {
        return Err(Objection::Empty);
    }
    let code = speech.spoken();
    // That no person answers is left to nobody's wording.
    let mut said = code.spans.iter().filter_map(|span| span.phrase);
    if let Some(reserved) = said.find(|phrase| !phrase.is_owners()) {
        return Err(Objection::Reserved(reserved));
    }
    if wording.chars().count() > 2 * code.text.chars().count() + LONGER {
        return Err(Objection::Longer);
    }
    let courtesies = Courtesies::of(book.voice());
    let suggested = telling(wording);
    let mut rest = suggested.as_slice();
    for span in &code.spans {
        rest = behind_span(rest, span, courtesies)?;
    }
    only_courtesy(rest, |rest| courtesies.behind_one(rest))
}

/// Judges prose that comes without acts: all of it has to be courtesy.
///
/// # Errors
/// The first objection; nothing of it is sent then.
pub fn judge_courtesy(book: &Phrasebook, text: &str) -> Result<(), Objection> {
    if text.len() > LONGEST_COURTESY {
        return Err(Objection::TooLong);
    }
    let said = telling(text);
    if said.is_empty() {
        return Err(Objection::Empty);
    }
    let courtesies = Courtesies::of(book.voice());
    let phrases: Vec<_> = COURTEOUS.iter().flat_map(|phrase| book.ways(*phrase)).collect();
    only_courtesy(&said, |rest| behind_any(rest, &phrases).or_else(|| courtesies.behind_one(rest)))
}

/// Returns whether a text is nothing but courtesy, in whichever language.
pub fn is_courtesy(text: &str) -> bool {
    let behind_one = |rest| Voice::ALL.into_iter().find_map(|voice| Courtesies::of(voice).behind_one(rest));
    only_courtesy(&telling(text), behind_one).is_ok()
}

/// Returns what stands behind a span and the courtesy before it. Code's own courtesy may be left out.
fn behind_span<'a>(
    mut rest: &'a [Token],
    span: &Span,
    courtesies: &Courtesies,
) -> Result<&'a [Token], Objection> {
    let begin = rest;
    loop {
        if let Some(behind) = behind_any(rest, &span.ways) {
            return Ok(behind);
        }
        rest = match (courtesies.behind_one(rest), rest.first()) {
            (Some(behind), _) => behind,
            (None, _) if span.phrase.is_some_and(Phrase::is_courtesy) => return Ok(begin),
            (None, Some(token)) => return Err(Objection::to(token)),
            (None, None) => return Err(Objection::LeftOut(span.phrase)),
        };
    }
}

fn only_courtesy<'a>(
    mut rest: &'a [Token],
    behind_one: impl Fn(&'a [Token]) -> Option<&'a [Token]>,
) -> Result<(), Objection> {
    while let Some(token) = rest.first() {
        rest = behind_one(rest).ok_or_else(|| Objection::to(token))?;
    }
    Ok(())
}

/// Returns what stands behind the longest of these texts that the tokens begin with.
fn behind_any<'a>(tokens: &'a [Token], texts: &[String]) -> Option<&'a [Token]> {
    let behind = |text: &String| tokens.strip_prefix(telling(text).as_slice());
    texts.iter().filter_map(behind).filter(|behind| behind.len() < tokens.len()).min_by_key(|it| it.len())
}

/// Splits a text into what tells something: without lines, commas and the like.
fn telling(text: &str) -> Vec<Token> {
    let mut all = tokens(text);
    all.retain(|token| !matches!(token, Token::Sign(sign) if Courtesies::is_harmless(*sign)));
    all
}
