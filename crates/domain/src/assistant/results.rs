//! What tools came to, as a model is told it, and the evidence in it. The JSON is made here of typed values: no text of
//! a system's can be more than a text in it.

use serde_json::{Value, json};
use time::format_description::well_known::Rfc3339;

use super::{Deed, Evidence, brief::without_phones_of};
use crate::{
    appointments::Slots,
    catalogue::{
        Product,
        search::{Found, Match},
    },
    customer_records::{CustomerRecord, FieldValue},
    orders::Order,
    phone::Region,
    systems::{Currency, PhotoUrl},
    text::PlainText,
};

/// Products that a model is told of a search.
const MOST_FOUND: usize = 8;
/// Variants that a model is told of a product.
const MOST_VARIANTS: usize = 20;
/// Characters of an order's number that a model is told.
const LONGEST_NUMBER: usize = 200;

/// What a tool came to.
#[derive(Debug, Clone, Default)]
pub struct ToolOutcome {
    /// What the model is told.
    pub told: Value,
    /// What an answer may rest on from now on.
    pub evidence: Evidence,
    /// Products with photos, which may go with an answer that names them.
    pub shown: Vec<ShownProduct>,
}

/// A product with a photo.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownProduct {
    /// What the system calls it.
    pub title: String,
    /// The photo.
    pub photo: PhotoUrl,
}

impl ShownProduct {
    fn of(product: &Product) -> Option<Self> {
        let title = product.listing.title.as_str().to_owned();
        product.photo.clone().map(|photo| Self { title, photo })
    }
}

impl ToolOutcome {
    /// A tool that came to nothing, in words for the model.
    pub fn failed(why: &str) -> Self {
        Self { told: json!({ "error": why }), ..Self::default() }
    }

    /// The best products of a search.
    pub fn found(found: &[Found], currency: Currency) -> Self {
        let mut evidence = Evidence::default();
        let products: Vec<_> = found
            .iter()
            .take(MOST_FOUND)
            .map(|found| {
                let mut product = product(&found.product, currency, &mut evidence);
                let matched = match found.matched {
                    Match::Strong => "strong",
                    Match::Weak => "weak",
                };
                if let Value::Object(fields) = &mut product {
                    fields.insert("match".to_owned(), matched.into());
                }
                product
            })
            .collect();
        let shown = found.iter().take(MOST_FOUND).filter_map(|found| ShownProduct::of(&found.product));
        Self { told: json!({ "products": products }), evidence, shown: shown.collect() }
    }

    /// One product.
    pub fn product(of: &Product, currency: Currency) -> Self {
        let mut evidence = Evidence::default();
        let told = product(of, currency, &mut evidence);
        Self { told, evidence, shown: ShownProduct::of(of).into_iter().collect() }
    }

    /// An order of the customer's.
    pub fn order(order: &Order, currency: Currency) -> Self {
        let mut evidence = Evidence::default();
        // It is shown, and a system may have written anything into it.
        let number = PlainText::read(order.number.as_str(), LONGEST_NUMBER);
        let number = number.as_ref().map(PlainText::as_str);
        if let Some(number) = number {
            evidence.order(number, order.status);
        }
        evidence.price(&order.total);
        if let Some(at) = order.placed_at {
            evidence.moment(at);
        }
        if let Some(link) = &order.tracking {
            evidence.link(link);
        }
        let lines = order.lines.iter().map(|line| {
            evidence.text(line.title.as_str());
            evidence.text(&line.quantity.to_string());
            evidence.price(&line.price);
            json!({ "title": line.title.as_str(), "quantity": line.quantity, "price": line.price.as_str() })
        });
        let lines: Vec<_> = lines.collect();
        let told = json!({
            "number": number,
            "status": order.status.as_str(),
            "total": order.total.as_str(),
            "currency": order.currency.unwrap_or(currency).as_str(),
            "placedAt": order.placed_at.and_then(|at| at.format(&Rfc3339).ok()),
            "trackingUrl": order.tracking.as_ref().map(crate::systems::WebLink::as_str),
            "lines": lines,
        });
        Self { told, evidence, ..Self::default() }
    }

