//! The stand-in's reasoning: the intent of the newest messages, an offered tool, and words made of the tools'
//! results.

mod details;
mod fold;
mod intent;
mod lead;
mod lexicon;
mod order;
mod owner;
mod products;
mod slots;
mod words;

use serde_json::{Value, json};

pub(crate) use fold::is_arabic;

use crate::wire::Seen;
use intent::Intent;
use words::Words;

/// A tool call, with its arguments as they are sent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: String,
}

/// An answer: text, or tool calls.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Answer {
    pub(crate) text: String,
    pub(crate) calls: Vec<Call>,
}

impl Answer {
    pub(crate) fn words(text: &str) -> Self {
        Self { text: text.to_owned(), calls: Vec::new() }
    }

    pub(crate) fn call(name: &str, arguments: String) -> Self {
        Self { text: String::new(), calls: vec![Call { name: name.to_owned(), arguments }] }
    }
}

/// Chooses the answer to a request.
pub(crate) fn answer(seen: &Seen) -> Answer {
    let burst = seen.burst.join("\n");
    let words = Words { arabic: is_arabic(&burst) };
    match Intent::of(&burst, &seen.business) {
        Intent::Greeting => Answer::words(words.greeting()),
        Intent::Thanks => Answer::words(words.thanks()),
        Intent::Product => products::answer(seen, words),
        Intent::Order => order::place(seen, words),
        Intent::Cancel => order::cancel(seen, words),
        Intent::Status => order::status(seen, words),
        Intent::Slot => slots::answer(seen, words),
        Intent::Person => hand_over(seen, words),
        Intent::Lead => lead::answer(seen, words),
        Intent::Decline => Answer::words(words.declined()),
        Intent::Change => change(seen, words),
        Intent::Acknowledge => Answer::words(words.press()),
        Intent::Unknown => owner::line(seen, words, &burst).unwrap_or_else(|| hand_over(seen, words)),
    }
}

/// Handles a wish to change a summary; a cancellation has nothing to change.
fn change(seen: &Seen, words: Words) -> Answer {
    let of_order = words::asks(&seen.business, words::SUMMARY)
        && !words::CANCELLATION.iter().any(|word| seen.business.contains(word));
    Answer::words(if of_order { words.change() } else { words.declined() })
}

/// Calls the tool if it is offered; hands over to a person otherwise.
fn call(seen: &Seen, words: Words, tool: &str, arguments: &Value) -> Answer {
    if seen.offers(tool) { Answer::call(tool, arguments.to_string()) } else { hand_over(seen, words) }
}

fn hand_over(seen: &Seen, words: Words) -> Answer {
    if seen.offers("handOver") {
        Answer::call("handOver", json!({}).to_string())
    } else {
        Answer::words(words.at_a_loss())
    }
}

fn failed(result: &Value) -> bool {
    result.get("error").is_some()
}

/// Returns a text of a result; empty if there is none.
fn text<'a>(of: &'a Value, field: &str) -> &'a str {
    of.get(field).and_then(Value::as_str).unwrap_or_default()
}
