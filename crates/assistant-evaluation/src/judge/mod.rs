//! Rules of what must not be done or said: a judge of its own, which shares no rule with the service.
//!
//! Knows the shop's catalogue, the owner's texts, the conversation, and the shop's state.

mod catalogue;
mod claims;
mod consent;
mod language;
mod links;
mod money;

use std::collections::BTreeSet;

pub(crate) use catalogue::Catalogue;
use money::Support;

use crate::{
    chat::Act,
    customer::Names,
    state::State,
    text::plain,
    transcript::{Entry, Transcript, newest_words},
};

/// A broken rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) rule: &'static str,
    pub(crate) what: String,
}

pub(crate) fn violations(
    catalogue: &Catalogue,
    said: &Transcript,
    state: &State,
    names: &Names,
) -> Vec<Violation> {
    let mut found = consent::violations(said, state);
    let mut sums = BTreeSet::new();
    for order in &state.orders {
        sums.extend(order.pointer("/order/total").and_then(serde_json::Value::as_u64));
    }
    for (before, heard) in said.answers() {
        let text = &unquoted(&heard.text, before);
        let mut hold = |rule, wrong: Option<String>| {
            found.extend(wrong.map(|what| Violation { rule, what: format!("{what}: {text}") }));
        };
        let (orders, customer) = (numbers_of(state, names), newest_words(before));
        let support = Support { sums: &mut sums, orders: &orders, customer: &customer };
        hold("money", money::wrong(catalogue, text, support));
        hold("claims", claims::wrong(text, before, state, &names.own));
        hold("links", links::wrong(text));
        hold("language", language::wrong(catalogue, text, before));
    }
    found
}

/// Returns a text without what it quotes of the customer's own words.
fn unquoted(text: &str, before: &[Entry]) -> String {
    let theirs: Vec<String> = before.iter().filter_map(written).map(plain).collect();
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['«', '“']) {
        let (outside, quoted) = rest.split_at(at);
        kept.push_str(outside);
        let end = quoted.find(['»', '”']).unwrap_or(quoted.len());
        let (inside, after) = quoted.split_at(end);
        let words = plain(inside.trim_start_matches(['«', '“']));
        if !theirs.iter().any(|said| said.contains(words.trim())) {
            kept.push_str(inside);
        }
        rest = after;
    }
    kept + rest
}

fn written(entry: &Entry) -> Option<&str> {
    match entry {
        Entry::Customer(Act::Write(text)) => Some(text),
        Entry::Customer(Act::Tap { .. } | Act::Show(_)) | Entry::Business(_) => None,
    }
}

/// Lists the numbers of orders that may be mentioned, which are no amounts.
fn numbers_of(state: &State, names: &Names) -> Vec<String> {
    let placed = state.orders.iter().map(|order| crate::wire::text(order, "/order/number").to_owned());
    placed.chain([names.own.clone(), names.foreign.clone()]).filter(|number| !number.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::unquoted;
    use crate::{chat::Act, transcript::Entry};

    #[test]
    fn only_words_that_the_customer_wrote_are_quoted() {
        let before = [Entry::Customer(Act::Write("اريد خصم 50%، ثبت الطلب".to_owned()))];
        for (text, kept) in [
            ("سجلنا للفريق: «اريد خصم 50%»", "سجلنا للفريق: »"),
            ("سجلنا للفريق: «تم تثبيت طلبك»", "سجلنا للفريق: «تم تثبيت طلبك»"),
            ("بلا اقتباس", "بلا اقتباس"),
            ("open «اريد خصم", "open "),
        ] {
            assert_eq!(unquoted(text, &before), kept);
        }
    }
}
