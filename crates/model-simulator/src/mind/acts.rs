//! Acts, as the tool `answer` takes them.

use serde_json::{Value, json};

use super::fold::fold;
use super::results::text;
use crate::wire::Seen;

/// Most options of a question.
const MOST_OPTIONS: usize = 8;

pub(super) fn act(name: &str) -> Value {
    json!({ "act": name })
}

pub(super) fn ask(what: &str) -> Value {
    json!({ "act": "ask", "what": what })
}

/// Asks which variant is meant, by what sets them apart.
pub(super) fn ask_which(variants: &[&Value]) -> Value {
    let options: Vec<_> = variants.iter().take(MOST_OPTIONS).map(|variant| text(variant, "id")).collect();
    json!({ "act": "ask", "what": kind(variants), "options": options })
}

fn kind(variants: &[&Value]) -> &'static str {
    let of_all = |words: &[&str]| {
        let named = |variant: &&Value| {
            let options = variant.get("options").and_then(Value::as_array).into_iter().flatten();
            let names = options.map(|option| text(option, "name")).chain([text(variant, "title")]);
            names.map(fold).any(|name| words.iter().any(|word| name.contains(word)))
        };
        variants.iter().all(named)
    };
    if of_all(&["قياس", "مقاس", "size"]) {
        "size"
    } else if of_all(&["لون", "colour", "color"]) {
        "colour"
    } else {
        "model"
    }
}

/// Quotes a product or one of its variants with price and availability, and all that is told beside them; the
/// first time that the business names it, with its photo.
pub(super) fn quote(seen: &Seen, product: &Value, variant: Option<&Value>) -> Value {
    let mut parts = vec!["price", "availability"];
    let has_own_price = variant.is_none_or(|variant| text(variant, "price") == text(product, "price"));
    if has_own_price && !text(product, "priceBefore").is_empty() {
        parts.push("before");
    }
    if variant.is_none() && has_options(product) {
        parts.push("options");
    }
    let title = text(product, "title");
    let has_photo = product.get("photo").is_some_and(|photo| *photo == json!(true));
    if has_photo && !seen.answered.iter().chain([&seen.business]).any(|said| said.contains(title)) {
        parts.push("photo");
    }
    json!({ "act": "quote", "product": text(product, "id"), "variant": variant.map(|it| text(it, "id")), "parts": parts })
}

/// Returns whether a variant that is sold has options.
fn has_options(product: &Value) -> bool {
    let variants = product.get("variants").and_then(Value::as_array).into_iter().flatten();
    let has_option = |variant: &Value| {
        let options = variant.get("options").and_then(Value::as_array);
        text(variant, "availability") != "out_of_stock" && options.is_some_and(|options| !options.is_empty())
    };
    variants.into_iter().any(has_option)
}

pub(super) fn list(act: &str, products: &[&Value]) -> Value {
    let ids: Vec<_> = products.iter().map(|product| text(product, "id")).collect();
    json!({ "act": act, "products": ids })
}

pub(super) fn discount(product: &Value) -> Value {
    json!({ "act": "discount", "product": text(product, "id") })
}

/// Tells that nothing was found by what was searched or what the customer wrote.
pub(super) fn not_found(query: &str) -> Value {
    json!({ "act": "not_found", "query": Some(query).filter(|query| !query.is_empty()) })
}

pub(super) fn order_status(number: &str) -> Value {
    json!({ "act": "order_status", "order": number, "parts": ["total"] })
}

pub(super) fn cannot(topic: &str) -> Value {
    json!({ "act": "cannot", "topic": topic })
}
