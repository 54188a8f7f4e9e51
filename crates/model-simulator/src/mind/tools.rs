//! Calls of the tools that a request offers.

use serde_json::{Value, json};

use super::acts::{act, cannot};
use super::results::text;
use super::words::Words;
use crate::answer::Answer;
use crate::wire::Seen;

/// Act that a refusal names while what was confirmed before is not done.
const UNDER_WAY: &str = "under_way";

/// Calls the tool if it is offered; asks for a person otherwise.
pub(super) fn call(seen: &Seen, words: Words, tool: &str, arguments: &Value) -> Answer {
    if seen.offers(tool) { Answer::call(tool, arguments.to_string()) } else { hand_over(seen, words) }
}

pub(super) fn hand_over(seen: &Seen, words: Words) -> Answer {
    if seen.offers("handOver") {
        Answer::call("handOver", json!({}).to_string())
    } else {
        Answer::said(vec![cannot("unknown")], words.at_a_loss())
    }
}

/// Answers where what was to be proposed is refused: that something else is under way, or nothing.
pub(super) fn refused(seen: &Seen, words: Words, refusal: &Value) -> Answer {
    if text(refusal, "error").contains(UNDER_WAY) {
        Answer::said(vec![act(UNDER_WAY)], words.under_way())
    } else {
        hand_over(seen, words)
    }
}
