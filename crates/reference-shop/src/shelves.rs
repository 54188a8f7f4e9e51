//! The shop's catalogue without its server, for measuring how products are found in it.

use serde_json::Value;

use crate::goods::{self, Product};

/// The shop's products as it opens.
pub struct Shelves(Vec<Product>);

impl Shelves {
    /// Returns the whole catalogue.
    pub fn open() -> Self {
        Self(goods::opening())
    }

    /// Returns the answer of `GET /products` to `q`: products as the contract shows them, `limit` at most.
    pub fn search(&self, q: &str, limit: usize) -> Vec<Value> {
        goods::search(&self.0, q, None).take(limit).map(Product::shown).collect()
    }
}
