//! Rendering of acts: pure, and every fact in the text is the evidence's.

mod asking;
mod courtesy;
mod goods;
mod options;
mod sums;
mod systems;

use super::{
    act::{Act, Question, QuotePart, Topic, TotalLine},
    apologies::{begins_sorry, is_sorry},
    evidence::{Chosen, Evidence},
    messages::{Paragraph, Speech},
    phrase::Phrase,
    phrasebook::Phrasebook,
    refusal::{AnswerError, FieldRefusal, Refusal},
    rotation::Rotation,
    spoken::{Fact, Spoken},
    voice::Voice,
    written::Id,
};
use crate::text::{asks, fold_for_search};

/// Most acts of an answer.
pub const MOST_ACTS: usize = 8;

/// What words about paying begin with.
const PAYING: [&str; 4] = ["الدفع", "كاش", "payment", "پارەدان"];

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
    /// Whether an act before this one has apologised.
    is_sorry: bool,
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
        let (mut has_asked, mut is_sorry) = (false, false);
        let Self { evidence, book, rotation } = *self;
        let voice = book.voice();
        for (place, act) in acts.iter().enumerate() {
            let is_last = place + 1 == acts.len();
            goes_with(act, is_last, &mut has_asked).map_err(|why| FieldRefusal::from(why).at(place, act))?;
            let teller = Teller { evidence, book, rotation, place, acts, is_sorry };
            if teller.is_said_otherwise(act) {
                continue;
            }
            let paragraph = teller.paragraph(act).map_err(|refusal| refusal.at(place, act))?;
            is_sorry |= apologises(act, &paragraph.spoken.text, voice);
            paragraphs.push(paragraph);
        }
        Ok(Speech { paragraphs, is_right_to_left: voice.is_right_to_left() })
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

fn apologises(act: &Act, text: &str, voice: Voice) -> bool {
    let may = !matches!(act, Act::YouAreWelcome {} | Act::Greet {} | Act::Thank {} | Act::Bye {});
    may && (matches!(act, Act::Apologise {}) || is_sorry(text, voice))
}

impl<'a> Teller<'a> {
    /// Returns whether the answer is better without this act: an apology beside another, a request to wait
    /// for what is there, who answers beside that no person does, a sum above a summary that has it, what
    /// else somebody needs right behind a no.
    fn is_said_otherwise(self, act: &Act) -> bool {
        match act {
            Act::Apologise {} => self.is_sorry || self.next_begins_sorry(),
            Act::Wait {} => !self.acts.iter().all(Act::is_courtesy),
            Act::WhoIAm {} => self.acts.iter().any(|act| matches!(act, Act::NotAPerson {})),
            Act::Cannot { topic: Topic::Payment } => self.acts.iter().any(|act| self.cites_payment(act)),
            Act::Total { .. } | Act::Multiple { .. } => self.is_in_summary(act),
            Act::Ask { what: Question::AnythingElse, .. } => {
                matches!(self.last(), Some(Act::DeclineOffer { .. }))
            }
            _ => false,
        }
    }

    /// Returns whether an act tells the owner's words about paying.
    fn cites_payment(self, act: &Act) -> bool {
        let Act::Cite { fact: Id(id), sentences } = act else { return false };
        let Ok(cited) = self.cite(&Id(id.clone()), sentences) else { return false };
        let folded = fold_for_search(&cited.text);
        PAYING.iter().any(|word| folded.contains(&fold_for_search(word)))
    }

    fn next_begins_sorry(self) -> bool {
        let place = self.place + 1;
        let Some(next) = self.acts.get(place) else { return false };
        let paragraph = Teller { place, ..self }.paragraph(next);
        paragraph.is_ok_and(|paragraph| begins_sorry(&paragraph.spoken.text, self.book.voice()))
    }

    /// Returns whether a sum stands in the summary that the answer proposes.
    fn is_in_summary(self, act: &Act) -> bool {
        let Some(Act::ProposeOrder { draft: Id(draft) }) = self.acts.last() else { return false };
        let (Ok(draft), Ok(paragraph)) = (self.evidence.draft(draft), self.paragraph(act)) else {
            return false;
        };
        let is_told = |run: &str| draft.text.contains(run) || !run.contains(|c: char| c.is_ascii_digit());
        let figures = |fact: &Fact| match fact {
            Fact::Title(_) => true,
            Fact::Told(told) => told.split(|c: char| !(c.is_ascii_digit() || ",.".contains(c))).all(is_told),
        };
        paragraph.spoken.facts.iter().all(figures)
    }

