//! The bare loop's parsing of an answer: plain data, unchecked.

use std::collections::BTreeMap;

use anyhow::ensure;
use serde::Deserialize;

use super::calls::Kind;

#[derive(Deserialize)]
struct Products {
    products: Vec<Product>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "read, and not looked at")]
struct Product {
    id: String,
    title: String,
    price: f64,
    in_stock: bool,
    quantity: Option<i64>,
    description: Option<String>,
    compare_at_price: Option<f64>,
    currency: Option<String>,
    image_url: Option<String>,
    url: Option<String>,
    categories: Vec<String>,
    variants: Vec<Variant>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "read, and not looked at")]
struct Variant {
    id: String,
    title: String,
    price: f64,
    in_stock: bool,
    quantity: Option<i64>,
    options: BTreeMap<String, String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "read, and not looked at")]
struct Order {
    id: String,
    number: String,
    status: String,
    total: f64,
    customer_phone: Option<String>,
    currency: Option<String>,
    placed_at: Option<String>,
    tracking_url: Option<String>,
    lines: Vec<Line>,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "read, and not looked at")]
struct Line {
    title: String,
    quantity: i64,
    price: f64,
}

/// Parses the whole body.
pub(super) fn read(kind: Kind, body: &[u8]) -> anyhow::Result<()> {
    match kind {
        Kind::Search => {
            let read: Products = serde_json::from_slice(body)?;
            ensure!(read.products.len() == 50, "{} products were read", read.products.len());
        }
        Kind::Order => {
            let read: Order = serde_json::from_slice(body)?;
            ensure!(read.lines.len() == 2, "{} lines were read", read.lines.len());
        }
    }
    Ok(())
}
