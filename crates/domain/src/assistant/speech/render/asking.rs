//! Questions to the customer.

use std::num::NonZeroU32;

use super::{
    Teller, counted,
    options::{is_size, known},
    sums::pieces,
};
use crate::{
    assistant::speech::{
        act::{Act, Question, QuotePart},
        evidence::{Choice, Chosen},
        phrase::Phrase,
        refusal::FieldRefusal,
        spoken::{Fact, Spoken},
        written::Id,
    },
    systems::Availability,
};

/// Most options of a question.
const MOST_OPTIONS: usize = 8;
/// Letters of two names together that are too many for one line.
const LONG_CHOICE: usize = 45;

impl Teller<'_> {
    /// Words a question with what there is to choose from: not what is sold out, and nothing that the answer
    /// has listed before.
    pub(super) fn ask(self, what: Question, options: &[Id]) -> Result<Spoken, FieldRefusal> {
        counted(options, 0, MOST_OPTIONS, "options")?;
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
        if let (Some(refusal), true) = (&sold_out, choices.is_empty()) {
            return Err(refusal.clone());
        }
        let is_listed = choices.iter().all(|(option, choice)| self.has_listed(option, *choice));
        let choices: Vec<_> = choices.into_iter().map(|(_, choice)| choice).collect();
        if let [Choice::Goods(goods)] = choices.as_slice()
            && is_choice(what)
            && (!is_listed || goods.variant.is_some())
        {
            return Ok(self.ask_for_one(what, *goods));
        }
        let mut spoken = self.word(self.question(what, &choices), &[]);
        if is_listed {
            return Ok(spoken);
        }
        for line in self.options_of(what, &choices) {
            spoken.add_line(line);
        }
        Ok(spoken)
    }

    /// Asks whether the one thing that there is will do.
    fn ask_for_one(self, what: Question, goods: Chosen<'_>) -> Spoken {
        let siblings = Chosen { variant: None, ..goods }.variants().len();
        let is_last = goods.variant.is_some() && goods.product.variants.len() > 1 && siblings == 1;
        let title = match value_of(what, goods) {
            Some(value) if is_last => Fact::Title(self.book.voice().isolate(value)),
            _ if goods.variant.is_some() && self.is_of_last(goods) => self.label(goods),
            _ => self.title(goods),
        };
        self.word(if is_last { Phrase::AskLeft } else { Phrase::AskOne }, &[("title", title)])
    }

    /// Returns whether the act before this one is of the product.
    fn is_of_last(self, goods: Chosen<'_>) -> bool {
        self.named().is_some_and(|(id, _)| id == goods.product.listing.id.as_str())
    }

    /// Returns the question, by what stands above it.
    fn question(self, what: Question, choices: &[Choice<'_>]) -> Phrase {
        let listed = |act: &Act| match act {
            Act::List { products } | Act::Compare { products } | Act::Closest { products } => products.len(),
            _ => 0,
        };
        let offered = |act: &Act| if let Act::Slots { slots } = act { slots.len() } else { 0 };
        let most = |of: &dyn Fn(&Act) -> usize| self.before().iter().map(of).max().unwrap_or_default();
        let slots = most(&offered);
        let is_goods = choices.iter().all(|choice| matches!(choice, Choice::Goods(_)));
        match what {
            Question::Product if most(&listed) > 1 || (choices.len() > 1 && is_goods) => Phrase::AskListed,
            Question::Size | Question::Colour if choices.len() > 1 && self.has_missed() => Phrase::AskListed,
            Question::Day | Question::Time if slots > 1 || (choices.len() > 1 && !is_goods) => {
                Phrase::AskSlot
            }
            Question::Day | Question::Time if slots == 1 => Phrase::AskSlotOne,
            Question::Day if matches!(self.last(), Some(Act::NoSlots { .. })) => Phrase::AskOtherDay,
            Question::Product | Question::AnythingElse if choices.is_empty() && self.only_greets_before() => {
                Phrase::AskBegin
            }
            what => question(what),
        }
    }

    /// Returns whether the variant that was just told of is sold out: which one they would rather have, they
    /// have said.
    fn has_missed(self) -> bool {
        let named = self.named().filter(|(_, variant)| variant.is_some());
        named.is_some_and(|(id, variant)| {
            self.evidence.chosen(id, variant).is_ok_and(|it| it.availability() == Availability::Out)
        })
    }

    /// Returns whether nothing but a greeting, and who answers, stands before.
    fn only_greets_before(self) -> bool {
        let before = self.before();
        !before.is_empty() && before.iter().all(|act| matches!(act, Act::Greet {} | Act::WhoIAm {}))
    }

    /// Lists what can be chosen: of variants of one product only the value that is asked for, where nothing
    /// else differs, and their prices where these do.
    fn options_of(self, what: Question, choices: &[Choice<'_>]) -> Vec<Spoken> {
        let first = choices.first().and_then(|choice| product_of(*choice));
        let are_siblings = first.is_some() && choices.iter().all(|choice| product_of(*choice) == first);
        let goods: Vec<_> = choices.iter().filter_map(|choice| goods_of(*choice)).collect();
        let values = are_siblings.then(|| values_of(what, &goods)).flatten();
        let cost_alike = goods.windows(2).all(|pair| matches!(pair, [a, b] if a.prices() == b.prices()));
        let line = |(at, choice): (usize, &Choice<'_>)| {
            let fact = match (*choice, values.as_ref().and_then(|values| values.get(at))) {
                (_, Some(value)) => Fact::Title(self.book.voice().isolate(value)),
                (Choice::Goods(variant), None) if are_siblings => self.label(variant),
                (choice, None) => self.fact(choice),
            };
            match *choice {
                Choice::Goods(goods) if !cost_alike => self.item(goods, fact, Phrase::AmountFrom),
                _ => Spoken::of_line(format!("• {}", fact.text()), vec![fact]),
            }
        };
        choices.iter().enumerate().map(line).collect()
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
            (Act::Closest { products }, Choice::Goods(Chosen { product: of, variant: Some(_) })) => {
                matches!(products.as_slice(), [Id(id)] if of.listing.id.as_str() == id)
            }
            _ => false,
        })
    }

    pub(super) fn clarify(self, a: &Id, b: &Id) -> Result<Spoken, FieldRefusal> {
        let (one, other) = (self.evidence.choice(&a.0, "a")?, self.evidence.choice(&b.0, "b")?);
        if let Some(Act::List { products } | Act::Compare { products } | Act::Closest { products }) =
            self.last()
            && products.len() == 2
            && [a, b].iter().all(|id| products.contains(id))
        {
            return Ok(self.word(Phrase::ClarifyListed, &[]));
        }
        let are_siblings = product_of(one).is_some() && product_of(one) == product_of(other);
        let goods: Vec<_> = [one, other].into_iter().filter_map(goods_of).collect();
        let values = [Question::Size, Question::Colour]
            .into_iter()
            .find_map(|what| values_of(what, &goods).filter(|_| are_siblings));
        let (a, b) = match (values.as_deref(), one, other) {
            (Some([a, b]), Choice::Goods(variant), _) => {
                let title = Chosen { variant: None, ..variant }.title();
                let titled = |text: &str| Fact::Title(self.book.voice().isolate(text));
                (titled(&format!("{title} ({a})")), titled(b))
            }
            (_, one, Choice::Goods(variant)) if are_siblings => (self.fact(one), self.label(variant)),
            (_, one, other) => (self.fact(one), self.fact(other)),
        };
        if are_siblings || a.text().chars().count() + b.text().chars().count() < LONG_CHOICE {
            return Ok(self.word(Phrase::Clarify, &[("a", a), ("b", b)]));
        }
        let mut spoken = self.word(Phrase::ClarifyListed, &[]);
        for fact in [a, b] {
            spoken.add_line(Spoken::of_line(format!("• {}", fact.text()), vec![fact]));
        }
        Ok(spoken)
    }

    pub(super) fn confirm_understanding(
        self,
        chosen: Chosen<'_>,
        quantity: NonZeroU32,
    ) -> Result<Spoken, FieldRefusal> {
        let chosen = chosen.in_stock("product")?;
        if self.has_counted(chosen, quantity) {
            return Ok(self.word(Phrase::ConfirmThen, &[]));
        }
        if quantity.get() == 1 {
            return Ok(self.word(Phrase::ConfirmOne, &[("title", self.title(chosen))]));
        }
        let told = [("pieces", self.pieces(pieces(quantity)?)), ("title", self.title(chosen))];
        Ok(self.word(Phrase::ConfirmUnderstanding, &told))
    }

    /// Returns whether the act before this one is the price of so many of the same.
    fn has_counted(self, chosen: Chosen<'_>, wanted: NonZeroU32) -> bool {
        match self.last() {
            Some(Act::Multiple { quantity, .. }) => *quantity == wanted && self.has_named(chosen),
            _ => false,
        }
    }

    fn fact(self, choice: Choice<'_>) -> Fact {
        match choice {
            Choice::Goods(chosen) => self.title(chosen),
            Choice::Slot(slot) => Fact::Told(self.starts(slot)),
        }
    }
}