    /// Returns the act before this one, without courtesies and a no to discounts.
    fn last(self) -> Option<&'a Act> {
        let tells = |act: &&Act| {
            !act.is_courtesy() && !matches!(act, Act::Cannot { topic: Topic::Discount } | Act::NotAPerson {})
        };
        self.before().iter().rfind(tells)
    }

    /// Returns whether the act before this one is of the same product, and of a variant that costs the same.
    fn has_named_price(self, chosen: Chosen<'_>) -> bool {
        let whole = Chosen { variant: None, ..chosen };
        let (low, high) = whole.list_prices();
        let is_of_it = self.named().is_some_and(|(id, _)| id == chosen.product.listing.id.as_str());
        self.has_named(chosen) || (is_of_it && low == high)
    }

    /// Returns whether the act before this one is of the same product, and of the same variant.
    fn has_named(self, chosen: Chosen<'_>) -> bool {
        self.named().is_some_and(|(product, variant)| {
            let of = chosen.variant.map(|variant| variant.listing.id.as_str());
            product == chosen.product.listing.id.as_str() && variant == of
        })
    }

    /// Returns the product, and the variant, that the act before this one is of.
    fn named(self) -> Option<(&'a str, Option<&'a str>)> {
        Self::named_by(self.last()?)
    }

    /// Returns what the act before this one is of, the owner's words between them left out.
    fn named_before_cites(self) -> Option<(&'a str, Option<&'a str>)> {
        let tells = |act: &&Act| !act.is_courtesy() && !matches!(act, Act::Cite { .. } | Act::Cannot { .. });
        Self::named_by(self.before().iter().rfind(tells)?)
    }

    fn named_by(act: &Act) -> Option<(&str, Option<&str>)> {
        match act {
            Act::Quote { product, variant, .. }
            | Act::Multiple { product, variant, .. }
            | Act::DeclineOffer { product: Some(product), variant, .. }
            | Act::Discount { product, variant } => {
                Some((product.0.as_str(), variant.as_ref().map(|variant| variant.0.as_str())))
            }
            _ => None,
        }
    }

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
            Act::HowToOrder {} => self.how_to_order(),
            Act::UnderWay {} => self.under_way()?,
            Act::Greet {} => self.greet(),
            Act::Thank {} => self.word(Phrase::Thank, &[]),
            Act::Apologise {} => self.word(Phrase::Apologise, &[]),
            Act::Wait {} => self.word(Phrase::Wait, &[]),
            Act::YouAreWelcome {} => self.you_are_welcome(),
            Act::Bye {} => self.bye(),
            Act::WhoIAm {} => self.who_i_am(),
            Act::NotAPerson {} => self.not_a_person(),
            Act::Cannot { topic } => self.cannot(*topic),
            Act::Lead { words } => self.lead(words)?,
            Act::HandOver { reason } => self.hand_over(*reason),
        };
        Ok(Paragraph::of(spoken))
    }

    fn word(self, phrase: Phrase, told: &[(&str, Fact)]) -> Spoken {
        if is_quotation(phrase) && self.quotes_several() {
            return self.book.word_in_row(phrase, self.rotation.turn(phrase, 0), told);
        }
        let turn = self.rotation.turn(phrase, self.place);
        if self.is_sorry { self.book.word_on(phrase, turn, told) } else { self.book.word(phrase, turn, told) }
    }

    /// Returns whether several acts quote: they are told in one form.
    fn quotes_several(self) -> bool {
        self.acts.iter().filter(|act| matches!(act, Act::Quote { .. })).count() > 1
    }

    /// Words a phrase without evidence: by a wording that asks nothing, if another act asks, hands over or
    /// comes after it.
    fn word_once(self, phrase: Phrase) -> Spoken {
        let asks = |act: &Act| act.asks() || matches!(act, Act::HandOver { .. });
        let is_last = self.place + 1 == self.acts.len();
        let turn = self.rotation.turn(phrase, self.place);
        if is_last && !self.acts.iter().any(asks) {
            self.word(phrase, &[])
        } else {
            self.book.state(phrase, turn, self.is_sorry)
        }
    }

    /// Returns whether an act before this one has told the price of a product.
    fn has_priced(self, chosen: Chosen<'_>) -> bool {
        let id = chosen.product.listing.id.as_str();
        self.before().iter().any(|act| match act {
            Act::Quote { product, parts, .. } => product.0 == id && parts.contains(&QuotePart::Price),
            Act::DeclineOffer { product: Some(product), .. } | Act::Discount { product, .. } => {
                product.0 == id
            }
            _ => false,
        })
    }

    /// Returns whether an act before this one has told the price of just this product or variant.
    fn has_told_price(self, chosen: Chosen<'_>) -> bool {
        let id = chosen.product.listing.id.as_str();
        let variant = chosen.variant.map(|variant| variant.listing.id.as_str());
        self.before().iter().any(|act| {
            Self::named_by(act) == Some((id, variant))
                && match act {
                    Act::Quote { parts, .. } => parts.contains(&QuotePart::Price),
                    act => matches!(act, Act::DeclineOffer { .. } | Act::Discount { .. }),
                }
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

/// Returns whether it quotes a product by its title.
const fn is_quotation(phrase: Phrase) -> bool {
    matches!(
        phrase,
        Phrase::QuotePrice
            | Phrase::QuoteRange
            | Phrase::QuoteIn
            | Phrase::QuoteFew
            | Phrase::QuoteOut
            | Phrase::QuoteInPrice
            | Phrase::QuoteFewPrice
            | Phrase::QuoteOutPrice
    )
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
