//! The reference shop as a system to search in.

use std::collections::BTreeMap;

use anyhow::Context;
use domain::{
    external_id::ExternalId,
    money::Money,
    systems::{Availability, DESCRIPTION_READ, LONGEST_TITLE, Listing, MAX_SEARCH_LIMIT, Product, Variant},
    text::PlainText,
};
use reference_shop::Shelves;
use serde_json::Value;

/// The shop, and its products as the contract's client parses them.
pub(crate) struct Shop {
    shelves: Shelves,
    products: BTreeMap<String, Product>,
}

impl Shop {
    pub(crate) fn open() -> anyhow::Result<Self> {
        let shelves = Shelves::open();
        let read = |shown: &Value| -> anyhow::Result<(String, Product)> {
            let product = product(shown).with_context(|| format!("cannot be read: {shown}"))?;
            Ok((product.listing.id.as_str().to_owned(), product))
        };
        let products = shelves.search("", usize::MAX).iter().map(read).collect::<anyhow::Result<_>>()?;
        Ok(Self { shelves, products })
    }

    /// Returns the results of its own search, byte by byte.
    pub(crate) fn search(&self, q: &str) -> Vec<Product> {
        let shown = self.shelves.search(q, usize::from(MAX_SEARCH_LIMIT));
        shown.iter().filter_map(|it| self.products.get(it.get("id")?.as_str()?)).cloned().collect()
    }

    pub(crate) fn products(&self) -> impl Iterator<Item = &Product> {
        self.products.values()
    }

    pub(crate) fn title(&self, id: &str) -> &str {
        self.products.get(id).map_or("", |product| product.listing.title.as_str())
    }
}

fn product(shown: &Value) -> Option<Product> {
    let variant = |shown: &Value| {
        let options = shown.get("options")?.as_object()?;
        let option = |(name, value): (&String, &Value)| Some((text(name)?, text(value.as_str()?)?));
        Some(Variant { listing: listing(shown)?, options: options.iter().filter_map(option).collect() })
    };
    let categories = shown.get("categories")?.as_array()?;
    let described = |written: &str| PlainText::read(written, DESCRIPTION_READ);
    let mut product = Product::of(listing(shown)?);
    product.description = shown.get("description").and_then(Value::as_str).and_then(described);
    product.categories = categories.iter().filter_map(|it| text(it.as_str()?)).collect();
    product.variants = shown.get("variants")?.as_array()?.iter().map(variant).collect::<Option<_>>()?;
    Some(product)
}

fn listing(shown: &Value) -> Option<Listing> {
    Some(Listing {
        id: ExternalId::of_text(shown.get("id")?.as_str()?)?,
        title: text(shown.get("title")?.as_str()?)?,
        price: Money::of_number(&shown.get("price")?.to_string())?,
        availability: Availability::In,
    })
}

fn text(written: &str) -> Option<PlainText> {
    PlainText::read(written, LONGEST_TITLE)
}
