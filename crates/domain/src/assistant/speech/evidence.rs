//! Evidence of a turn, by id: what its tools told, what the owner wrote, what the customer said.

use super::refusal::{FieldRefusal, Refusal};
use crate::{
    currency::Currency,
    external_id::ExternalId,
    money::Money,
    orders::Order,
    systems::{Availability, CustomerRecord, DESCRIPTION_READ, Listing, Product, Slot, Variant},
    text::{PlainText, fold_for_search, latin_digits, sentences},
    zone::Zone,
};
use time::{Date, OffsetDateTime};

/// Everything that the acts of a turn may refer to.
#[derive(Debug, Clone, Default)]
pub struct Evidence {
    /// Where the clock is that times are told by.
    pub zone: Zone,
    /// Day of the turn there; `None` if "today" and "tomorrow" are not said.
    pub today: Option<Date>,
    /// Currency of prices that name none; `None` for dinars.
    pub currency: Option<Currency>,
    pub products: Vec<Product>,
    pub orders: Vec<Order>,
    pub slots: Vec<Slot>,
    /// Ranges in which slots were asked for.
    pub ranges: Vec<Range>,
    pub record: Option<CustomerRecord>,
    pub facts: Vec<OwnersFact>,
    /// Passages of the owner's documents.
    pub passages: Vec<OwnersPassage>,
    pub drafts: Vec<DraftSummary>,
    /// Words that products were searched by.
    pub searches: Vec<String>,
    /// What the customer wrote last.
    pub customer: Vec<String>,
    pub business: Option<PlainText>,
    /// What the assistant calls itself.
    pub assistant: Option<PlainText>,
    /// Whether something that the customer has confirmed is not done yet.
    pub is_under_way: bool,
}

/// A range in which slots were asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    pub id: ExternalId,
    pub from: Option<OffsetDateTime>,
    pub to: Option<OffsetDateTime>,
}

/// A fact, as the owner wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnersFact {
    pub id: ExternalId,
    pub text: String,
    /// The owner's wordings of it in other languages, by their codes.
    pub approved: Vec<(&'static str, String)>,
}

/// A passage of a document of the owner's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnersPassage {
    pub id: ExternalId,
    /// Document and place in it, as the log of turns names them: `7/2`.
    pub of: String,
    pub text: String,
}

/// A draft, and the summary that the customer is asked to confirm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftSummary {
    pub id: ExternalId,
    pub kind: crate::consent::DraftKind,
    pub text: String,
}

/// Kind of what an id refers to, in the log of turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Product,
    Variant,
    Slot,
}

/// A product, or one of its variants.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chosen<'a> {
    pub(super) product: &'a Product,
    pub(super) variant: Option<&'a Variant>,
}

