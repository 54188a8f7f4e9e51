//! Prices and availability.

use serde_json::{Value, json};

use super::intent::spoken_of;
use super::words::{PRODUCT, Words, asks};
use super::{Answer, call, failed, hand_over, text, tokens};
use crate::wire::Seen;

/// Products that are told of.
const MOST_TOLD: usize = 3;

/// Looks up what is spoken of, and tells what it costs and whether it is there.
pub(super) fn answer(seen: &Seen, words: Words) -> Answer {
    match found(seen, words) {
        Ok(products) if is_strong(products.first()) => {
            let strong = products.iter().copied().filter(|it| is_strong(Some(it))).take(MOST_TOLD);
            let mut told: Vec<_> = strong.map(|it| words.product(it)).collect();
            if seen.offers("placeOrder") {
                told.push(words.how_to_order().to_owned());
            }
            Answer::words(&told.join("\n"))
        }
        Ok(products) => closest(&products, words),
        Err(next) => next,
    }
}

/// What a search of this turn found, the best first; or what has to be done before.
pub(super) fn found(seen: &Seen, words: Words) -> Result<Vec<&Value>, Answer> {
    match seen.result("searchProducts") {
        Some(result) if failed(result) => Err(hand_over(seen, words)),
        Some(result) => {
            let products = result.get("products").and_then(Value::as_array);
            Ok(products.into_iter().flatten().collect())
        }
        None => Err(match spoken_of(&seen.burst.join("\n"), &seen.earlier) {
            Some(query) => call(seen, words, "searchProducts", &json!({ "query": query })),
            // The answer to the question which one.
            None if asks(&seen.business, PRODUCT) => {
                call(seen, words, "searchProducts", &json!({ "query": seen.burst.join(" ") }))
            }
            None => Answer::words(words.which_product()),
        }),
    }
}

/// Only the closest there is was found, or nothing.
pub(super) fn closest(products: &[&Value], words: Words) -> Answer {
    match products.first() {
        Some(product) => Answer::words(&words.closest(product)),
        None => Answer::words(words.nothing_found()),
    }
}

pub(super) fn is_strong(product: Option<&&Value>) -> bool {
    product.is_some_and(|product| text(product, "match") == "strong")
}

/// The variant that the messages name; the only one; none where there are none.
pub(super) enum Choice<'a> {
    Plain,
    Variant(&'a Value),
    Open(Vec<&'a Value>),
}

/// Which variant of the product the newest message that names one asks for.
pub(super) fn choose<'a>(product: &'a Value, messages: &[&str]) -> Choice<'a> {
    let variants: Vec<_> = product.get("variants").and_then(Value::as_array).into_iter().flatten().collect();
    match variants.as_slice() {
        [] => return Choice::Plain,
        [only] => return Choice::Variant(only),
        _ => {}
    }
    let named = messages.iter().rev().find_map(|message| {
        let words = tokens(message);
        variants.iter().copied().find(|variant| {
            let title = tokens(text(variant, "title"));
            !title.is_empty() && words.windows(title.len()).any(|window| window == title)
        })
    });
    named.map_or(Choice::Open(variants), Choice::Variant)
}
