//! Products: quotations, lists, comparisons.

use super::{
    Teller, cited, counted,
    options::{Options, is_size, known},
    sums::one_of,
};
use crate::{
    assistant::speech::{
        act::{Act, QuotePart, Topic},
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
        let is_known = self.is_known(chosen, parts);
        // Whoever asks for a size that is sold out reads no "yes" because there are others.
        let missed = self.evidence.customer.first().and_then(|said| chosen.sold_out_in(said));
        let missed = missed.filter(|_| parts.contains(&QuotePart::Availability) && !is_apart);
        let mut paragraph = Paragraph::of(match missed {
            _ if is_apart => self.prices_apart(chosen, is_known),
            None if is_known => self.price_and_availability_then(chosen, parts),
            None => self.price_and_availability(chosen, parts),
            Some(missed) => {
                let mut spoken = self.price_and_availability(missed, &[QuotePart::Availability]);
                if parts.contains(&QuotePart::Price) {
                    spoken.add_line(self.price_then(chosen, chosen.list_prices()));
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
                QuotePart::Before if is_known && matches!(self.last(), Some(Act::Discount { .. })) => {
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

    /// Returns whether the act before this one has named what this one is about.
    fn is_known(self, chosen: Chosen<'_>, parts: &[QuotePart]) -> bool {
        let of_variant = |part: &QuotePart| matches!(part, QuotePart::Price | QuotePart::Availability);
        let is_of_product =
            self.named_before_cites().is_some_and(|(id, _)| id == chosen.product.listing.id.as_str());
        self.has_named(chosen) || (is_of_product && chosen.variant.is_none() && !parts.iter().any(of_variant))
    }

    /// Words the price and the state of what has just been named, without its name.
    fn price_and_availability_then(self, chosen: Chosen<'_>, parts: &[QuotePart]) -> Spoken {
        let availability = parts.contains(&QuotePart::Availability).then(|| chosen.availability());
        let mut spoken = Spoken::default();
        if parts.contains(&QuotePart::Price) && !self.has_told_price(chosen) {
            let prices = if availability.is_some() { chosen.prices() } else { chosen.list_prices() };
            spoken = self.price_then(chosen, prices);
        }
        self.add_state(&mut spoken, availability);
        spoken
    }

    /// Words prices of what has just been named.
    fn price_then(self, chosen: Chosen<'_>, (low, high): (&Money, &Money)) -> Spoken {
        let currency = self.evidence.currency_of(chosen.product);
        let top = Fact::Told(self.book.amount(high, currency));
        if low == high {
            return self.word(Phrase::QuotePriceThen, &[("price", top)]);
        }
        let low = Fact::Told(self.book.lower_amount(low, currency));
        self.word(Phrase::QuoteRangeThen, &[("low", low), ("high", top)])
    }

    /// Puts the state behind what is told, on its line.
    fn add_state(self, spoken: &mut Spoken, availability: Option<Availability>) {
        let Some(availability) = availability else { return };
        let between = if spoken.text.ends_with('.') { " " } else { self.book.voice().comma() };
        spoken.add_behind(between, self.word(state(availability), &[]));
    }

    /// Words the price of each variant, where they cost different amounts.
    fn prices_apart(self, chosen: Chosen<'_>, is_known: bool) -> Spoken {
        let mut spoken = if is_known {
            self.word(Phrase::QuoteApartThen, &[])
        } else {
            self.word(Phrase::QuoteApart, &[("title", self.title(chosen))])
        };
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
                None if parts.iter().all(|part| *part == QuotePart::Photo) => Phrase::QuotePhoto,
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
            self.add_state(&mut spoken, availability);
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
            let before = reduced.before().ok_or_else(|| Refusal::Absent.of("parts: before"))?;
            let saved = before.without(reduced.prices().0).ok_or(Refusal::NoSum)?;
            let amount =
                |money| Fact::Told(self.book.amount(money, self.evidence.currency_of(chosen.product)));
            let told =
                [("variant", self.label(reduced)), ("before", amount(before)), ("saved", amount(&saved))];
            return Ok(self.word(Phrase::DiscountVariant, &told));
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
            spoken.add_line(self.word(Phrase::QuoteTogether, &[]));
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
            None => self.word(Phrase::QuoteOther, &[("name", self.told(name)), ("values", values)]),
        }
    }

    fn values(self, values: &[&str]) -> Fact {
        let voice = self.book.voice();
        let values: Vec<_> = values.iter().take(MOST_VALUES).map(|value| voice.isolate(value)).collect();
        Fact::Told(voice.join(&values))
    }

    pub(super) fn list(self, intro: Phrase, products: &[Id]) -> Result<Spoken, FieldRefusal> {
        counted(products, 1, MOST_LISTED, "products")?;
        if intro == Phrase::ListIntro
            && let Some(others) = self.others_of_named(products)?
        {
            return Ok(others);
        }
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
        if let Some(others) = self.others_of_named(products)? {
            return Ok(others);
        }
        let after = |act: &Act| match act {
            Act::NotFound { .. } | Act::Quote { .. } => Some(Phrase::ClosestThen),
            Act::DeclineOffer { .. } | Act::Discount { .. } | Act::Cannot { topic: Topic::Discount } => {
                let cheaper = self.are_cheaper(products);
                Some(if cheaper { Phrase::ClosestCheaper } else { Phrase::ClosestOther })
            }
            _ => None,
        };
        let intro = self.before().iter().rev().find_map(after);
        self.list(intro.unwrap_or(Phrase::ClosestIntro), products)
    }

    /// Lists the other variants, if the only product is the one whose variant has just been told of.
    fn others_of_named(self, products: &[Id]) -> Result<Option<Spoken>, FieldRefusal> {
        let ([Id(id)], Some((named, Some(variant)))) = (products, self.named()) else { return Ok(None) };
        if id != named {
            return Ok(None);
        }
        Ok(self.other_variants(self.evidence.product(id, "products")?, variant))
    }

    /// Lists the variants of a product that can be had, beside one that has just been told of.
    fn other_variants(self, chosen: Chosen<'_>, named: &str) -> Option<Spoken> {
        let others = chosen.in_stock("products").ok()?.variants().into_iter();
        let others: Vec<_> = others.filter(|variant| variant.listing.id.as_str() != named).collect();
        let mut spoken = self.word(Phrase::ClosestVariants, &[]);
        for variant in others.iter().take(MOST_LISTED) {
            let variant = Chosen { variant: Some(variant), ..chosen };
            spoken.add_line(self.item(variant, self.label(variant), Phrase::AmountFrom));
        }
        (!others.is_empty()).then_some(spoken)
    }

    /// Returns whether each of these costs less than what the act before this one is of.
    fn are_cheaper(self, products: &[Id]) -> bool {
        let Some((id, variant)) = self.named() else { return false };
        let Ok(named) = self.evidence.chosen(id, variant) else { return false };
        let currency = self.evidence.currency_of(named.product);
        products.iter().all(|Id(id)| {
            self.evidence.product(id, "products").is_ok_and(|chosen| {
                self.evidence.currency_of(chosen.product) == currency && chosen.prices().1 < named.prices().0
            })
        })
    }

    pub(super) fn item(self, chosen: Chosen<'_>, title: Fact, range: Phrase) -> Spoken {
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
        let all = all.collect::<Result<Vec<_>, _>>()?;
        spoken.add_line(self.cheapest(&all).unwrap_or_default());
        spoken.add_line(self.cheapest_in_stock(&all).unwrap_or_default());
        Ok(spoken)
    }

    /// Words which of several that can be had costs least, if one that cannot costs as little.
    fn cheapest_in_stock(self, all: &[Chosen<'_>]) -> Option<Spoken> {
        let currencies: Vec<_> = all.iter().map(|chosen| self.evidence.currency_of(chosen.product)).collect();
        one_of(&currencies)?;
        let (there, out): (Vec<_>, Vec<_>) =
            all.iter().partition(|chosen| chosen.availability() != Availability::Out);
        let mut there: Vec<&Chosen<'_>> = there;
        there.sort_by_key(|chosen| chosen.prices());
        let least = there.first()?;
        let is_alone = there.get(1).is_none_or(|next| least.prices().1 < next.prices().0);
        let is_missed = out.iter().any(|chosen| chosen.prices().0 <= least.prices().0);
        let phrase = if there.len() == 1 { Phrase::CompareOnly } else { Phrase::CompareInStock };
        (is_alone && is_missed).then(|| self.word(phrase, &[("title", self.title(**least))]))
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
