//! Products: quotations, lists, comparisons.

use super::{
    Teller, cited, counted,
    options::{Options, is_size, known},
    sums::one_of,
};
use crate::{
    assistant::speech::{
        act::{Act, QuotePart},
        evidence::{Chosen, description},
        messages::Paragraph,
        phrase::Phrase,
        refusal::{FieldRefusal, Refusal},
        spoken::{Fact, Spoken},
        written::Id,
    },
    currency::Currency,
    money::Money,
    systems::Availability,
    text::{PlainText, fold_for_search},
};

/// Most products of a list.
const MOST_LISTED: usize = 8;
/// Most products that are compared.
const MOST_COMPARED: usize = 4;
/// Most parts of a quotation.
const MOST_PARTS: usize = 10;
/// Most values of an option that are told.
const MOST_VALUES: usize = 20;
/// Longest query that is repeated, in characters.
const LONGEST_QUERY: usize = 80;

impl Teller<'_> {
    pub(super) fn quote(self, chosen: Chosen<'_>, parts: &[QuotePart]) -> Result<Paragraph, FieldRefusal> {
        counted(parts, 1, MOST_PARTS, "parts")?;
        let tells_choice = parts.iter().any(|part| matches!(part, QuotePart::Sizes | QuotePart::Options));
        let (low, high) = chosen.prices();
        let is_apart = tells_choice && parts.contains(&QuotePart::Price) && low != high;
        // Whoever asks for a size that is sold out reads no "yes" because there are others.
        let missed = self.evidence.customer.first().and_then(|said| chosen.sold_out_in(said));
        let missed = missed.filter(|_| parts.contains(&QuotePart::Availability) && !is_apart);
        let mut paragraph = Paragraph::of(match missed {
            _ if is_apart => self.prices_apart(chosen),
            None => self.price_and_availability(chosen, parts),
            Some(missed) => {
                let mut spoken = self.price_and_availability(missed, &[QuotePart::Availability]);
                if parts.contains(&QuotePart::Price) {
                    spoken.add_line(self.price_and_availability(chosen, &[QuotePart::Price]));
                }
                spoken
            }
        });
        let options = Options::of(chosen.or_others());
        let (links, others): (Vec<_>, Vec<_>) = parts.iter().partition(|part| **part == QuotePart::Link);
        for part in others.into_iter().chain(links) {
            let line = match part {
                QuotePart::Price | QuotePart::Availability => continue,
                QuotePart::Sizes | QuotePart::Options if is_apart => continue,
                QuotePart::Photo => {
                    let photo = chosen.product.photo.clone();
                    paragraph.photo = Some(photo.ok_or_else(|| Refusal::Absent.of("parts: photo"))?);
                    continue;
                }
                QuotePart::Before => self.old_price(chosen)?,
                QuotePart::Sizes if parts.contains(&QuotePart::Options) && !options.are_free() => continue,
                QuotePart::Sizes => self.sizes(&options)?,
                QuotePart::Options => self.options(&options, parts.contains(&QuotePart::Sizes))?,
                QuotePart::Sentence(number) => {
                    let sentences = description(chosen.product);
                    let cited = cited(&sentences, &[number]);
                    let cited = cited.map_err(|why| why.of("parts: sentence"))?;
                    Spoken::of_fact(Fact::Told(cited.join(" ")))
                }
                QuotePart::Link => {
                    let link =
                        chosen.product.link.as_ref().ok_or_else(|| Refusal::Absent.of("parts: link"))?;
                    self.word(Phrase::QuoteLink, &[("link", Fact::Told(link.as_str().to_owned()))])
                }
            };
            paragraph.spoken.add_line(line);
        }
        Ok(paragraph)
    }

    /// Words the price of each variant, where they cost different amounts.
    fn prices_apart(self, chosen: Chosen<'_>) -> Spoken {
        let mut spoken = self.word(Phrase::QuoteApart, &[("title", self.title(chosen))]);
        for variant in chosen.variants() {
            let variant = Chosen { variant: Some(variant), ..chosen };
            spoken.add_line(self.item(variant, self.label(variant), Phrase::AmountFrom));
        }
        spoken
    }

    fn price_and_availability(self, chosen: Chosen<'_>, parts: &[QuotePart]) -> Spoken {
        let availability = parts.contains(&QuotePart::Availability).then(|| chosen.availability());
        let title = self.title(chosen);
        if !parts.contains(&QuotePart::Price) {
            let phrase = match availability {
                Some(Availability::In) => Phrase::QuoteIn,
                Some(Availability::Few) => Phrase::QuoteFew,
                Some(Availability::Out) => Phrase::QuoteOut,
                None => Phrase::QuoteTitle,
            };
            return self.word(phrase, &[("title", title)]);
        }
        let currency = self.evidence.currency_of(chosen.product);
        let (low, high) = if availability.is_some() { chosen.prices() } else { chosen.list_prices() };
        let amount = |money| Fact::Told(self.book.amount(money, currency));
        if low != high {
            let low = Fact::Told(self.book.lower_amount(low, currency));
            let range = [("title", title), ("low", low), ("high", amount(high))];
            let mut spoken = self.word(Phrase::QuoteRange, &range);
            if let Some(availability) = availability {
                spoken.add_line(self.word(state(availability), &[]));
            }
            return spoken;
        }
        let phrase = match availability {
            Some(Availability::In) => Phrase::QuoteInPrice,
            Some(Availability::Few) => Phrase::QuoteFewPrice,
            Some(Availability::Out) => Phrase::QuoteOutPrice,
            None => Phrase::QuotePrice,
        };
        self.word(phrase, &[("title", title), ("price", amount(low))])
    }

    fn old_price(self, chosen: Chosen<'_>) -> Result<Spoken, FieldRefusal> {
        let Some(before) = chosen.before() else {
            // Of variants at several prices, one may be the reduced one.
            let reduced = chosen.reduced()?;
            reduced.before().ok_or_else(|| Refusal::Absent.of("parts: before"))?;
            return self.discount(reduced);
        };
        let before = self.book.amount(before, self.evidence.currency_of(chosen.product));
        Ok(self.word(Phrase::QuoteBefore, &[("before", Fact::Told(before))]))
    }

    fn sizes(self, options: &Options<'_>) -> Result<Spoken, FieldRefusal> {
        let sizes = options.each().into_iter().find(|(name, _)| is_size(name));
        let (name, sizes) = sizes.ok_or_else(|| Refusal::Absent.of("parts: sizes"))?;
        Ok(self.option(name, &sizes))
    }

    /// Words the options, each by itself where everything goes with everything, and else together.
    fn options(self, options: &Options<'_>, has_sizes: bool) -> Result<Spoken, FieldRefusal> {
        let mut spoken = Spoken::default();
        if !options.are_free() {
            for (first, last) in options.together() {
                let values = self.values(&last);
                // A variant may have one option where the others have two.
                spoken.add_line(if first.is_empty() {
                    self.word(Phrase::QuoteTitle, &[("title", values)])
                } else {
                    self.word(Phrase::QuoteOption, &[("name", self.told(&first)), ("values", values)])
                });
            }
            return Ok(spoken);
        }
        for (name, values) in options.each().into_iter().filter(|(name, _)| !(has_sizes && is_size(name))) {
            spoken.add_line(self.option(name, &values));
        }
        let is_nothing = spoken.text.is_empty() && !has_sizes;
        if is_nothing { Err(Refusal::Absent.of("parts: options")) } else { Ok(spoken) }
    }

    fn option(self, name: &str, values: &[&str]) -> Spoken {
        let values = self.values(values);
        match known(name) {
            Some(phrase @ Phrase::QuoteSizes) => self.word(phrase, &[("sizes", values)]),
            Some(phrase) => self.word(phrase, &[("values", values)]),
            None => self.word(Phrase::QuoteOption, &[("name", self.told(name)), ("values", values)]),
        }
    }

    fn values(self, values: &[&str]) -> Fact {
        let voice = self.book.voice();
        let values: Vec<_> = values.iter().take(MOST_VALUES).map(|value| voice.isolate(value)).collect();
        Fact::Told(voice.join(&values))
    }

    pub(super) fn list(self, intro: Phrase, products: &[Id]) -> Result<Spoken, FieldRefusal> {
        counted(products, 1, MOST_LISTED, "products")?;
        let mut spoken = self.word(intro, &[]);
        for Id(product) in products {
            let chosen = self.evidence.product(product, "products")?;
            let range = if intro == Phrase::CompareIntro { Phrase::AmountRange } else { Phrase::AmountFrom };
            spoken.add_line(self.item(chosen, self.title(chosen), range));
        }
        Ok(spoken)
    }

    /// Words what comes near; that the very thing is not there may have been said before.
    pub(super) fn closest(self, products: &[Id]) -> Result<Spoken, FieldRefusal> {
        let is_said = |act: &Act| matches!(act, Act::NotFound { .. } | Act::Quote { .. });
        let is_said = self.before().iter().any(is_said);
        self.list(if is_said { Phrase::ClosestThen } else { Phrase::ClosestIntro }, products)
    }

    fn item(self, chosen: Chosen<'_>, title: Fact, range: Phrase) -> Spoken {
        let phrase = match chosen.availability() {
            Availability::In => Phrase::ItemIn,
            Availability::Few => Phrase::ItemFew,
            Availability::Out => Phrase::ItemOut,
        };
        let (low, high) = chosen.prices();
        let currency = self.evidence.currency_of(chosen.product);
        let price = match range {
            _ if low == high => self.book.short_amount(low, currency),
            Phrase::AmountRange => self.range(low, &self.book.short_amount(high, currency), currency),
            _ => self.book.form(range, &[("price", &self.book.short_amount(low, currency))]),
        };
        self.word(phrase, &[("title", title), ("price", Fact::Told(price))])
    }

    /// Words a range of prices up to one that is worded already.
    pub(super) fn range(self, low: &Money, high: &str, currency: Currency) -> String {
        let low = self.book.lower_amount(low, currency);
        self.book.form(Phrase::AmountRange, &[("low", &low), ("high", high)])
    }

    pub(super) fn compare(self, products: &[Id]) -> Result<Spoken, FieldRefusal> {
        counted(products, 2, MOST_COMPARED, "products")?;
        let mut spoken = self.list(Phrase::CompareIntro, products)?;
        let all = products.iter().map(|Id(id)| self.evidence.product(id, "products"));
        spoken.add_line(self.cheapest(&all.collect::<Result<Vec<_>, _>>()?).unwrap_or_default());
        Ok(spoken)
    }

    /// Words which of several costs least; `None` if none does, whichever variant is meant.
    fn cheapest(self, all: &[Chosen<'_>]) -> Option<Spoken> {
        let currencies: Vec<_> = all.iter().map(|chosen| self.evidence.currency_of(chosen.product)).collect();
        let currency = one_of(&currencies)?;
        let mut by_price: Vec<_> = all.iter().map(|chosen| (chosen.prices(), *chosen)).collect();
        by_price.sort_by_key(|(prices, _)| *prices);
        let (((lowest, highest), cheapest), (next, _)) = (by_price.first()?, by_price.get(1)?);
        let (most, _) = by_price.iter().map(|((low, high), _)| (*high, *low)).max()?;
        if *lowest == most {
            return Some(self.word(Phrase::CompareEqual, &[]));
        }
        if *highest >= next.0 {
            return None;
        }
        let title = ("title", self.title(*cheapest));
        match all {
            [_, _] if lowest == highest && next.0 == next.1 => {
                let difference = Fact::Told(self.book.amount(&next.0.without(lowest)?, currency));
                Some(self.word(Phrase::CompareCheaper, &[title, ("difference", difference)]))
            }
            _ => Some(self.word(Phrase::CompareCheapest, &[title])),
        }
    }

    pub(super) fn not_found(self, query: Option<&str>) -> Result<Spoken, FieldRefusal> {
        let Some(query) = query else { return Ok(self.word(Phrase::NotFoundBare, &[])) };
        let folded = fold_for_search(query);
        let was_searched = self.evidence.searches.iter().any(|search| fold_for_search(search) == folded);
        if !was_searched && !self.evidence.has_said(query) {
            return Err(Refusal::NotSaid.of("query"));
        }
        let query = PlainText::read(query, LONGEST_QUERY).ok_or_else(|| Refusal::NotSaid.of("query"))?;
        Ok(self.word(Phrase::NotFound, &[("query", self.told(query.as_str()))]))
    }
}

const fn state(availability: Availability) -> Phrase {
    match availability {
        Availability::In => Phrase::StateIn,
        Availability::Few => Phrase::StateFew,
        Availability::Out => Phrase::StateOut,
    }
}
