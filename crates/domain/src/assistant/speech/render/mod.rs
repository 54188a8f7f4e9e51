//! Rendering of acts: pure, and every fact in the text is the evidence's.

mod asking;
mod courtesy;
mod goods;
mod options;
mod sums;
mod systems;

use super::{
    act::{Act, Concern, QuotePart, TotalLine},
    evidence::{Chosen, Evidence},
    messages::{Paragraph, Speech},
    phrase::Phrase,
    phrasebook::Phrasebook,
    refusal::{AnswerError, FieldRefusal, Refusal},
    rotation::Rotation,
    spoken::{Fact, Spoken},
    written::Id,
};
use crate::text::asks;

/// Most acts of an answer.
pub const MOST_ACTS: usize = 8;

/// What an answer is worded by.
#[derive(Debug, Clone, Copy)]
pub struct Telling<'a> {
    pub evidence: &'a Evidence,
    pub book: &'a Phrasebook,
    /// Chooses among the wordings.
    pub rotation: Rotation,
}

/// Wording of one act.
#[derive(Clone, Copy)]
struct Teller<'a> {
    evidence: &'a Evidence,
    book: &'a Phrasebook,
    rotation: Rotation,
    /// Place of the act in the answer.
    place: usize,
    /// The whole answer.
    acts: &'a [Act],
}

impl Telling<'_> {
    /// Words acts.
    ///
    /// # Errors
    /// The first act with a reference that is not in the evidence, or that does not go with the others.
    pub fn say(&self, acts: &[Act]) -> Result<Speech, AnswerError> {
        if !(1..=MOST_ACTS).contains(&acts.len()) {
            return Err(AnswerError::Count { most: MOST_ACTS });
        }
        let mut paragraphs = Vec::new();
        let mut has_asked = false;
        for (place, act) in acts.iter().enumerate() {
            let is_last = place + 1 == acts.len();
            goes_with(act, is_last, &mut has_asked).map_err(|why| FieldRefusal::from(why).at(place, act))?;
            let Self { evidence, book, rotation } = *self;
            if is_said_anyway(act, acts) {
                continue;
            }
            let teller = Teller { evidence, book, rotation, place, acts };
            paragraphs.push(teller.paragraph(act).map_err(|refusal| refusal.at(place, act))?);
        }
        Ok(Speech { paragraphs })
    }
}

const fn goes_with(act: &Act, is_last: bool, has_asked: &mut bool) -> Result<(), Refusal> {
    if act.asks() {
        if *has_asked {
            return Err(Refusal::SecondQuestion);
        }
        *has_asked = true;
    }
    let ends = act.proposes() || matches!(act, Act::HandOver { .. });
    if ends && !is_last { Err(Refusal::NotLast) } else { Ok(()) }
}

/// Returns whether another act of the answer says it, too: an apology, which most refusals begin with.
fn is_said_anyway(act: &Act, acts: &[Act]) -> bool {
    let apologises = |act: &Act| {
        matches!(
            act,
            Act::HandOver { reason: Concern::Complaint }
                | Act::Cannot { .. }
                | Act::NotFound { .. }
                | Act::NoSlots { .. }
                | Act::DeclineOffer { .. }
        )
    };
    matches!(act, Act::Apologise {}) && acts.iter().any(apologises)
}