    /// What the system tells the customer of themselves. Phone numbers of `region` in it are no model's to see: most systems
    /// have the customer's own there.
    pub fn record(record: &CustomerRecord, region: Region) -> Self {
        let mut evidence = Evidence::default();
        let unnumbered = |text: &str| without_phones_of(text, region);
        let fields = record.fields.iter().map(|(label, value)| {
            let value = match value {
                FieldValue::Text(text) => text.as_ref().map(|text| Value::from(unnumbered(text.as_str()))),
                FieldValue::Number(number) => Some(Value::from(unnumbered(number))),
                FieldValue::Bool(is) => Some(Value::from(*is)),
                FieldValue::Null => None,
            };
            // A balance is money, and so may be whatever the system says here.
            if let Some(Value::String(said)) = &value {
                evidence.fact(said);
            }
            json!({ "label": unnumbered(label.as_str()), "value": value })
        });
        let fields: Vec<_> = fields.collect();
        Self {
            told: json!({ "name": record.name.as_ref().map(|name| unnumbered(name.as_str())), "fields": fields }),
            evidence,
            ..Self::default()
        }
    }

    /// Free times.
    pub fn slots(slots: &Slots) -> Self {
        let mut evidence = Evidence::default();
        let times = slots.slots.iter().map(|slot| {
            evidence.slot(slot.span);
            evidence.text(slot.service.as_str());
            json!({
                "startsAt": slot.span.starts_at().format(&Rfc3339).ok(),
                "endsAt": slot.span.ends_at().format(&Rfc3339).ok(),
                "service": slot.service.as_str(),
            })
        });
        let times: Vec<_> = times.collect();
        let services: Vec<_> = slots.services.iter().map(PlainText::as_str).collect();
        Self { told: json!({ "slots": times, "services": services }), evidence, ..Self::default() }
    }

    /// Somebody was written down.
    pub fn lead_captured() -> Self {
        let mut evidence = Evidence::default();
        evidence.deed(Deed::LeadCaptured);
        Self { told: json!({ "captured": true }), evidence, ..Self::default() }
    }

    /// That somebody would like an appointment was written down, for a person to confirm.
    pub fn booking_requested() -> Self {
        let mut evidence = Evidence::default();
        evidence.deed(Deed::LeadCaptured);
        evidence.deed(Deed::BookingRequested);
        Self { told: json!({ "requested": true, "booked": false }), evidence, ..Self::default() }
    }

    /// The customer was asked to confirm something.
    pub fn proposed() -> Self {
        Self { told: json!({ "summary": "sent" }), ..Self::default() }
    }
}

fn product(of: &Product, currency: Currency, evidence: &mut Evidence) -> Value {
    let listing = &of.listing;
    evidence.text(listing.title.as_str());
    evidence.price(&listing.price);
    if let Some(old) = of.discounted_from() {
        evidence.price(old);
    }
    if let Some(text) = &of.description {
        evidence.description(text.as_str());
    }
    if let Some(link) = &of.link {
        evidence.link(link);
    }
    let variants = of.variants.iter().take(MOST_VARIANTS).map(|variant| {
        evidence.text(variant.listing.title.as_str());
        evidence.price(&variant.listing.price);
        let options = variant.options.iter().map(|(name, value)| {
            evidence.text(value.as_str());
            json!({ "name": name.as_str(), "value": value.as_str() })
        });
        let options: Vec<_> = options.collect();
        json!({
            "id": variant.listing.id.as_str(),
            "title": variant.listing.title.as_str(),
            "price": variant.listing.price.as_str(),
            "availability": variant.listing.availability.as_str(),
            "options": options,
        })
    });
    let variants: Vec<_> = variants.collect();
    json!({
        "id": listing.id.as_str(),
        "title": listing.title.as_str(),
        "price": listing.price.as_str(),
        "priceBefore": of.discounted_from().map(crate::catalogue::Money::as_str),
        "currency": of.currency.unwrap_or(currency).as_str(),
        "availability": listing.availability.as_str(),
        "description": of.description.as_ref().map(PlainText::as_str),
        "url": of.link.as_ref().map(crate::systems::WebLink::as_str),
        "variants": variants,
    })
}

#[cfg(test)]
mod tests;
