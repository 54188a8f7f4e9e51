//! Calls of the tools that a request offers.

use serde_json::{Value, json};

use super::words::Words;
use crate::answer::Answer;
use crate::wire::Seen;

/// Calls the tool if it is offered; hands over to a person otherwise.
pub(super) fn call(seen: &Seen, words: Words, tool: &str, arguments: &Value) -> Answer {
    if seen.offers(tool) { Answer::call(tool, arguments.to_string()) } else { hand_over(seen, words) }
}

pub(super) fn hand_over(seen: &Seen, words: Words) -> Answer {
    if seen.offers("handOver") {
        Answer::call("handOver", json!({}).to_string())
    } else {
        Answer::words(words.at_a_loss())
    }
}