/// Something to choose among.
#[derive(Debug, Clone, Copy)]
pub(super) enum Choice<'a> {
    Goods(Chosen<'a>),
    Slot(&'a Slot),
}

impl<'a> Chosen<'a> {
    fn listing(self) -> &'a Listing {
        self.variant.map_or(&self.product.listing, |variant| &variant.listing)
    }

    /// Returns whether it can be had; a product whose variants are all sold out cannot.
    pub(super) fn availability(self) -> Availability {
        let variants = &self.product.variants;
        let is_out = self.variant.is_none() && !variants.is_empty() && !variants.iter().any(is_there);
        if is_out { Availability::Out } else { self.listing().availability }
    }

    /// Refuses to let the customer choose or count what is sold out.
    pub(super) fn in_stock(self, field: &'static str) -> Result<Self, FieldRefusal> {
        match self.availability() {
            Availability::In | Availability::Few => Ok(self),
            Availability::Out => {
                let id = self.listing().id.as_str().to_owned();
                Err(Refusal::SoldOut { id }.of(field))
            }
        }
    }

    /// Lists the chosen variant, or the variants that can be had; all of them if none can.
    pub(super) fn variants(self) -> Vec<&'a Variant> {
        if let Some(variant) = self.variant {
            return vec![variant];
        }
        let all = &self.product.variants;
        let there: Vec<_> = all.iter().filter(|variant| is_there(variant)).collect();
        if there.is_empty() { all.iter().collect() } else { there }
    }

    /// Returns the lowest and the highest price: a product may have variants at several.
    pub(super) fn prices(self) -> (&'a Money, &'a Money) {
        let own = &self.listing().price;
        let prices = || self.variants().into_iter().map(|variant| &variant.listing.price);
        (prices().min().unwrap_or(own), prices().max().unwrap_or(own))
    }

    /// Returns the lowest and the highest price, whether or not what costs so much can be had.
    pub(super) fn list_prices(self) -> (&'a Money, &'a Money) {
        let prices = || self.product.variants.iter().map(|variant| &variant.listing.price);
        match (self.variant, prices().min(), prices().max()) {
            (None, Some(low), Some(high)) => (low, high),
            _ => self.prices(),
        }
    }

    /// Returns the old price; that of a product is none of a variant at another price, and is not told beside
    /// variants that cost as much.
    pub(super) fn before(self) -> Option<&'a Money> {
        let (low, high) = self.prices();
        let is_own = *low == self.product.listing.price;
        self.product.discounted_from().filter(|before| is_own && high < *before)
    }

    /// Returns the variant that the old price belongs to, if the variants cost different amounts.
    pub(super) fn reduced(self) -> Result<Self, FieldRefusal> {
        let (low, high) = self.prices();
        let own = &self.product.listing.price;
        if self.product.discounted_from().is_none() || low == high {
            return Ok(self);
        }
        let reduced = self.variants().into_iter().filter(|variant| variant.listing.price == *own);
        match reduced.collect::<Vec<_>>().as_slice() {
            [] => Ok(self),
            [variant] => Ok(Self { variant: Some(variant), ..self }),
            several => {
                let ids = several.iter().map(|variant| variant.listing.id.as_str());
                Err(Refusal::several_prices(ids).of("variant"))
            }
        }
    }

    /// Returns the one price; refused for a product whose variants cost different amounts.
    pub(super) fn price(self) -> Result<&'a Money, FieldRefusal> {
        match self.prices() {
            (low, high) if low == high => Ok(low),
            _ => {
                let ids = self.variants().into_iter().map(|variant| variant.listing.id.as_str());
                Err(Refusal::several_prices(ids).of("variant"))
            }
        }
    }

    /// Returns the name of the variant beside its siblings.
    pub(super) fn label(self) -> String {
        let Some(variant) = self.variant else { return self.title() };
        let own = variant.listing.title.as_str();
        if is_nameless(own) {
            return self.title();
        }
        let values: Vec<_> = variant.options.iter().map(|(_, value)| value.as_str()).collect();
        let is_whole = own.contains(self.product.listing.title.as_str());
        if is_whole && !values.is_empty() { values.join(" / ") } else { own.to_owned() }
    }

    /// Returns the name, with that of the variant in brackets if it does not hold the product's itself.
    pub(super) fn title(self) -> String {
        let product = self.product.listing.title.as_str();
        match self.variant.map(|variant| variant.listing.title.as_str()) {
            Some(variant) if variant.contains(product) => variant.to_owned(),
            // The title may hold the variant's name already.
            Some(variant) if is_nameless(variant) || names(product, variant) => product.to_owned(),
            Some(variant) => format!("{product} ({variant})"),
            None => product.to_owned(),
        }
    }
}

/// Returns whether it is what a shop system calls the one variant of a product that has no others.
pub(super) fn is_nameless(variant: &str) -> bool {
    matches!(fold_for_search(variant).as_str(), "default title" | "default")
}

/// Returns whether a title has a name of several letters as words of its own.
fn names(title: &str, name: &str) -> bool {
    let words = |text: &str| {
        let folded = fold_for_search(text);
        let words: Vec<_> =
            folded.split(|c: char| !c.is_alphanumeric()).filter(|it| !it.is_empty()).collect();
        format!(" {} ", words.join(" "))
    };
    let name = words(name);
    name.chars().filter(|c| c.is_alphabetic()).count() > 3 && words(title).contains(&name)
}

