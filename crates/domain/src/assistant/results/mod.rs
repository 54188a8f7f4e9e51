//! Results of tools, as a model is told them, and the evidence in them. The JSON is made here of typed
//! values: no text of a system's can be more than a text in it.

use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use super::{
    brief::without_phones_of,
    evidence::{Deed, Evidence},
};
use crate::{
    catalogue::search::{Found, Match},
    currency::Currency,
    link::PhotoUrl,
    orders::{Order, OrderLine},
    phone::Region,
    systems::{CustomerRecord, FieldValue, Product, Slot, Slots, Variant},
    text::PlainText,
};

/// Most products of a search that a model is told.
const MOST_FOUND: usize = 8;
/// Most variants of a product that a model is told.
const MOST_VARIANTS: usize = 20;
/// Longest result that a model is told, in bytes. A longer one leaves parts out and says how many.
pub(super) const LONGEST_RESULT: usize = 12 * 1024;
/// Longest number of an order that a model is told, in characters.
const LONGEST_NUMBER: usize = 200;

/// Result of a tool.
#[derive(Debug, Clone, Default)]
pub struct ToolOutcome {
    pub told: Value,
    /// Evidence for answers from now on.
    pub evidence: Evidence,
    /// Products with photos, which may go with an answer that names them.
    pub shown: Vec<ShownProduct>,
}

/// A product with a photo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownProduct {
    pub title: String,
    pub photo: PhotoUrl,
}

impl ShownProduct {
    fn of(product: &Product) -> Option<Self> {
        let title = product.listing.title.as_str().to_owned();
        product.photo.clone().map(|photo| Self { title, photo })
    }
}

impl ToolOutcome {
    /// Tells why a tool came to nothing, in words for the model.
    pub fn failed(why: &str) -> Self {
        Self { told: json!({ "error": why }), ..Self::default() }
    }

    /// Tells the best matches of a search.
    pub fn found(found: &[Found], currency: Currency) -> Self {
        let best = found.iter().take(MOST_FOUND);
        let of = best.map(|found| (&found.product, Some(found.matched))).collect::<Vec<_>>();
        Self::of_products(&of, currency, |parts, left_out| {
            let products: Vec<_> = parts.iter().map(|part| part.told(currency)).collect();
            with_more(json!({ "products": products }), "moreProducts", left_out)
        })
    }

    pub fn product(of: &Product, currency: Currency) -> Self {
        Self::of_products(&[(of, None)], currency, |parts, _| {
            parts.first().map(|part| part.told(currency)).unwrap_or_default()
        })
    }