impl<'a> Teller<'a> {
    /// Lists the acts before this one.
    fn before(self) -> &'a [Act] {
        self.acts.get(..self.place).unwrap_or_default()
    }

    fn paragraph(self, act: &Act) -> Result<Paragraph, FieldRefusal> {
        let spoken = match act {
            Act::Quote { product, variant, parts } => {
                return self.quote(self.chosen(product, variant.as_ref())?, parts);
            }
            Act::List { products } => self.list(Phrase::ListIntro, products)?,
            Act::Closest { products } => self.closest(products)?,
            Act::Compare { products } => self.compare(products)?,
            Act::NotFound { query } => self.not_found(query.as_deref())?,
            Act::Total { lines } => self.total(lines)?,
            Act::Multiple { product, variant, quantity } => {
                self.multiple(self.chosen(product, variant.as_ref())?, *quantity, "product")?
            }
            Act::DeclineOffer { amount, product, variant } => {
                let chosen =
                    product.as_ref().map(|product| self.chosen(product, variant.as_ref())).transpose()?;
                self.decline_offer(&amount.0, chosen)?
            }
            Act::Discount { product, variant } => self.discount(self.chosen(product, variant.as_ref())?)?,
            Act::OrderStatus { order, parts } => self.order_status(order, parts)?,
            Act::Record { fields } => self.record(fields)?,
            Act::Slots { slots } => self.slots(slots)?,
            Act::NoSlots { range } => self.no_slots(range)?,
            Act::Cite { fact, sentences } => self.cite(fact, sentences)?,
            Act::ProposeOrder { draft }
            | Act::ProposeBooking { draft }
            | Act::ProposeCancellation { draft } => {
                return self.propose(act, draft);
            }
            Act::Ask { what, options } => self.ask(*what, options)?,
            Act::Clarify { a, b } => self.clarify(a, b)?,
            Act::ConfirmUnderstanding { product, variant, quantity } => {
                self.confirm_understanding(self.chosen(product, variant.as_ref())?, *quantity)?
            }
            Act::HowToOrder {} => self.word(Phrase::HowToOrder, &[]),
            Act::UnderWay {} => self.under_way()?,
            Act::Greet {} => self.greet(),
            Act::Thank {} => self.word(Phrase::Thank, &[]),
            Act::Apologise {} => self.word(Phrase::Apologise, &[]),
            Act::Wait {} => self.word(Phrase::Wait, &[]),
            Act::YouAreWelcome {} => self.word(Phrase::YouAreWelcome, &[]),
            Act::Bye {} => self.word(Phrase::Bye, &[]),
            Act::WhoIAm {} => self.who_i_am(),
            Act::NotAPerson {} => self.word_once(Phrase::NotAPerson),
            Act::Cannot { topic } => self.cannot(*topic),
            Act::Lead { words } => self.lead(words)?,
            Act::HandOver { reason } => self.hand_over(*reason),
        };
        Ok(Paragraph::of(spoken))
    }

    fn word(self, phrase: Phrase, told: &[(&str, Fact)]) -> Spoken {
        self.book.word(phrase, self.rotation.turn(phrase, self.place), told)
    }

    /// Words a phrase without evidence: by a wording that asks nothing, if another act asks or hands over.
    fn word_once(self, phrase: Phrase) -> Spoken {
        let asks = |act: &Act| act.asks() || matches!(act, Act::HandOver { .. });
        let turn = self.rotation.turn(phrase, self.place);
        if self.acts.iter().any(asks) { self.book.state(phrase, turn) } else { self.word(phrase, &[]) }
    }

    /// Returns whether an act before this one has told the price of a product.
    fn has_priced(self, chosen: Chosen<'_>) -> bool {
        let id = chosen.product.listing.id.as_str();
        self.before().iter().any(|act| {
            matches!(act, Act::Quote { product, parts, .. } if product.0 == id && parts.contains(&QuotePart::Price))
        })
    }

    fn chosen(self, Id(product): &Id, variant: Option<&Id>) -> Result<Chosen<'a>, FieldRefusal> {
        self.evidence.chosen(product, variant.map(|Id(id)| id.as_str()))
    }

    fn line(
        self,
        TotalLine { product, variant, quantity: _ }: &TotalLine,
    ) -> Result<Chosen<'a>, FieldRefusal> {
        self.chosen(product, variant.as_ref())
    }

    fn title(self, chosen: Chosen<'_>) -> Fact {
        Fact::Title(self.book.voice().isolate(&chosen.title()))
    }

    fn label(self, chosen: Chosen<'_>) -> Fact {
        Fact::Title(self.book.voice().isolate(&chosen.label()))
    }

    fn told(self, text: &str) -> Fact {
        Fact::Told(self.book.voice().isolate(text))
    }
}

/// Takes sentences by their numbers. A question goes with its answer and an answer with its question, since
/// «لا» alone denies whatever was asked.
fn cited<'a>(all: &[&'a str], numbers: &[usize]) -> Result<Vec<&'a str>, Refusal> {
    let asks = |place: usize| all.get(place).is_some_and(|sentence| asks(sentence));
    let mut places = Vec::new();
    for number in numbers {
        let place = number.checked_sub(1).filter(|place| *place < all.len());
        let place = place.ok_or(Refusal::NoSentence { last: all.len() })?;
        let first = (0..place).rev().take_while(|place| asks(*place)).last().unwrap_or(place);
        let last = (place..all.len()).find(|place| !asks(*place)).unwrap_or(all.len());
        for place in first..=last {
            if !places.contains(&place) {
                places.push(place);
            }
        }
    }
    Ok(places.into_iter().filter_map(|place| all.get(place).copied()).collect())
}

/// Checks the number of entries of a field.
fn counted<T>(list: &[T], least: usize, most: usize, field: &'static str) -> Result<(), FieldRefusal> {
    if (least..=most).contains(&list.len()) { Ok(()) } else { Err(Refusal::Count { least, most }.of(field)) }
}
