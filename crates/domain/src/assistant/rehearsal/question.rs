//! A question of the owner's, and what its answer has to hold.

use serde::Serialize;
use time::OffsetDateTime;

use super::judge::{is_judged, is_same};
use crate::{
    assistant::toolbox::Tool,
    ids::TestQuestionId,
    text::{fold_for_search, is_blank},
};

/// Longest question, in characters.
pub const LONGEST_QUESTION: usize = 500;
/// Longest text that an answer must or must not hold, in characters.
pub const LONGEST_DEMAND: usize = 200;
/// Most texts that an answer must hold; also the most that it must not.
pub const MOST_DEMANDS: usize = 5;
/// Most questions of a workspace.
pub const MOST_QUESTIONS: u32 = 100;

/// What should come of a question.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Expected {
    /// An answer in words.
    #[default]
    Answer,
    HandOver,
    ProposeOrder,
    ProposeBooking,
    ProposeCancellation,
    /// Whatever comes of it.
    Any,
}

impl Expected {
    pub const ALL: [Self; 6] = [
        Self::Answer,
        Self::HandOver,
        Self::ProposeOrder,
        Self::ProposeBooking,
        Self::ProposeCancellation,
        Self::Any,
    ];

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Answer => "answer",
            Self::HandOver => "hand_over",
            Self::ProposeOrder => "propose_order",
            Self::ProposeBooking => "propose_booking",
            Self::ProposeCancellation => "propose_cancellation",
            Self::Any => "any",
        }
    }

    /// Parses what `as_str` returns.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|expected| expected.as_str() == name)
    }

    /// Returns the tool of the proposal that is expected.
    pub(super) const fn proposal(self) -> Option<Tool> {
        match self {
            Self::ProposeOrder => Some(Tool::PlaceOrder),
            Self::ProposeBooking => Some(Tool::BookAppointment),
            Self::ProposeCancellation => Some(Tool::CancelOrder),
            Self::Answer | Self::HandOver | Self::Any => None,
        }
    }

    /// Returns whether something may be said that could hold a text.
    const fn may_speak(self) -> bool {
        matches!(self, Self::Answer | Self::Any)
    }
}

/// A question and its demands as an owner writes them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WrittenQuestion {
    pub text: String,
    pub expected: Expected,
    pub must: Vec<String>,
    pub must_not: Vec<String>,
}

/// Reason a question was not taken, by its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum QuestionRule {
    #[error("`text` must have 1 to {LONGEST_QUESTION} characters, not all of them white space")]
    Text,
    #[error("`{field}` has at most {MOST_DEMANDS} texts")]
    TooMany { field: &'static str },
    #[error("`{field}` has texts of 1 to {LONGEST_DEMAND} characters, with a letter or a digit in each")]
    Demand { field: &'static str },
    #[error("`mustNot` has a text that `must` has, too")]
    Both,
    #[error("`must` is empty unless `expects` is `answer` or `any`: nothing is said that could hold a text")]
    Unspoken,
}

impl WrittenQuestion {
    /// Makes a question of a text alone, which should be answered.
    pub fn of(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Checks the bounds, trims the texts, and leaves out those that stand in a list twice.
    pub(super) fn read(self) -> Result<Self, QuestionRule> {
        let Self { text, expected, must, must_not } = self;
        let text = trimmed(&text);
        if is_blank(&text) || text.chars().nth(LONGEST_QUESTION).is_some() {
            return Err(QuestionRule::Text);
        }
        let (must, must_not) = (demands(&must, "must")?, demands(&must_not, "mustNot")?);
        if must.iter().any(|text| must_not.iter().any(|other| is_same(text, other))) {
            return Err(QuestionRule::Both);
        }
        if !must.is_empty() && !expected.may_speak() {
            return Err(QuestionRule::Unspoken);
        }
        Ok(Self { text, expected, must, must_not })
    }
}

fn trimmed(text: &str) -> String {
    text.replace('\0', "").trim().to_owned()
}

fn demands(texts: &[String], field: &'static str) -> Result<Vec<String>, QuestionRule> {
    let mut read: Vec<String> = Vec::new();
    for text in texts.iter().map(|text| trimmed(text)) {
        if text.chars().nth(LONGEST_DEMAND).is_some() || !is_judged(&text) {
            return Err(QuestionRule::Demand { field });
        }
        if !read.iter().any(|other| is_same(&text, other)) {
            read.push(text);
        }
    }
    if read.len() > MOST_DEMANDS { Err(QuestionRule::TooMany { field }) } else { Ok(read) }
}

/// A question that the assistant is tried with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestQuestion {
    pub id: TestQuestionId,
    pub content: WrittenQuestion,
    pub created_at: OffsetDateTime,
    pub changed_at: OffsetDateTime,
}

/// Returns the form by which questions are compared: two that differ only in spelling are one.
pub(super) fn folded(text: &str) -> String {
    fold_for_search(text)
}

#[cfg(test)]
mod tests {
    use super::{Expected, LONGEST_DEMAND, LONGEST_QUESTION, QuestionRule, WrittenQuestion};

    fn written(text: &str, expected: Expected, must: &[&str], must_not: &[&str]) -> WrittenQuestion {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        WrittenQuestion { text: text.to_owned(), expected, must: texts(must), must_not: texts(must_not) }
    }

    #[test]
    fn what_is_expected_is_read_by_its_name() {
        for expected in Expected::ALL {
            assert_eq!(Expected::read(expected.as_str()), Some(expected));
        }
        assert_eq!(Expected::read("silence"), None);
    }

    #[test]
    fn what_cannot_be_a_question_is_refused_by_its_field() {
        let (long, longest) = ("ا".repeat(LONGEST_QUESTION + 1), "ا".repeat(LONGEST_DEMAND + 1));
        let six = ["1", "2", "3", "4", "5", "6"];
        let answer = Expected::Answer;
        for (question, rule) in [
            (written(" \u{200f}\n", answer, &[], &[]), QuestionRule::Text),
            (written(&long, answer, &[], &[]), QuestionRule::Text),
            (written("كم السعر؟", answer, &six, &[]), QuestionRule::TooMany { field: "must" }),
            (written("كم السعر؟", answer, &[], &six), QuestionRule::TooMany { field: "mustNot" }),
            (written("كم السعر؟", answer, &[" "], &[]), QuestionRule::Demand { field: "must" }),
            (written("كم السعر؟", answer, &["👍"], &[]), QuestionRule::Demand { field: "must" }),
            (written("كم السعر؟", answer, &[], &[&longest]), QuestionRule::Demand { field: "mustNot" }),
            (written("كم السعر؟", answer, &["25,000"], &["٢٥٠٠٠"]), QuestionRule::Both),
            (written("كم السعر؟", answer, &["مجّاناً"], &["مجانا"]), QuestionRule::Both),
            (written("اريد موظف", Expected::HandOver, &["نعم"], &[]), QuestionRule::Unspoken),
        ] {
            assert_eq!(question.clone().read(), Err(rule), "{question:?}");
        }
    }

    #[test]
    fn texts_are_trimmed_and_what_stands_there_twice_counts_once() {
        let read = written(" كم السعر؟\n", Expected::Any, &[" 25000 ", "٢٥٬٠٠٠", "دينار"], &["غالي"]).read();
        assert_eq!(read, Ok(written("كم السعر؟", Expected::Any, &["25000", "دينار"], &["غالي"])));
        assert_eq!(WrittenQuestion::of("وين صرتوا؟").read().map(|read| read.expected), Ok(Expected::Answer));
    }
}
