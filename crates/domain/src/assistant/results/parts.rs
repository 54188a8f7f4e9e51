//! Parts of products that a model is told.

use serde_json::{Value, json};

use super::with_more;
use crate::{
    catalogue::search::Match,
    currency::Currency,
    systems::{Product, Variant},
    text::PlainText,
};

/// Most variants of a product that a model is told.
const MOST_VARIANTS: usize = 20;

/// As much of a product as a model is told.
pub(super) struct ProductPart<'a> {
    product: &'a Product,
    matched: Option<Match>,
    is_described: bool,
    /// Number of its variants that are told.
    variants: usize,
}

impl<'a> ProductPart<'a> {
    /// Returns products with `left_out` parts left out: descriptions, then variants, then products but the
    /// first, each from the last product on. Beside a good match, others are told without either.
    pub(super) fn all(of: &'a [(Product, Option<Match>)], mut left_out: usize) -> Vec<Self> {
        let has_good = of.iter().any(|(_, matched)| *matched == Some(Match::Strong));
        let whole = |(product, matched): &'a (Product, Option<Match>)| {
            let is_whole = !has_good || *matched == Some(Match::Strong);
            let variants = if is_whole { product.variants.len().min(MOST_VARIANTS) } else { 0 };
            let is_described = is_whole && product.description.is_some();
            Self { product, matched: *matched, is_described, variants }
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

    /// Returns the parts that can be left out, with the product itself.
    pub(super) const fn count(&self) -> usize {
        self.variants + 2
    }

    /// Returns the product as it is told.
    pub(super) fn borne(&self) -> Product {
        let mut product = self.product.clone();
        product.description = product.description.filter(|_| self.is_described);
        product.variants.truncate(self.variants);
        product
    }

    /// Returns it as a model is told it; what it does not have is left out.
    pub(super) fn told(&self) -> Value {
        let (of, listing) = (self.product, &self.product.listing);
        let description = of.description.as_ref().filter(|_| self.is_described);
        let matched = self.matched.map(|matched| match matched {
            Match::Strong => "strong",
            Match::Weak => "weak",
        });
        let variants: Vec<_> = self.variants().iter().map(variant_told).collect();
        let mut told = json!({
            "id": listing.id.as_str(),
            "title": listing.title.as_str(),
            "price": listing.price.as_str(),
            "priceBefore": of.discounted_from().map(crate::money::Money::as_str),
            "currency": of.currency.as_ref().map(Currency::as_str),
            "availability": listing.availability.as_str(),
            "description": description.map(PlainText::as_str),
            // The address is the renderer's to say.
            "link": of.link.as_ref().map(|_| true),
            "variants": Some(variants).filter(|variants| !variants.is_empty()),
            "photo": of.photo.as_ref().map(|_| true),
            "match": matched,
        });
        if let Value::Object(fields) = &mut told {
            fields.retain(|_, value| !value.is_null());
        }
        with_more(told, "moreVariants", of.variants.len() - self.variants)
    }
}

fn variant_told(variant: &Variant) -> Value {
    let option =
        |(name, value): &(PlainText, PlainText)| json!({ "name": name.as_str(), "value": value.as_str() });
    json!({
        "id": variant.listing.id.as_str(),
        "title": variant.listing.title.as_str(),
        "price": variant.listing.price.as_str(),
        "availability": variant.listing.availability.as_str(),
        "options": variant.options.iter().map(option).collect::<Vec<_>>(),
    })
}
