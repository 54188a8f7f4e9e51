//! Questions to the customer.

use std::num::NonZeroU32;

use super::{Teller, counted, sums::pieces};
use crate::assistant::speech::{
    act::Question,
    evidence::{Choice, Chosen},
    phrase::Phrase,
    refusal::FieldRefusal,
    spoken::{Fact, Spoken},
    written::Id,
};

/// Most options of a question.
const MOST_OPTIONS: usize = 8;

impl Teller<'_> {
    pub(super) fn ask(self, what: Question, options: &[Id]) -> Result<Spoken, FieldRefusal> {
        counted(options, 0, MOST_OPTIONS, "options")?;
        let mut spoken = self.word(question(what), &[]);
        for option in options {
            let fact = self.choice(option, "options")?;
            let text = format!("• {}", fact.text());
            spoken.add_line(Spoken::of_line(text, vec![fact]));
        }
        Ok(spoken)
    }

    pub(super) fn clarify(self, a: &Id, b: &Id) -> Result<Spoken, FieldRefusal> {
        Ok(self.word(Phrase::Clarify, &[("a", self.choice(a, "a")?), ("b", self.choice(b, "b")?)]))
    }

    pub(super) fn confirm_understanding(
        self,
        chosen: Chosen<'_>,
        quantity: NonZeroU32,
    ) -> Result<Spoken, FieldRefusal> {
        let told = [("pieces", self.pieces(pieces(quantity)?)), ("title", self.title(chosen))];
        Ok(self.word(Phrase::ConfirmUnderstanding, &told))
    }

    fn choice(self, Id(id): &Id, field: &'static str) -> Result<Fact, FieldRefusal> {
        Ok(match self.evidence.choice(id, field)? {
            Choice::Goods(chosen) => self.title(chosen),
            Choice::Slot(slot) => Fact::Told(self.starts(slot)),
        })
    }
}

const fn question(what: Question) -> Phrase {
    match what {
        Question::Product => Phrase::AskProduct,
        Question::Size => Phrase::AskSize,
        Question::Colour => Phrase::AskColour,
        Question::Model => Phrase::AskModel,
        Question::Quantity => Phrase::AskQuantity,
        Question::Name => Phrase::AskName,
        Question::Phone => Phrase::AskPhone,
        Question::Address => Phrase::AskAddress,
        Question::City => Phrase::AskCity,
        Question::Day => Phrase::AskDay,
        Question::Time => Phrase::AskTime,
        Question::Service => Phrase::AskService,
        Question::OrderNumber => Phrase::AskOrderNumber,
        Question::AnythingElse => Phrase::AskAnythingElse,
    }
}
