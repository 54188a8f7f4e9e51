//! Orders: placing one, asking for one, cancelling one.

use serde_json::{Value, json};

use super::details::{quantity, recipient};
use super::products::{Choice, choose, closest, found, is_strong};
use super::words::{DETAILS, Words, asks};
use super::{Answer, call, failed, hand_over, text, tokens};
use crate::wire::Seen;

/// Places an order of what is spoken of; whoever runs the tool asks the customer to confirm it.
pub(super) fn place(seen: &Seen, words: Words) -> Answer {
    if seen.result("placeOrder").is_some() {
        // It was refused: what is accepted ends the turn.
        return hand_over(seen, words);
    }
    let products = match found(seen, words) {
        Ok(products) => products,
        Err(next) => return next,
    };
    let Some(product) = products.first().copied().filter(|it| is_strong(Some(it))) else {
        return closest(&products, words);
    };
    let messages: Vec<_> = seen.earlier.iter().chain(&seen.burst).map(String::as_str).collect();
    let mut line = json!({ "productId": text(product, "id"), "quantity": quantity(&seen.burst.join("\n")) });
    let available = match choose(product, &messages) {
        Choice::Plain => text(product, "availability"),
        Choice::Variant(variant) => {
            if let Value::Object(fields) = &mut line {
                fields.insert("variantId".to_owned(), text(variant, "id").into());
            }
            text(variant, "availability")
        }
        Choice::Open(variants) => return Answer::words(&words.which_variant(&variants)),
    };
    if available == "out_of_stock" {
        return Answer::words(&words.product(product));
    }
    let known = recipient(messages.into_iter(), asks(&seen.business, DETAILS));
    let (Some(name), Some(address)) = (known.name, known.address) else {
        return Answer::words(words.details());
    };
    call(seen, words, "placeOrder", &json!({ "lines": [line], "name": name, "address": address }))
}

/// Tells where an order stands.
pub(super) fn status(seen: &Seen, words: Words) -> Answer {
    match seen.result("getOrderStatus") {
        Some(result) if failed(result) => Answer::words(words.no_such_order()),
        Some(order) => Answer::words(&words.order(order)),
        None => match reference(seen) {
            Some(reference) => call(seen, words, "getOrderStatus", &json!({ "reference": reference })),
            None => Answer::words(words.number()),
        },
    }
}

/// Cancels an order; whoever runs the tool asks the customer to confirm it.
pub(super) fn cancel(seen: &Seen, words: Words) -> Answer {
    if seen.result("cancelOrder").is_some() {
        return hand_over(seen, words);
    }
    match reference(seen) {
        Some(reference) => call(seen, words, "cancelOrder", &json!({ "reference": reference })),
        None => Answer::words(words.number_to_cancel()),
    }
}

/// What looks like the number of an order in the newest messages.
fn reference(seen: &Seen) -> Option<String> {
    let long_enough = |word: &String| word.len() >= 3 && word.chars().any(|c| c.is_ascii_digit());
    tokens(&seen.burst.join(" ")).into_iter().find(long_enough)
}
