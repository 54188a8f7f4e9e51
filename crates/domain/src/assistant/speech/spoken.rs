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

    /// Joins paragraphs: with an empty line between them, if one has several lines.
    pub(super) fn of_paragraphs(paragraphs: impl Iterator<Item = Self>) -> Self {
        let paragraphs: Vec<_> = paragraphs.collect();
        let is_block = paragraphs.iter().any(|paragraph| paragraph.text.contains('\n'));
        let mut all = Self::default();
        for paragraph in paragraphs {
            all.add(if is_block { "\n\n" } else { "\n" }, paragraph);
        }
        all
    }

    /// Adds a text to the same line.
    pub(super) fn add_behind(&mut self, between: &str, other: Self) {
        self.add(between, other);
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
