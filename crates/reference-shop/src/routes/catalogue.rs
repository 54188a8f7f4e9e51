//! Routes for the shop itself and for its goods.

use serde_json::{Value, json};

use crate::call::Call;
use crate::core::Core;
use crate::faults::Fault;
use crate::goods::Product;
use crate::reply::Reply;

/// Most products in one answer, and their number without a `limit`.
const MOST: usize = 50;
const USUAL: usize = 20;

pub(super) fn verify() -> Reply {
    Reply::ok(json!({
        "name": "أسواق الرافدين",
        "currency": "IQD",
        "capabilities": ["catalog", "orders", "customers", "appointments"],
    }))
}

pub(super) fn products(core: &Core, call: &Call) -> Reply {
    let strikes = |fault| core.strikes(fault, call.route);
    let mut q = call.parameter("q").unwrap_or_default();
    if strikes(Fault::SearchMissesArabic) && !q.is_ascii() {
        return Reply::ok(json!({ "products": [] }));
    }
    if strikes(Fault::SearchIgnoresQ) {
        q = "";
    }
    let asked = call.parameter("limit").and_then(|limit| limit.parse().ok()).unwrap_or(USUAL);
    let most = if strikes(Fault::SearchOver50) { usize::MAX } else { asked.clamp(1, MOST) };
    let category = call.parameter("category").filter(|category| !category.is_empty());
    let state = core.state();
    let products: Vec<Value> = state.search(q, category).take(most).map(Product::shown).collect();
    Reply::ok(json!({ "products": products }))
}

pub(super) fn product(core: &Core, call: &Call) -> Reply {
    let state = core.state();
    let another = core.strikes(Fault::ProductOfAnotherId, call.route);
    let wanted = state.products.iter().find(|product| (product.id == call.reference) != another);
    let known = state.products.iter().any(|product| product.id == call.reference);
    match wanted.filter(|_| known) {
        Some(product) => Reply::ok(product.shown()),
        None if core.strikes(Fault::ProductNotFound200, call.route) => Reply::ok(Value::Null),
        None => Reply::refusal(404, "there is no such product"),
    }
}
