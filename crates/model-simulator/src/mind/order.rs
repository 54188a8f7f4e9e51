//! Orders: placing, looking up, cancelling.

use serde_json::{Value, json};

use super::details::{SHOWN_PHONE, has_phone, quantity, recipient};
use super::fold::tokens;
use super::products::{Choice, choose, closest, found};
use super::results::{failed, text};
use super::tools::{call, hand_over};
use super::words::{DETAILS, NAME, Words, asks};
use crate::answer::Answer;
use crate::wire::Seen;

/// Places an order of the current subject; the service asks the customer to confirm it.
pub(super) fn place(seen: &Seen, words: Words) -> Answer {
    if let Some(refused) = seen.result("placeOrder") {
        // A success ends the turn. A missing phone number can be asked for.
        let lacks_phone = text(refused, "error").contains("number");
        return if lacks_phone { Answer::words(words.phone()) } else { hand_over(seen, words) };
    }
    let found = match found(seen, words) {
        Ok(found) => found,
        Err(next) => return next,
    };
    let Some(product) = found.fitting().first().copied() else { return closest(&found.products, words) };
    let all: Vec<_> = seen.earlier.iter().chain(&seen.burst).map(String::as_str).collect();
    let since = all.get(found.since..).unwrap_or_default();
    let many = since.iter().rev().find_map(|message| quantity(message)).unwrap_or(1);
    let mut line = json!({ "productId": text(product, "id"), "quantity": many });
    let available = match choose(product, since) {
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
    let asked = asks(&seen.business, DETAILS) || asks(&seen.business, NAME);
    let known = recipient(
        seen.earlier
            .iter()
            .map(|text| (text.as_str(), false))
            .chain(seen.burst.iter().map(|text| (text.as_str(), asked))),
    );
    let (name, address) = match (known.name, known.address) {
        (Some(name), Some(address)) => (name, address),
        (None, None) => return Answer::words(words.details()),
        (None, Some(_)) => return Answer::words(words.name()),
        (Some(_), None) => return Answer::words(words.address()),
    };
    let mut order = json!({ "lines": [line], "name": name, "address": address });
    if let Value::Object(fields) = &mut order
        && all.iter().any(|message| has_phone(message))
    {
        fields.insert("deliveryPhone".to_owned(), SHOWN_PHONE.into());
    }
    call(seen, words, "placeOrder", &order)
}

/// Tells the state of an order.
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

/// Cancels an order; the service asks the customer to confirm it.
pub(super) fn cancel(seen: &Seen, words: Words) -> Answer {
    if let Some(refused) = seen.result("cancelOrder") {
        let is_missing = text(refused, "error").contains("no such");
        return if is_missing { Answer::words(words.no_such_order()) } else { hand_over(seen, words) };
    }
    match reference(seen) {
        Some(reference) => call(seen, words, "cancelOrder", &json!({ "reference": reference })),
        None => Answer::words(words.number_to_cancel()),
    }
}

/// Finds a word like an order's number in the newest messages.
fn reference(seen: &Seen) -> Option<String> {
    let long_enough = |word: &String| word.len() >= 3 && word.chars().any(|c| c.is_ascii_digit());
    tokens(&seen.burst.join(" ")).into_iter().find(long_enough)
}