fn is_there(variant: &Variant) -> bool {
    variant.listing.availability != Availability::Out
}

fn variants(product: &Product) -> impl Iterator<Item = &str> {
    product.variants.iter().map(|variant| variant.listing.id.as_str())
}

fn variant_of<'a>(product: &'a Product, id: &str) -> Option<&'a Variant> {
    product.variants.iter().find(|variant| variant.listing.id.as_str() == id)
}

/// Finds what has an id among those that are known.
fn find<'a, T>(all: &'a [T], id: &str, id_of: impl Fn(&T) -> &str) -> Result<&'a T, Refusal> {
    let found = all.iter().find(|it| id_of(it) == id);
    found.ok_or_else(|| Refusal::unknown(id, all.iter().map(id_of)))
}

/// Adds parts; the newer of one id replaces the older.
fn renew<T>(all: &mut Vec<T>, newer: Vec<T>, id_of: impl Fn(&T) -> &str) {
    for part in newer {
        match all.iter_mut().find(|known| id_of(known) == id_of(&part)) {
            Some(known) => *known = part,
            None => all.push(part),
        }
    }
}

impl Evidence {
    /// Adds what was found out later; the newer of one id wins. Where the clock is, the day and who speaks
    /// stay.
    pub fn extend(&mut self, later: Self) {
        self.currency = later.currency.or(self.currency);
        renew(&mut self.products, later.products, |product| product.listing.id.as_str());
        renew(&mut self.orders, later.orders, |order| order.number.as_str());
        renew(&mut self.slots, later.slots, |slot| slot.id.as_str());
        renew(&mut self.ranges, later.ranges, |range| range.id.as_str());
        renew(&mut self.facts, later.facts, |fact| fact.id.as_str());
        renew(&mut self.passages, later.passages, |passage| passage.id.as_str());
        renew(&mut self.drafts, later.drafts, |draft| draft.id.as_str());
        self.record = later.record.or_else(|| self.record.take());
        self.searches.extend(later.searches);
        self.customer.extend(later.customer);
        self.is_under_way |= later.is_under_way;
    }

    /// Returns the kind of what may be chosen by an id; `None` if nothing has it.
    pub(super) fn kind_of(&self, id: &str) -> Option<Kind> {
        match self.choice(id, "options").ok()? {
            Choice::Goods(Chosen { variant: None, .. }) => Some(Kind::Product),
            Choice::Goods(Chosen { variant: Some(_), .. }) => Some(Kind::Variant),
            Choice::Slot(_) => Some(Kind::Slot),
        }
    }

    pub(super) fn product(&self, id: &str, field: &'static str) -> Result<Chosen<'_>, FieldRefusal> {
        let product = find(&self.products, id, |product| product.listing.id.as_str());
        Ok(Chosen { product: product.map_err(|why| why.of(field))?, variant: None })
    }

    /// Finds a product, or a variant of it.
    pub(super) fn chosen(&self, product: &str, variant: Option<&str>) -> Result<Chosen<'_>, FieldRefusal> {
        let Chosen { product, .. } = self.product(product, "product")?;
        let Some(id) = variant else { return Ok(Chosen { product, variant: None }) };
        let found = variant_of(product, id);
        let unknown = || Refusal::unknown(id, variants(product)).of("variant");
        Ok(Chosen { product, variant: Some(found.ok_or_else(unknown)?) })
    }

