//! Text that code has worded, with the evidence that it holds.

use super::phrase::Phrase;

/// Piece of evidence in a text, as it is written there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fact {
    /// Name of a product or a variant.
    Title(String),
    /// Anything else: an amount, a time, a state of an order, the owner's words.
    Told(String),
}

/// A text, and the facts in it in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Spoken {
    pub(super) text: String,
    pub(super) facts: Vec<Fact>,
    pub(super) spans: Vec<Span>,
}

/// Piece of a text that says one thing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span {
    /// What it says; `None` for evidence alone.
    pub(super) phrase: Option<Phrase>,
    /// The ways that code has to say it, with this evidence.
    pub(super) ways: Vec<String>,
}

impl Fact {
    pub fn text(&self) -> &str {
        match self {
            Self::Title(text) | Self::Told(text) => text,
        }
    }
}

impl Spoken {
    /// Adds a text on a line of its own.
    pub(super) fn add_line(&mut self, line: Self) {
        self.add("\n", line);
    }

    /// Adds a text as a paragraph: with an empty line between, if either has several lines.
    pub(super) fn add_paragraph(&mut self, paragraph: Self) {
        let is_block = self.text.contains('\n') || paragraph.text.contains('\n');
        self.add(if is_block { "\n\n" } else { "\n" }, paragraph);
    }

    fn add(&mut self, between: &str, other: Self) {
        if !self.text.is_empty() && !other.text.is_empty() {
            self.text.push_str(between);
        }
        self.text.push_str(&other.text);
        self.facts.extend(other.facts);
        self.spans.extend(other.spans);
    }

    /// Makes a text that is evidence as a whole.
    pub(super) fn of_fact(fact: Fact) -> Self {
        Self::of_line(fact.text().to_owned(), vec![fact])
    }

    /// Makes a text of evidence, with nothing between but signs.
    pub(super) fn of_line(text: String, facts: Vec<Fact>) -> Self {
        let span = Span { phrase: None, ways: vec![text.clone()] };
        Self { text, facts, spans: vec![span] }
    }
}
