//! Products: quotations, lists, comparisons.

use super::{
    Teller, cited, counted,
    options::{Options, is_size},
};
use crate::{
    assistant::speech::{
        act::QuotePart,
        evidence::{Chosen, description},
        messages::Paragraph,
        phrase::Phrase,
        refusal::{FieldRefusal, Refusal},
        spoken::{Fact, Spoken},
        written::Id,
    },
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
        let mut paragraph = Paragraph::of(self.price_and_availability(chosen, parts));
        let options = Options::of(chosen);
        for part in parts {
            let line = match part {
                QuotePart::Price | QuotePart::Availability => continue,
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
                    let cited = cited(&sentences, &[*number]);
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
        let (low, high) = chosen.prices();
        let amount = |money| Fact::Told(self.book.amount(money, currency));
        if low != high {
            let range = [("title", title), ("low", amount(low)), ("high", amount(high))];
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
        let before = chosen.before().ok_or_else(|| Refusal::Absent.of("parts: before"))?;
        let before = self.book.amount(before, self.evidence.currency_of(chosen.product));
        Ok(self.word(Phrase::QuoteBefore, &[("before", Fact::Told(before))]))
    }

    fn sizes(self, options: &Options<'_>) -> Result<Spoken, FieldRefusal> {
        let sizes = options.each().into_iter().find(|(name, _)| is_size(name));
        let (_, sizes) = sizes.ok_or_else(|| Refusal::Absent.of("parts: sizes"))?;
        Ok(self.word(Phrase::QuoteSizes, &[("sizes", self.values(&sizes))]))
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
            let told = [("name", self.told(name)), ("values", self.values(&values))];
            spoken.add_line(self.word(Phrase::QuoteOption, &told));
        }
        let is_nothing = spoken.text.is_empty() && !has_sizes;
        if is_nothing { Err(Refusal::Absent.of("parts: options")) } else { Ok(spoken) }
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
            spoken.add_line(self.item(self.evidence.product(product, "products")?));
        }
        Ok(spoken)
    }

    fn item(self, chosen: Chosen<'_>) -> Spoken {
        let phrase = match chosen.availability() {
            Availability::In => Phrase::ItemIn,
            Availability::Few => Phrase::ItemFew,
            Availability::Out => Phrase::ItemOut,
        };
        let (low, high) = chosen.prices();
        let price = self.book.short_amount(low, self.evidence.currency_of(chosen.product));
        let price = if low == high {
            price
        } else {
            self.book.form(Phrase::AmountFrom, &[("price", price.as_str())])
        };
        self.word(phrase, &[("title", self.title(chosen)), ("price", Fact::Told(price))])
    }

    pub(super) fn compare(self, products: &[Id]) -> Result<Spoken, FieldRefusal> {
        counted(products, 2, MOST_COMPARED, "products")?;
        let mut spoken = self.list(Phrase::CompareIntro, products)?;
        let all = products.iter().map(|Id(id)| self.evidence.product(id, "products"));
        if let [one, other] = all.collect::<Result<Vec<_>, _>>()?.as_slice() {
            spoken.add_line(self.cheaper(*one, *other).unwrap_or_default());
        }
        Ok(spoken)
    }

    /// Words which of two costs less; `None` if that cannot be said in one amount.
    fn cheaper(self, one: Chosen<'_>, other: Chosen<'_>) -> Option<Spoken> {
        let (price, other_price) = (one.price().ok()?, other.price().ok()?);
        let currency = self.evidence.currency_of(one.product);
        if currency != self.evidence.currency_of(other.product) || price == other_price {
            return None;
        }
        let (cheaper, low, high) =
            if price < other_price { (one, price, other_price) } else { (other, other_price, price) };
        let difference = Fact::Told(self.book.amount(&high.without(low)?, currency));
        Some(self.word(Phrase::CompareCheaper, &[("title", self.title(cheaper)), ("difference", difference)]))
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
