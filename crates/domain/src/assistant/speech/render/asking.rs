//! Questions to the customer.

use std::num::NonZeroU32;

use super::{Teller, counted, sums::pieces};
use crate::assistant::speech::{
    act::{Act, Question, QuotePart},
    evidence::{Choice, Chosen},
    phrase::Phrase,
    refusal::FieldRefusal,
    spoken::{Fact, Spoken},
    written::Id,
};

/// Most options of a question.
const MOST_OPTIONS: usize = 8;

impl Teller<'_> {
    /// Words a question with what there is to choose from: not what is sold out, and nothing that the answer
    /// has listed before.
    pub(super) fn ask(self, what: Question, options: &[Id]) -> Result<Spoken, FieldRefusal> {
        counted(options, 0, MOST_OPTIONS, "options")?;
        let mut spoken = self.word(question(what), &[]);
        let mut sold_out = None;
        let mut choices = Vec::new();
        for option in options {
            match self.evidence.choice(&option.0, "options")? {
                Choice::Goods(goods) => match goods.in_stock("options") {
                    Ok(goods) => choices.push((option, Choice::Goods(goods))),
                    Err(refusal) => sold_out = Some(refusal),
                },
                slot @ Choice::Slot(_) => choices.push((option, slot)),
            }
        }
        if let (Some(refusal), true) = (sold_out, choices.is_empty()) {
            return Err(refusal);
        }
        if choices.iter().all(|(option, choice)| self.has_listed(option, *choice)) {
            return Ok(spoken);
        }
        let first = choices.first().and_then(|(_, choice)| product_of(*choice));
        let are_siblings = first.is_some() && choices.iter().all(|(_, choice)| product_of(*choice) == first);
        for (_, choice) in choices {
            let fact = match choice {
                Choice::Goods(variant) if are_siblings => self.label(variant),
                choice => self.fact(choice),
            };
            let text = format!("• {}", fact.text());
            spoken.add_line(Spoken::of_line(text, vec![fact]));
        }
        Ok(spoken)
    }

    /// Returns whether an act before this one has told the choice among others.
    fn has_listed(self, option: &Id, choice: Choice<'_>) -> bool {
        let has = |ids: &[Id]| ids.contains(option);
        self.before().iter().any(|act| match (act, choice) {
            (Act::Slots { slots }, Choice::Slot(_)) => has(slots),
            (
                Act::List { products } | Act::Compare { products } | Act::Closest { products },
                Choice::Goods(Chosen { variant: None, .. }),
            ) => has(products),
            (
                Act::Quote { product, variant: None, parts },
                Choice::Goods(Chosen { product: of, variant }),
            ) => {
                let tells = |part: &QuotePart| matches!(part, QuotePart::Sizes | QuotePart::Options);
                variant.is_some() && of.listing.id.as_str() == product.0 && parts.iter().any(tells)
            }
            _ => false,
        })
    }

    pub(super) fn clarify(self, a: &Id, b: &Id) -> Result<Spoken, FieldRefusal> {
        let (one, other) = (self.evidence.choice(&a.0, "a")?, self.evidence.choice(&b.0, "b")?);
        let b = match other {
            Choice::Goods(variant) if product_of(one).is_some() && product_of(one) == product_of(other) => {
                self.label(variant)
            }
            other => self.fact(other),
        };
        Ok(self.word(Phrase::Clarify, &[("a", self.fact(one)), ("b", b)]))
    }

    pub(super) fn confirm_understanding(
        self,
        chosen: Chosen<'_>,
        quantity: NonZeroU32,
    ) -> Result<Spoken, FieldRefusal> {
        let chosen = chosen.in_stock("product")?;
        if quantity.get() == 1 {
            return Ok(self.word(Phrase::ConfirmOne, &[("title", self.title(chosen))]));
        }
        let told = [("pieces", self.pieces(pieces(quantity)?)), ("title", self.title(chosen))];
        Ok(self.word(Phrase::ConfirmUnderstanding, &told))
    }

    fn fact(self, choice: Choice<'_>) -> Fact {
        match choice {
            Choice::Goods(chosen) => self.title(chosen),
            Choice::Slot(slot) => Fact::Told(self.starts(slot)),
        }
    }
}

/// Returns the id of the product of a variant.
fn product_of(choice: Choice<'_>) -> Option<&str> {
    match choice {
        Choice::Goods(Chosen { product, variant: Some(_) }) => Some(product.listing.id.as_str()),
        Choice::Goods(_) | Choice::Slot(_) => None,
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