    /// Tells as much of the products as a model is told; `told` is given the parts, and how many products are
    /// left out.
    fn of_products(
        of: &[(&Product, Option<Match>)],
        currency: Currency,
        told: impl Fn(&[ProductPart<'_>], usize) -> Value,
    ) -> Self {
        let parts_and_told = |left_out| {
            let parts = ProductPart::all(of, left_out);
            let told = told(&parts, of.len().saturating_sub(parts.len()));
            (parts, told)
        };
        let most: usize = ProductPart::all(of, 0).iter().map(|part| part.variants + 2).sum();
        let (parts, told) = shortened(most, parts_and_told);
        let mut evidence = Evidence::default();
        for part in &parts {
            part.bear(currency, &mut evidence);
        }
        let shown = parts.iter().filter_map(|part| ShownProduct::of(part.product)).collect();
        Self { told, evidence, shown }
    }

    pub fn order(order: &Order, currency: Currency) -> Self {
        let mut evidence = Evidence::default();
        // The model is shown it, and a system may have written anything into it.
        let number = PlainText::read(order.number.as_str(), LONGEST_NUMBER);
        let number = number.as_ref().map(PlainText::as_str);
        if let Some(number) = number {
            evidence.order(number, order.status);
        }
        let currency = order.currency.unwrap_or(currency);
        evidence.price(&order.total.in_currency(currency));
        evidence.currency(currency);
        if let Some(at) = order.placed_at {
            evidence.moment(at);
        }
        if let Some(link) = &order.tracking {
            evidence.link(link);
        }
        let (lines, told) = shortened(order.lines.len(), |left_out| {
            let lines = first(&order.lines, left_out);
            let told = json!({
                "number": number,
                "status": order.status.as_str(),
                "total": order.total.in_currency(currency).as_str(),
                "currency": currency.as_str(),
                "placedAt": order.placed_at.and_then(|at| at.format(&Rfc3339).ok()),
                "trackingUrl": order.tracking.as_ref().map(crate::link::WebLink::as_str),
                "lines": lines.iter().map(|line| line_told(line, currency)).collect::<Vec<_>>(),
            });
            (lines, with_more(told, "moreLines", left_out))
        });
        for line in lines {
            evidence.text(line.title.as_str());
            evidence.text(&line.quantity.to_string());
            evidence.price(&line.price.in_currency(currency));
        }
        Self { told, evidence, ..Self::default() }
    }

    /// Tells what the system lets the customer hear of themselves. Phone numbers of `region` in it are
    /// masked: most systems have the customer's own there.
    pub fn record(record: &CustomerRecord, region: Region) -> Self {
        let mut evidence = Evidence::default();
        let unnumbered = |text: &str| without_phones_of(text, region);
        let name = record.name.as_ref().map(|name| unnumbered(name.as_str()));
        let fields = record.fields.iter().map(|(label, value)| {
            let value = match value {
                FieldValue::Text(text) => text.as_ref().map(|text| Value::from(unnumbered(text.as_str()))),
                FieldValue::Number(number) => Some(Value::from(unnumbered(number))),
                FieldValue::Bool(is) => Some(Value::from(*is)),
                FieldValue::Null => None,
            };
            json!({ "label": unnumbered(label.as_str()), "value": value })
        });
        let fields: Vec<_> = fields.collect();
        let (fields, told) = shortened(fields.len(), |left_out| {
            let fields = first(&fields, left_out);
            (fields, with_more(json!({ "name": name, "fields": fields }), "moreFields", left_out))
        });
        // A balance is money, and so may be whatever the system says here.
        fields.iter().filter_map(|field| field.get("value")?.as_str()).for_each(|said| evidence.fact(said));
        Self { told, evidence, ..Self::default() }
    }

    pub fn slots(slots: &Slots) -> Self {
        let mut evidence = Evidence::default();
        let (times, told) = shortened(slots.services.len() + slots.slots.len(), |left_out| {
            // Services are left out first: each time names its own.
            let services = left_out.min(slots.services.len());
            let times = first(&slots.slots, left_out - services);
            let named: Vec<_> = first(&slots.services, services).iter().map(PlainText::as_str).collect();
            let told = json!({ "slots": times.iter().map(slot_told).collect::<Vec<_>>(), "services": named });
            let told = with_more(told, "moreServices", services);
            (times, with_more(told, "moreSlots", left_out - services))
        });
        for slot in times {
            evidence.slot(slot.span);
            evidence.text(slot.service.as_str());
        }
        Self { told, evidence, ..Self::default() }
    }

    pub fn lead_captured() -> Self {
        let mut evidence = Evidence::default();
        evidence.deed(Deed::LeadCaptured);
        Self { told: json!({ "captured": true }), evidence, ..Self::default() }
    }

    /// Tells that a wish for an appointment was recorded, for a person to confirm.
    pub fn booking_requested() -> Self {
        let mut evidence = Evidence::default();
        evidence.deed(Deed::LeadCaptured);
        evidence.deed(Deed::BookingRequested);
        Self { told: json!({ "requested": true, "booked": false }), evidence, ..Self::default() }
    }

    /// Tells that what the customer confirmed before is still under way, so that nothing is proposed beside
    /// it.
    pub fn under_way() -> Self {
        let mut outcome = Self::failed(
            "what the customer has confirmed before is still being passed on and is not done yet: tell them that it is \
             not confirmed yet and that they will be told here, and propose nothing until then",
        );
        outcome.evidence.deed(Deed::UnderWay);
        outcome
    }

    pub fn proposed() -> Self {
        Self { told: json!({ "summary": "sent" }), ..Self::default() }
    }
}

/// Returns what `told` makes with as few parts left out as make it short enough, `most` at most.
fn shortened<T>(most: usize, told: impl Fn(usize) -> (T, Value)) -> (T, Value) {
    let fits = |left_out| told(left_out).1.to_string().len() <= LONGEST_RESULT;
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

fn line_told(line: &OrderLine, currency: Currency) -> Value {
    let price = line.price.in_currency(currency);
    json!({ "title": line.title.as_str(), "quantity": line.quantity, "price": price.as_str() })
}

fn slot_told(slot: &Slot) -> Value {
    json!({
        "startsAt": slot.span.starts_at().format(&Rfc3339).ok(),
        "endsAt": slot.span.ends_at().format(&Rfc3339).ok(),
        "service": slot.service.as_str(),
    })
}

/// As much of a product as a model is told.
struct ProductPart<'a> {
    product: &'a Product,
    matched: Option<Match>,
    is_described: bool,
    /// Number of its variants that are told.
    variants: usize,
}

impl<'a> ProductPart<'a> {
    /// Returns products with `left_out` parts left out: descriptions, then variants, then products but the
    /// first, each from the last product on.
    fn all(of: &[(&'a Product, Option<Match>)], mut left_out: usize) -> Vec<Self> {
        let whole = |&(product, matched): &(&'a Product, Option<Match>)| Self {
            product,
            matched,
            is_described: product.description.is_some(),
            variants: product.variants.len().min(MOST_VARIANTS),
        };
        let mut parts: Vec<_> = of.iter().map(whole).collect();
        for part in parts.iter_mut().rev().filter(|part| part.is_described) {
            if left_out > 0 {
                part.is_described = false;
                left_out -= 1;
            }
        }
        for part in parts.iter_mut().rev() {
            let variants = part.variants.min(left_out);
            part.variants -= variants;
            left_out -= variants;
        }
        parts.truncate(parts.len().saturating_sub(left_out).max(1));
        parts
    }

    fn variants(&self) -> &'a [Variant] {
        self.product.variants.get(..self.variants).unwrap_or_default()
    }

    fn bear(&self, currency: Currency, evidence: &mut Evidence) {
        let listing = &self.product.listing;
        let currency = self.product.currency.unwrap_or(currency);
        evidence.currency(currency);
        evidence.text(listing.title.as_str());
        evidence.price(&listing.price.in_currency(currency));
        if let Some(old) = self.product.discounted_from() {
            evidence.price(&old.in_currency(currency));
        }
        if let Some(text) = self.product.description.as_ref().filter(|_| self.is_described) {
            evidence.description(text.as_str());
        }
        if let Some(link) = &self.product.link {
            evidence.link(link);
        }
        for variant in self.variants() {
            evidence.text(variant.listing.title.as_str());
            evidence.price(&variant.listing.price.in_currency(currency));
            variant.options.iter().for_each(|(_, value)| evidence.text(value.as_str()));
        }
    }

    fn told(&self, currency: Currency) -> Value {
        let (of, listing) = (self.product, &self.product.listing);
        let currency = of.currency.unwrap_or(currency);
        let description = of.description.as_ref().filter(|_| self.is_described);
        let mut told = json!({
            "id": listing.id.as_str(),
            "title": listing.title.as_str(),
            "price": listing.price.in_currency(currency).as_str(),
            "priceBefore": of.discounted_from().map(|old| old.in_currency(currency).as_str().to_owned()),
            "currency": currency.as_str(),
            "availability": listing.availability.as_str(),
            "description": description.map(PlainText::as_str),
            "url": of.link.as_ref().map(crate::link::WebLink::as_str),
            "variants": self.variants().iter().map(|variant| variant_told(variant, currency)).collect::<Vec<_>>(),
        });
        if let (Value::Object(fields), Some(matched)) = (&mut told, self.matched) {
            let matched = match matched {
                Match::Strong => "strong",
                Match::Weak => "weak",
            };
            fields.insert("match".to_owned(), matched.into());
        }
        with_more(told, "moreVariants", of.variants.len() - self.variants)
    }
}

fn variant_told(variant: &Variant, currency: Currency) -> Value {
    let option =
        |(name, value): &(PlainText, PlainText)| json!({ "name": name.as_str(), "value": value.as_str() });
    json!({
        "id": variant.listing.id.as_str(),
        "title": variant.listing.title.as_str(),
        "price": variant.listing.price.in_currency(currency).as_str(),
        "availability": variant.listing.availability.as_str(),
        "options": variant.options.iter().map(option).collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests;
