//! The shop's catalogue without its server, for who measures how products are found in it.

use serde_json::Value;

use crate::goods::{self, Product};

/// What the shop sells as it opens.
pub struct Shelves(Vec<Product>);

impl Shelves {
    /// All of it.
    pub fn open() -> Self {
        Self(goods::opening())
    }

    /// What `GET /products` answers to `q`: products as the contract shows them, `limit` at most.
    pub fn search(&self, q: &str, limit: usize) -> Vec<Value> {
        goods::search(&self.0, q, None).take(limit).map(Product::shown).collect()
    }
}
