//! Sums, by code: totals, multiples, offers, discounts.

use std::num::NonZeroU32;

use super::{Teller, counted};
use crate::{
    assistant::{
        figures::{in_full, offers},
        speech::{
            act::{Act, TotalLine},
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
        if let [line] = lines {
            return self.multiple(self.line(line)?, line.quantity, "lines");
        }
        let mut spoken = Spoken::default();
        let (mut prices, mut currencies) = (Vec::new(), Vec::new());
        for line in lines {
            let (chosen, quantity) = (self.line(line)?.in_stock("lines")?, pieces(line.quantity)?);
            let (price, currency) = (chosen.price()?, self.evidence.currency_of(chosen.product));
            let sum = self.book.short_amount(&times(price, quantity)?, currency);
            let told =
                [("pieces", self.listed(quantity)), ("title", self.title(chosen)), ("sum", Fact::Told(sum))];
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

    pub(super) fn multiple(
        self,
        chosen: Chosen<'_>,
        quantity: NonZeroU32,
        field: &'static str,
    ) -> Result<Spoken, FieldRefusal> {
        let quantity = pieces(quantity)?;
        let total = times(chosen.in_stock(field)?.price()?, quantity)?;
        let total = self.book.amount(&total, self.evidence.currency_of(chosen.product));
        if self.has_named(chosen) {
            let told = [("count", Fact::Told(quantity.to_string())), ("total", Fact::Told(total))];
            return Ok(self.word(Phrase::MultipleThen, &told));
        }
        if quantity == 1 {
            let told = [("title", self.title(chosen)), ("price", Fact::Told(total))];
            return Ok(self.word(Phrase::QuotePrice, &told));
        }
        let told =
            [("pieces", self.pieces(quantity)), ("title", self.title(chosen)), ("total", Fact::Told(total))];
        Ok(self.word(Phrase::Multiple, &told))
    }

    pub(super) fn decline_offer(
        self,
        offer: &Money,
        chosen: Option<Chosen<'_>>,
    ) -> Result<Spoken, FieldRefusal> {
        let evidence = self.evidence;
        let of_turn =
            || evidence.products.iter().map(|product| evidence.currency_of(product)).collect::<Vec<_>>();
        let currency = chosen.map(|chosen| evidence.currency_of(chosen.product));
        let currency = currency.or_else(|| one_of(&of_turn())).or(evidence.currency).unwrap_or(Currency::IQD);
        let price = match chosen {
            Some(chosen) => Some(chosen.prices().0),
            None => evidence.products.iter().map(|product| &product.listing.price).min(),
        };
        let offer = in_full(offer, price, currency);
        let mut said = evidence.customer.iter().flat_map(|said| offers(said, price, currency));
        if !said.any(|said| said == offer) {
            return Err(Refusal::NotSaid.of("amount"));
        }
        let told = ("offer", Fact::Told(self.book.amount(&offer, currency)));
        let (Some(chosen), Some(price)) = (chosen, price) else {
            return Ok(self.word(Phrase::DeclineBare, &[told]));
        };
        let (low, high) = chosen.prices();
        let amount = self.book.amount(price, currency);
        if offer >= *price {
            return Err(Refusal::NotBelow { price: amount }.of("amount"));
        }
        if self.has_priced(chosen) {
            return Ok(self.word(Phrase::DeclineBare, &[told]));
        }
        let amount =
            if low == high { amount } else { self.range(low, &self.book.amount(high, currency), currency) };
        let price = ("price", Fact::Told(amount));
        if self.has_named(chosen) {
            return Ok(self.word(Phrase::DeclineThen, &[told, price]));
        }
        Ok(self.word(Phrase::DeclinePrice, &[told, ("title", self.title(chosen)), price]))
    }

    /// Words how to order: what has been told already is not asked for.
    pub(super) fn how_to_order(self) -> Spoken {
        let is_open = |id: &str, variant: Option<&str>| {
            let chosen = self.evidence.chosen(id, variant);
            chosen.is_ok_and(|chosen| variant.is_none() && chosen.product.variants.len() > 1)
        };
        let phrase = match (self.last(), self.named()) {
            (Some(Act::Multiple { .. } | Act::Total { .. }), _) => Phrase::HowToOrderCounted,
            (Some(_), Some((id, variant))) if !is_open(id, variant) => Phrase::HowToOrderKnown,
            _ => Phrase::HowToOrder,
        };
        self.word(phrase, &[])
    }

    pub(super) fn discount(self, chosen: Chosen<'_>) -> Result<Spoken, FieldRefusal> {
        let (is_named, asked) = (self.has_named_price(chosen), chosen);
        let chosen = chosen.reduced()?;
        let is_named = is_named && asked.variant == chosen.variant;
        let (price, high) = chosen.prices();
        let currency = self.evidence.currency_of(chosen.product);
        let amount = |money: &Money| self.book.amount(money, currency);
        let title = ("title", self.title(chosen));
        let Some(before) = chosen.before() else {
            if self.has_priced(chosen) {
                return Ok(self.word(Phrase::DiscountNoneThen, &[]));
            }
            let price =
                if price == high { amount(price) } else { self.range(price, &amount(high), currency) };
            return Ok(self.word(Phrase::DiscountNone, &[title, ("price", Fact::Told(price))]));
        };
        let saved = before.without(price).ok_or(Refusal::NoSum)?;
        if is_named && price == high && self.has_priced(chosen) {
            let told = [("saved", &saved), ("before", before)];
            return Ok(
                self.word(Phrase::DiscountThen, &told.map(|(name, money)| (name, Fact::Told(amount(money)))))
            );
        }
        let told = [("price", price), ("before", before), ("saved", &saved)];
        let [price, before, saved] = told.map(|(name, money)| (name, Fact::Told(amount(money))));
        Ok(self.word(Phrase::Discount, &[title, price, before, saved]))
    }

    /// Counts pieces in a list: in digits.
    pub(super) fn listed(self, quantity: u32) -> Fact {
        Fact::Told(self.book.form(Phrase::PieceShort, &[("n", &quantity.to_string())]))
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

pub(super) fn one_of(currencies: &[Currency]) -> Option<Currency> {
    let first = *currencies.first()?;
    currencies.iter().all(|currency| *currency == first).then_some(first)
}