    /// Finds a product, a variant or a slot.
    pub(super) fn choice(&self, id: &str, field: &'static str) -> Result<Choice<'_>, FieldRefusal> {
        let variant =
            |product| variant_of(product, id).map(|variant| Chosen { product, variant: Some(variant) });
        let goods = self.product(id, field).ok().or_else(|| self.products.iter().find_map(variant));
        let slot = || self.slots.iter().find(|slot| slot.id.as_str() == id);
        if let Some(choice) = goods.map(Choice::Goods).or_else(|| slot().map(Choice::Slot)) {
            return Ok(choice);
        }
        let products = self.products.iter();
        let ids = products.flat_map(|it| std::iter::once(it.listing.id.as_str()).chain(variants(it)));
        Err(Refusal::unknown(id, ids.chain(self.slots.iter().map(|slot| slot.id.as_str()))).of(field))
    }

    pub(super) fn order(&self, number: &str) -> Result<&Order, FieldRefusal> {
        // With a sign before it, or in Arabic digits, as customers write it.
        let plain = |number: &str| latin_digits(number.trim().trim_start_matches('#'));
        let found = self.orders.iter().find(|order| plain(order.number.as_str()) == plain(number));
        let known = self.orders.iter().map(|order| order.number.as_str());
        found.ok_or_else(|| Refusal::unknown(number, known).of("order"))
    }

    pub(super) fn slot(&self, id: &str) -> Result<&Slot, FieldRefusal> {
        find(&self.slots, id, |slot| slot.id.as_str()).map_err(|why| why.of("slots"))
    }

    pub(super) fn range(&self, id: &str) -> Result<&Range, FieldRefusal> {
        find(&self.ranges, id, |range| range.id.as_str()).map_err(|why| why.of("range"))
    }

    pub(super) fn fact(&self, id: &str) -> Result<&OwnersFact, FieldRefusal> {
        let passages = self.passages.iter().map(|passage| passage.id.as_str());
        let known = self.facts.iter().map(|fact| fact.id.as_str()).chain(passages);
        let found = self.facts.iter().find(|fact| fact.id.as_str() == id);
        found.ok_or_else(|| Refusal::unknown(id, known).of("fact"))
    }

    pub(super) fn passage(&self, id: &str) -> Option<&OwnersPassage> {
        self.passages.iter().find(|passage| passage.id.as_str() == id)
    }

    pub(super) fn draft(&self, id: &str) -> Result<&DraftSummary, FieldRefusal> {
        find(&self.drafts, id, |draft| draft.id.as_str()).map_err(|why| why.of("draft"))
    }

    pub(super) fn currency_of(&self, product: &Product) -> Currency {
        product.currency.or(self.currency).unwrap_or(Currency::IQD)
    }

    /// Returns whether the customer has said a text, letter by letter but for its spelling and its signs.
    pub(super) fn has_said(&self, words: &str) -> bool {
        let plain = |text: &str| {
            let folded = fold_for_search(text);
            let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
            words.collect::<Vec<_>>().join(" ")
        };
        let words = plain(words);
        !words.is_empty() && self.customer.iter().any(|said| plain(said).contains(&words))
    }
}

impl OwnersFact {
    /// Returns the text for whoever reads that language: the owner's wording in it, if there is one.
    pub(super) fn text_in(&self, language: &str) -> &str {
        let approved = self.approved.iter().find(|(code, _)| *code == language);
        approved.map_or(&self.text, |(_, text)| text)
    }
}

/// Lists the sentences of a description, without the last if it was cut off.
pub(super) fn description(product: &Product) -> Vec<&str> {
    let Some(text) = product.description.as_ref().map(PlainText::as_str) else { return Vec::new() };
    let mut all = sentences(text);
    let is_cut = text.chars().count() >= DESCRIPTION_READ && !text.ends_with(['.', '!', '?', '؟', '…']);
    if is_cut && all.len() > 1 {
        all.pop();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::{Evidence, OwnersFact};
    use crate::external_id::ExternalId;

    #[test]
    fn the_newer_of_one_id_wins_and_the_others_stay() {
        let fact = |id: &str, text: &str| OwnersFact {
            id: ExternalId::of_text(id).unwrap(),
            text: text.to_owned(),
            approved: vec![],
        };
        let with = |facts| Evidence { facts, ..Evidence::default() };
        let mut all = with(vec![fact("f1", "old"), fact("f2", "other")]);
        all.extend(with(vec![fact("f1", "new"), fact("f3", "more")]));
        let texts: Vec<_> = all.facts.iter().map(|fact| fact.text.as_str()).collect();
        assert_eq!(texts, ["new", "other", "more"]);
    }
}
