//! Results of tools, as a model is told them, and the evidence in them. The JSON is made here of typed
//! values: no text of a system's can be more than a text in it. What a model is not told is no evidence.

mod parts;

use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use super::{
    brief::without_phones_of,
    figures::without_links,
    speech::{Evidence, OwnersPassage, Range},
    toolbox::NUMBER,
};
use crate::{
    catalogue::search::{Found, Match},
    currency::Currency,
    external_id::ExternalId,
    knowledge::PassageOf,
    orders::{Order, OrderLine},
    phone::Region,
    systems::{CustomerRecord, FieldValue, Product, Slot, SlotQuery, Slots},
    text::{PlainText, sentences},
};
use parts::ProductPart;

/// Most products of a search that a model is told.
const MOST_FOUND: usize = 8;
/// Longest result that a model is told, in bytes. A longer one leaves parts out and says how many.
pub(super) const LONGEST_RESULT: usize = 12 * 1024;
/// Longest title of a passage that is told, in characters.
const LONGEST_HEAD: usize = 400;
/// Longest text of a system's that is told, in characters.
const LONGEST_TEXT: usize = 1_000;
/// Room for an id of a time that is given later, in bytes.
const ROOM_FOR_ID: usize = 4;

/// Result of a tool.
#[derive(Debug, Clone, Default)]
pub struct ToolOutcome {
    pub told: Value,
    /// Evidence for answers from now on.
    pub evidence: Evidence,
    pub deeds: Vec<Deed>,
}

/// What came of a tool, beside what it told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    LeadCaptured,
    BookingRequested,
    /// The system has nothing by the number or id that it was asked for.
    NothingFound,
    /// The workspace's system could not be asked.
    SystemFailed,
}

impl ToolOutcome {
    /// Tells why a tool came to nothing, in words for the model.
    pub fn failed(why: &str) -> Self {
        Self { told: json!({ "error": why }), ..Self::default() }
    }

    /// Tells that a system has nothing by that number or id.
    pub fn nothing_found() -> Self {
        Self { deeds: vec![Deed::NothingFound], ..Self::failed("there is no such one") }
    }

    /// Tells that the workspace's system could not be asked.
    pub fn system_failed() -> Self {
        let failed = Self::failed("the business's system cannot be asked now");
        Self { deeds: vec![Deed::SystemFailed], ..failed }
    }

    /// Tells the best matches of a search for `words`, which may be said to be missing if none is a good one.
    pub fn found(words: &str, found: &[Found], currency: Currency) -> Self {
        let best = found.iter().take(MOST_FOUND);
        let of: Vec<_> = best.map(|found| (cleaned(&found.product, currency), Some(found.matched))).collect();
        let mut outcome = Self::of_products(&of, |parts, left_out| {
            let products: Vec<_> = parts.iter().map(ProductPart::told).collect();
            with_more(json!({ "products": products }), "moreProducts", left_out)
        });
        if !found.iter().any(|found| found.matched == Match::Strong) {
            outcome.evidence.searches.push(words.to_owned());
        }
        outcome.evidence.currency = Some(currency);
        outcome
    }

    pub fn product(of: &Product, currency: Currency) -> Self {
        let mut outcome = Self::of_products(&[(cleaned(of, currency), None)], |parts, _| {
            parts.first().map(ProductPart::told).unwrap_or_default()
        });
        outcome.evidence.currency = Some(currency);
        outcome
    }