fn goods_of(choice: Choice<'_>) -> Option<Chosen<'_>> {
    match choice {
        Choice::Goods(goods) => Some(goods),
        Choice::Slot(_) => None,
    }
}

/// Returns whether it is asked which of several things somebody wants.
const fn is_choice(what: Question) -> bool {
    matches!(what, Question::Product | Question::Size | Question::Colour | Question::Model)
}

/// Returns whether an option is what is asked for.
fn is_asked(what: Question, name: &str) -> bool {
    match what {
        Question::Size => is_size(name),
        Question::Colour => known(name) == Some(Phrase::QuoteColours),
        _ => false,
    }
}

/// Returns the value that is asked for of a variant.
fn value_of(what: Question, goods: Chosen<'_>) -> Option<&str> {
    let options = &goods.variant?.options;
    let found = options.iter().find(|(name, _)| is_asked(what, name.as_str()));
    found.map(|(_, value)| value.as_str())
}

/// Lists the values that are asked for of variants, if they differ in nothing else.
fn values_of<'a>(what: Question, goods: &[Chosen<'a>]) -> Option<Vec<&'a str>> {
    let others = |goods: &Chosen<'a>| {
        let options = goods.variant.iter().flat_map(|variant| &variant.options);
        let others = options.filter(|(name, _)| !is_asked(what, name.as_str()));
        others.map(|(_, value)| value.as_str()).collect::<Vec<_>>()
    };
    let first = others(goods.first()?);
    let are_alike = goods.iter().all(|goods| others(goods) == first);
    let values = goods.iter().map(|goods| value_of(what, *goods)).collect::<Option<Vec<_>>>();
    values.filter(|_| are_alike)
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
