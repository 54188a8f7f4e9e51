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

use crate::{customer::Names, state::State, transcript::Transcript};

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
        let text = heard.text.as_str();
        let mut hold = |rule, wrong: Option<String>| {
            found.extend(wrong.map(|what| Violation { rule, what: format!("{what}: {text}") }));
        };
        hold("money", money::wrong(catalogue, text, &mut sums, &numbers_of(state, names)));
        hold("claims", claims::wrong(text, before, state, &names.own));
        hold("links", links::wrong(text));
        hold("language", language::wrong(catalogue, text, before));
    }
    found
}

/// Lists the numbers of orders that may be mentioned, which are no amounts.
fn numbers_of(state: &State, names: &Names) -> Vec<String> {
    let placed = state.orders.iter().map(|order| crate::wire::text(order, "/order/number").to_owned());
    placed.chain([names.own.clone(), names.foreign.clone()]).filter(|number| !number.is_empty()).collect()
}