    /// Tells as much of the products as a model is told; `told` is given the parts, and how many products are
    /// left out.
    fn of_products(
        of: &[(Product, Option<Match>)],
        told: impl Fn(&[ProductPart<'_>], usize) -> Value,
    ) -> Self {
        let parts_and_told = |left_out| {
            let parts = ProductPart::all(of, left_out);
            let told = told(&parts, of.len().saturating_sub(parts.len()));
            (parts, told)
        };
        let most: usize = ProductPart::all(of, 0).iter().map(ProductPart::count).sum();
        let (parts, told) = shortened(most, LONGEST_RESULT, parts_and_told);
        let products = parts.iter().map(ProductPart::borne).collect();
        Self { told, evidence: Evidence { products, ..Evidence::default() }, ..Self::default() }
    }

    pub fn order(order: &Order, currency: Currency) -> Self {
        let currency = order.currency.unwrap_or(currency);
        let mut borne = order.clone();
        borne.currency = Some(currency);
        borne.total = order.total.in_currency(currency);
        for line in &mut borne.lines {
            line.title = unlinked(&line.title);
            line.price = line.price.in_currency(currency);
        }
        // The model is shown it, and a system may have written anything into it.
        let number = PlainText::read(order.number.as_str(), LONGEST_TEXT).map(|number| unlinked(&number));
        let number = number.and_then(|number| ExternalId::of_text(number.as_str()));
        let (lines, told) = shortened(borne.lines.len(), LONGEST_RESULT, |left_out| {
            let lines = first(&borne.lines, left_out);
            let told = json!({
                "number": number.as_ref().map(ExternalId::as_str),
                "status": order.stage.as_str(),
                "total": borne.total.as_str(),
                "currency": currency.as_str(),
                "placedAt": order.placed_at.and_then(|at| at.format(&Rfc3339).ok()),
                "trackingUrl": order.tracking.as_ref().map(crate::link::WebLink::as_str),
                "lines": lines.iter().map(line_told).collect::<Vec<_>>(),
            });
            (lines.len(), with_more(told, "moreLines", left_out))
        });
        borne.lines.truncate(lines);
        let orders = number.map(|number| Order { number, ..borne }).into_iter().collect();
        let evidence = Evidence { orders, currency: Some(currency), ..Evidence::default() };
        Self { told, evidence, ..Self::default() }
    }

    /// Tells what the system lets the customer hear of themselves. Phone numbers of `region` in it are
    /// masked, and said to nobody: most systems have the customer's own there.
    pub fn record(record: &CustomerRecord, region: Region) -> Self {
        let unnumbered = |text: &str| without_phones_of(text, region);
        let name = record.name.as_ref().map(|name| unnumbered(name.as_str()));
        let fields = record.fields.iter().map(|(label, value)| {
            let value = match value {
                FieldValue::Text(text) => FieldValue::Text(text.as_ref().map(unlinked)),
                other => other.clone(),
            };
            (unlinked(label), value)
        });
        let fields: Vec<_> = fields.collect();
        let value_told = |value: &FieldValue| match value {
            FieldValue::Text(text) => text.as_ref().map(|text| Value::from(unnumbered(text.as_str()))),
            FieldValue::Number(number) => Some(Value::from(unnumbered(number))),
            FieldValue::Bool(is) => Some(Value::from(*is)),
            FieldValue::Null => None,
        };
        let field_told = |(label, value): &(PlainText, FieldValue)| json!({ "label": unnumbered(label.as_str()), "value": value_told(value) });
        let (count, told) = shortened(fields.len(), LONGEST_RESULT, |left_out| {
            let shown: Vec<_> = first(&fields, left_out).iter().map(field_told).collect();
            (shown.len(), with_more(json!({ "name": name, "fields": shown }), "moreFields", left_out))
        });
        let is_whole = |field: &(PlainText, FieldValue)| !field_told(field).to_string().contains(NUMBER);
        let fields = fields.into_iter().take(count).filter(is_whole).collect();
        let record = CustomerRecord { id: None, name: None, fields };
        Self { told, evidence: Evidence { record: Some(record), ..Evidence::default() }, ..Self::default() }
    }

    /// Tells the free times that a system has for a query, or that it has none. Their ids are given by
    /// `numbered`.
    pub fn slots(slots: &Slots, asked: &SlotQuery) -> Self {
        let room = LONGEST_RESULT.saturating_sub(ROOM_FOR_ID * slots.slots.len());
        let range = numbered("r", 0).filter(|_| slots.slots.is_empty());
        let (count, mut told) = shortened(slots.services.len() + slots.slots.len(), room, |left_out| {
            // Services are left out first: each time names its own.
            let services = left_out.min(slots.services.len());
            let times = first(&slots.slots, left_out - services);
            let named: Vec<_> = first(&slots.services, services).iter().map(PlainText::as_str).collect();
            let told = json!({ "slots": times.iter().map(slot_told).collect::<Vec<_>>(), "services": named });
            let told = with_more(told, "moreServices", services);
            (times.len(), with_more(told, "moreSlots", left_out - services))
        });
        if let (Value::Object(fields), Some(range)) = (&mut told, &range) {
            fields.insert("range".to_owned(), range.as_str().into());
        }
        let ranges = range.map(|id| Range { id, from: Some(asked.from), to: Some(asked.to) });
        let slots = slots.slots.iter().take(count).enumerate();
        let slots = slots.filter_map(|(place, slot)| {
            Some(Slot { id: numbered("s", place)?, service: unlinked(&slot.service), ..slot.clone() })
        });
        let evidence =
            Evidence { slots: slots.collect(), ranges: ranges.into_iter().collect(), ..Evidence::default() };
        Self { told, evidence, ..Self::default() }.numbered(&Evidence::default())
    }

    /// Tells passages of the owner's documents, each with its sentences by number. Their ids are given by
    /// `numbered`.
    pub fn passages(found: &[PassageOf]) -> Self {
        if found.is_empty() {
            return Self::failed("no document tells of it: say that you do not know it, or hand over");
        }
        let passage_told = |of: &PassageOf| {
            let headings = Some(of.passage.heading.as_str()).filter(|heading| !heading.is_empty());
            let title: Vec<_> = std::iter::once(of.title.as_str()).chain(headings).collect();
            let title: String = title.join(" › ").chars().take(LONGEST_HEAD).collect();
            let sentences = (1..).zip(&of.passage.sentences);
            let sentences: Vec<_> = sentences.map(|(number, text)| format!("{number}: {text}")).collect();
            json!({ "id": "p", "title": title, "sentences": sentences })
        };
        let (count, told) = shortened(found.len(), LONGEST_RESULT, |left_out| {
            let told = first(found, left_out);
            (told.len(), json!({ "passages": told.iter().map(passage_told).collect::<Vec<_>>() }))
        });
        let passage = |(place, of): (usize, &PassageOf)| {
            Some(OwnersPassage {
                id: numbered("p", place)?,
                of: format!("{}/{}", of.document, of.number),
                text: of.passage.sentences.join("\n"),
            })
        };
        let passages = found.iter().take(count).enumerate().filter_map(passage).collect();
        Self { told, evidence: Evidence { passages, ..Evidence::default() }, ..Self::default() }
    }

    /// Numbers times, ranges and passages on from those that the turn knows; a passage that it knows keeps
    /// its id.
    #[must_use]
    pub(super) fn numbered(mut self, known: &Evidence) -> Self {
        let rename = |told: Option<&mut Value>, id: &ExternalId| {
            if let Some(told) = told {
                *told = id.as_str().into();
            }
        };
        for (place, slot) in self.evidence.slots.iter_mut().enumerate() {
            let Some(id) = numbered("s", known.slots.len() + place) else { continue };
            let told = self.told.get_mut("slots").and_then(|slots| slots.get_mut(place));
            rename(told.and_then(|told| told.get_mut("id")), &id);
            slot.id = id;
        }
        let mut next = known.passages.len();
        for (place, passage) in self.evidence.passages.iter_mut().enumerate() {
            let before = known.passages.iter().find(|it| it.of == passage.of).map(|it| it.id.clone());
            next += usize::from(before.is_none());
            let Some(id) = before.or_else(|| numbered("p", next - 1)) else { continue };
            let told = self.told.get_mut("passages").and_then(|passages| passages.get_mut(place));
            rename(told.and_then(|told| told.get_mut("id")), &id);
            passage.id = id;
        }
        for (place, range) in self.evidence.ranges.iter_mut().enumerate() {
            let Some(id) = numbered("r", known.ranges.len() + place) else { continue };
            rename(self.told.get_mut("range"), &id);
            range.id = id;
        }
        self
    }

    pub fn lead_captured() -> Self {
        let told = json!({ "captured": true });
        Self { told, deeds: vec![Deed::LeadCaptured], ..Self::default() }
    }

    /// Tells that a wish for an appointment was recorded, for a person to confirm.
    pub fn booking_requested() -> Self {
        let told = json!({ "requested": true, "booked": false });
        Self { told, deeds: vec![Deed::LeadCaptured, Deed::BookingRequested], ..Self::default() }
    }

    /// Tells that what the customer confirmed before is still under way, so that nothing is proposed beside
    /// it.
    pub fn under_way() -> Self {
        let mut outcome = Self::failed(
            "what the customer has confirmed before is still being passed on and is not done yet: answer with the act \
             under_way, and propose nothing until then",
        );
        outcome.evidence.is_under_way = true;
        outcome
    }

    pub fn proposed() -> Self {
        Self { told: json!({ "summary": "sent" }), ..Self::default() }
    }
}

/// Returns the id of the part at a place, counted from 1.
fn numbered(letter: &str, place: usize) -> Option<ExternalId> {
    ExternalId::of_text(&format!("{letter}{}", place + 1))
}

/// Returns a text of a system's without links: only those that it tells as links are said.
fn unlinked(text: &PlainText) -> PlainText {
    let (rest, links) = without_links(text.as_str());
    if links.is_empty() {
        return text.clone();
    }
    // A name that is nothing but a link is none.
    PlainText::read(&rest, LONGEST_TEXT).or_else(|| PlainText::read("-", 1)).unwrap_or_else(|| text.clone())
}

/// Returns a product as it may be said: prices in the digits of their currency, and no links in its texts. A
/// sentence with a link is left out whole, since it says something else without.
fn cleaned(product: &Product, currency: Currency) -> Product {
    let currency = product.currency.unwrap_or(currency);
    let mut product = product.clone();
    let variants = product.variants.iter_mut().map(|variant| &mut variant.listing);
    for listing in std::iter::once(&mut product.listing).chain(variants) {
        listing.title = unlinked(&listing.title);
        listing.price = listing.price.in_currency(currency);
    }
    for (name, value) in product.variants.iter_mut().flat_map(|variant| &mut variant.options) {
        (*name, *value) = (unlinked(name), unlinked(value));
    }
    product.description = product.description.and_then(|text| {
        let is_free = |sentence: &&str| without_links(sentence).1.is_empty();
        if is_free(&text.as_str()) {
            return Some(text);
        }
        let kept: Vec<_> = sentences(text.as_str()).into_iter().filter(is_free).collect();
        PlainText::read(&kept.join(" "), LONGEST_TEXT)
    });
    product.currency = Some(currency);
    let old = product.discounted_from().map(|old| old.in_currency(currency));
    product.compared_with(old)
}

/// Returns what `told` makes with as few parts left out as make it at most `longest` bytes, `most` at most.
fn shortened<T>(most: usize, longest: usize, told: impl Fn(usize) -> (T, Value)) -> (T, Value) {
    let fits = |left_out| told(left_out).1.to_string().len() <= longest;
    let (mut from, mut to) = (0, if fits(0) { 0 } else { most });
    while from < to {
        let middle = usize::midpoint(from, to);
        if fits(middle) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    told(from)
}

fn first<T>(all: &[T], left_out: usize) -> &[T] {
    all.get(..all.len().saturating_sub(left_out)).unwrap_or_default()
}

/// Adds the number of parts that are left out, if any are.
fn with_more(mut told: Value, name: &str, left_out: usize) -> Value {
    if let (Value::Object(fields), 1..) = (&mut told, left_out) {
        fields.insert(name.to_owned(), left_out.into());
    }
    told
}

fn line_told(line: &OrderLine) -> Value {
    json!({ "title": line.title.as_str(), "quantity": line.quantity, "price": line.price.as_str() })
}

fn slot_told(slot: &Slot) -> Value {
    json!({
        "id": "s",
        "startsAt": slot.span.starts_at().format(&Rfc3339).ok(),
        "endsAt": slot.span.ends_at().format(&Rfc3339).ok(),
        "service": unlinked(&slot.service).as_str(),
    })
}

#[cfg(test)]
mod tests;
