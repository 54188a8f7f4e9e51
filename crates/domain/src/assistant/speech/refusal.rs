//! Reasons acts cannot be said, for the model and for whoever wrote them.

use super::act::Act;

/// Ids that an error lists.
const MOST_LISTED: usize = 10;

/// An act that cannot be said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("acts[{place}]{}{}: {why}", named(*act), field.map(|field| format!(" {field}")).unwrap_or_default())]
pub struct ActError {
    /// Counted from 0.
    pub place: usize,
    /// Name of the act; `None` if it cannot be read.
    pub act: Option<&'static str>,
    pub field: Option<&'static str>,
    pub why: Refusal,
}

/// Error of a list of acts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    #[error("neither a list of acts nor an object of `acts` and `wording`: {0}")]
    Unreadable(String),
    #[error("an answer has 1 to {most} acts")]
    Count { most: usize },
    #[error(transparent)]
    Act(#[from] ActError),
}

/// Reason an act cannot be said.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    #[error("{0}")]
    Unreadable(String),
    #[error("`{id}` is not in this turn's evidence; it has {known}")]
    Unknown { id: String, known: String },
    #[error("this turn's evidence has none of it")]
    Absent,
    #[error("has {least} to {most} entries")]
    Count { least: usize, most: usize },
    #[error("the sentences are numbered from 1 to {last}")]
    NoSentence { last: usize },
    #[error("is at most {most}")]
    TooMuch { most: u32 },
    #[error("the customer has not said it")]
    NotSaid,
    #[error("the price is {price}, so this offer is not too low: quote the price")]
    NotBelow { price: String },
    #[error("`{id}` is sold out: quote its availability, and offer what there is")]
    SoldOut { id: String },
    #[error("the prices have several currencies, or a sum too large")]
    NoSum,
    #[error("its variants cost different amounts: name one of {known}")]
    SeveralPrices { known: String },
    #[error("names a draft of another kind")]
    OtherDraft,
    #[error("one question in an answer is enough")]
    SecondQuestion,
    #[error("comes last")]
    NotLast,
}

fn named(act: Option<&str>) -> String {
    act.map(|act| format!(" ({act})")).unwrap_or_default()
}

fn listed<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let ids: Vec<_> = ids.take(MOST_LISTED).map(|id| format!("`{id}`")).collect();
    if ids.is_empty() { "none".to_owned() } else { ids.join(", ") }
}

impl Refusal {
    /// Makes the refusal of an id, with the ones that are known.
    pub(super) fn unknown<'a>(id: &str, known: impl Iterator<Item = &'a str>) -> Self {
        Self::Unknown { id: id.to_owned(), known: listed(known) }
    }

    pub(super) fn several_prices<'a>(variants: impl Iterator<Item = &'a str>) -> Self {
        Self::SeveralPrices { known: listed(variants) }
    }

    pub(super) const fn of(self, field: &'static str) -> FieldRefusal {
        FieldRefusal { field: Some(field), why: self }
    }
}

/// A refusal with the field that it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldRefusal {
    pub(super) field: Option<&'static str>,
    pub(super) why: Refusal,
}

impl FieldRefusal {
    pub(super) fn at(self, place: usize, act: &Act) -> ActError {
        ActError { place, act: Some(act.name()), field: self.field, why: self.why }
    }
}

impl From<Refusal> for FieldRefusal {
    fn from(why: Refusal) -> Self {
        Self { field: None, why }
    }
}
