//! Sums, by code: totals, multiples, offers, discounts.

use std::num::NonZeroU32;

use super::{Teller, counted};
use crate::{
    assistant::{
        figures::numbers,
        speech::{
            act::TotalLine,
            evidence::Chosen,
            phrase::Phrase,
            refusal::{FieldRefusal, Refusal},
            spoken::{Fact, Spoken},
        },
    },
    currency::Currency,
    money::Money,
};

/// Most lines of a total.
const MOST_LINES: usize = 10;
/// Most pieces of one thing.
const MOST_PIECES: u32 = 10_000;

impl Teller<'_> {
    pub(super) fn total(self, lines: &[TotalLine]) -> Result<Spoken, FieldRefusal> {
        counted(lines, 1, MOST_LINES, "lines")?;
        let mut spoken = Spoken::default();
        let (mut prices, mut currencies) = (Vec::new(), Vec::new());
        for line in lines {
            let (chosen, quantity) = (self.line(line)?, pieces(line.quantity)?);
            let (price, currency) = (chosen.price()?, self.evidence.currency_of(chosen.product));
            let sum = self.book.short_amount(&times(price, quantity)?, currency);
            let told =
                [("pieces", self.pieces(quantity)), ("title", self.title(chosen)), ("sum", Fact::Told(sum))];
            spoken.add_line(self.word(Phrase::TotalLine, &told));
            prices.push((price, quantity));
            currencies.push(currency);
        }
        let currency = one_of(&currencies).ok_or_else(|| Refusal::NoSum.of("lines"))?;
        let total = Money::total(prices.into_iter()).ok_or_else(|| Refusal::NoSum.of("lines"))?;
        let total = Fact::Told(self.book.amount(&total, currency));
        spoken.add_line(self.word(Phrase::TotalSum, &[("total", total)]));
        Ok(spoken)
    }

    pub(super) fn multiple(self, chosen: Chosen<'_>, quantity: NonZeroU32) -> Result<Spoken, FieldRefusal> {
        let quantity = pieces(quantity)?;
        let total = times(chosen.price()?, quantity)?;
        let total = self.book.amount(&total, self.evidence.currency_of(chosen.product));
        let told =
            [("pieces", self.pieces(quantity)), ("title", self.title(chosen)), ("total", Fact::Told(total))];
        Ok(self.word(Phrase::Multiple, &told))
    }

    pub(super) fn decline_offer(
        self,
        offer: &Money,
        chosen: Option<Chosen<'_>>,
    ) -> Result<Spoken, FieldRefusal> {
        let said = self.evidence.customer.iter().flat_map(|said| numbers(said));
        if !said.into_iter().any(|number| number.values.contains(offer)) {
            return Err(Refusal::NotSaid.of("amount"));
        }
        let currency = chosen.map(|chosen| self.evidence.currency_of(chosen.product));
        let currency = currency.or(self.evidence.currency).unwrap_or(Currency::IQD);
        let offer = ("offer", Fact::Told(self.book.amount(offer, currency)));
        let Some(chosen) = chosen else { return Ok(self.word(Phrase::DeclineBare, &[offer])) };
        let price = ("price", Fact::Told(self.book.amount(chosen.price()?, currency)));
        Ok(self.word(Phrase::DeclinePrice, &[offer, ("title", self.title(chosen)), price]))
    }

    pub(super) fn discount(self, chosen: Chosen<'_>) -> Result<Spoken, FieldRefusal> {
        let price = chosen.own_price();
        let currency = self.evidence.currency_of(chosen.product);
        let amount = |money: &Money| Fact::Told(self.book.amount(money, currency));
        let told = [("title", self.title(chosen)), ("price", amount(price))];
        let Some(before) = chosen.before() else {
            return Ok(self.word(Phrase::DiscountNone, &told));
        };
        let saved = before.without(price).ok_or(Refusal::NoSum)?;
        let more = [("before", amount(before)), ("saved", amount(&saved))];
        Ok(self.word(Phrase::Discount, &[told.as_slice(), more.as_slice()].concat()))
    }

    pub(super) fn pieces(self, quantity: u32) -> Fact {
        Fact::Told(self.book.pieces(quantity))
    }
}

/// Returns the number of pieces, if it is one that somebody may mean.
pub(super) fn pieces(quantity: NonZeroU32) -> Result<u32, FieldRefusal> {
    let quantity = quantity.get();
    if quantity > MOST_PIECES {
        Err(Refusal::TooMuch { most: MOST_PIECES }.of("quantity"))
    } else {
        Ok(quantity)
    }
}

pub(super) fn times(price: &Money, quantity: u32) -> Result<Money, FieldRefusal> {
    Money::total(std::iter::once((price, quantity))).ok_or_else(|| Refusal::NoSum.of("quantity"))
}

fn one_of(currencies: &[Currency]) -> Option<Currency> {
    let first = *currencies.first()?;
    currencies.iter().all(|currency| *currency == first).then_some(first)
}
