//! The shop's catalogue, as the judge knows it.

use std::collections::{BTreeMap, BTreeSet};

use reference_shop::Shelves;
use serde_json::Value;

use crate::{
    sandbox::FACTS,
    scenario::Scenario,
    text::plain,
    wire::{items, text},
};

/// Titles and amounts.
pub(crate) struct Catalogue {
    /// Folded title of each product with its valid prices; longest title first.
    products: Vec<(String, BTreeSet<u64>)>,
    /// All amounts: those of products, and those in the owner's texts.
    amounts: BTreeSet<u64>,
}

impl Catalogue {
    /// Loads the reference shop's catalogue, with the prices that scenarios change meanwhile.
    pub(crate) fn open(scenarios: &[Scenario]) -> Self {
        let mut changed: BTreeMap<&str, u64> = BTreeMap::new();
        for line in scenarios.iter().flat_map(|scenario| &scenario.lines) {
            changed.extend(line.meanwhile.iter().map(|it| (it.id.as_str(), it.price)));
        }
        let mut products = Vec::new();
        for product in Shelves::open().search("", usize::MAX) {
            let mut prices = BTreeSet::new();
            for item in items(&product, "/variants").chain([&product]) {
                let amounts =
                    ["price", "compareAtPrice"].map(|field| item.get(field).and_then(Value::as_u64));
                prices.extend(amounts.into_iter().flatten());
                prices.extend(changed.get(text(item, "/id")));
            }
            products.push((plain(text(&product, "/title")), prices));
        }
        products.sort_by_key(|(title, _)| std::cmp::Reverse(title.len()));
        let mut amounts: BTreeSet<u64> = products.iter().flat_map(|(_, prices)| prices).copied().collect();
        for (_, fact) in FACTS {
            amounts.extend(
                plain(fact).split(|c: char| !c.is_ascii_digit()).filter_map(|it| it.parse::<u64>().ok()),
            );
        }
        Self { products, amounts }
    }

    /// Returns whether anything costs that.
    pub(crate) fn knows(&self, amount: u64) -> bool {
        self.amounts.contains(&amount)
    }

    /// Returns the prices of the product whose whole title is in a folded line.
    pub(crate) fn prices_in(&self, line: &str) -> Option<&BTreeSet<u64>> {
        self.products.iter().find(|(title, _)| line.contains(title)).map(|(_, prices)| prices)
    }

    /// Removes the titles of products from a folded text.
    pub(crate) fn without_titles(&self, folded: &str) -> String {
        let mut text = folded.to_owned();
        for (title, _) in &self.products {
            if text.contains(title) {
                text = text.replace(title, " ");
            }
        }
        text
    }
}
