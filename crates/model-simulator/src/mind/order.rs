//! Orders: placing, looking up, cancelling.

use serde_json::{Value, json};

use super::acts::{ask, ask_which, not_found, order_status};
use super::details::{SHOWN_PHONE, has_phone, quantity, recipient};
use super::fold::tokens;
use super::products::{Choice, choose, closest, found, quoted};
use super::questions::Question;
use super::results::{failed, text};
use super::tools::{call, refused};
use super::words::Words;
use crate::answer::Answer;
use crate::wire::Seen;

/// Places an order of the current subject; the service asks the customer to confirm it.
pub(super) fn place(seen: &Seen, words: Words) -> Answer {
    if let Some(refusal) = seen.result("placeOrder") {
        // A success ends the turn. A missing phone number can be asked for.
        let lacks_phone = text(refusal, "error").contains("number");
        return if lacks_phone {
            Answer::said(vec![ask("phone")], words.phone())
        } else {
            refused(seen, words, refusal)
        };
    }
    let found = match found(seen, words) {
        Ok(found) => found,
        Err(next) => return next,
    };
    let Some(product) = found.fitting().first().copied() else { return closest(&found, words) };
    let all: Vec<_> = seen.earlier.iter().chain(&seen.burst).map(String::as_str).collect();
    let since = all.get(found.since..).unwrap_or_default();
    let many = since.iter().rev().find_map(|message| quantity(message)).unwrap_or(1);
    let mut line = json!({ "productId": text(product, "id"), "quantity": many });
    let choice = choose(product, since);
    let available = match &choice {
        Choice::Plain => text(product, "availability"),
        Choice::Variant(variant) => {
            if let Value::Object(fields) = &mut line {
                fields.insert("variantId".to_owned(), text(variant, "id").into());
            }
            text(variant, "availability")
        }
        Choice::Open(variants) => {
            return Answer::said(vec![ask_which(variants)], words.variants(variants));
        }
    };
    if available == "out_of_stock" {
        return quoted(seen, product, &choice, words);
    }
    let asks = |business: &str| matches!(Question::of(business), Some(Question::Order | Question::Name));
    let earlier = seen.earlier.iter().zip(&seen.answered);
    let earlier = earlier.map(|(text, business)| (text.as_str(), asks(business)));
    let asked = asks(&seen.business);
    let known: Vec<_> = earlier.chain(seen.burst.iter().map(|text| (text.as_str(), asked))).collect();
    let known = recipient(known.into_iter());
    let (name, address) = match (known.name, known.address) {
        (Some(name), Some(address)) => (name, address),
        (None, _) => return Answer::said(vec![ask("name")], words.name()),
        (Some(_), None) => return Answer::said(vec![ask("address")], words.address()),
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
        Some(result) if failed(result) => no_such_order(seen, words),
        Some(order) => Answer::said(vec![order_status(text(order, "number"))], words.order(order)),
        None => match reference(seen) {
            Some(reference) => call(seen, words, "getOrderStatus", &json!({ "reference": reference })),
            None => Answer::said(vec![ask("order_number")], words.number()),
        },
    }
}

/// Cancels an order; the service asks the customer to confirm it.
pub(super) fn cancel(seen: &Seen, words: Words) -> Answer {
    if let Some(refusal) = seen.result("cancelOrder") {
        let is_missing = text(refusal, "error").contains("no such");
        return if is_missing { no_such_order(seen, words) } else { refused(seen, words, refusal) };
    }
    match reference(seen) {
        Some(reference) => call(seen, words, "cancelOrder", &json!({ "reference": reference })),
        None => Answer::said(vec![ask("order_number")], words.number()),
    }
}

fn no_such_order(seen: &Seen, words: Words) -> Answer {
    let number = reference(seen).unwrap_or_default();
    Answer::said(vec![not_found(&number), ask("order_number")], words.no_such_order())
}

/// Finds a word like an order's number in the newest messages.
fn reference(seen: &Seen) -> Option<String> {
    let long_enough = |word: &String| word.len() >= 3 && word.chars().any(|c| c.is_ascii_digit());
    tokens(&seen.burst.join(" ")).into_iter().find(long_enough)
}
