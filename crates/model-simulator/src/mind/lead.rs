//! Customers who want to be called, or whose wish is noted.

use serde_json::{Value, json};

use super::details::{SHOWN_PHONE, recipient};
use super::results::failed;
use super::tools::{call, hand_over};
use super::words::Words;
use crate::answer::{ANSWER, Answer};
use crate::wire::Seen;

/// Longest need, in characters.
const LONGEST: usize = 300;

/// Records the customer as a lead by the act that says so, or by the tool where no acts can be said.
pub(super) fn answer(seen: &Seen, words: Words) -> Answer {
    match seen.result("captureLead") {
        Some(result) if failed(result) => hand_over(seen, words),
        Some(_) => Answer::words(words.noted()),
        None if seen.offers(ANSWER) && (seen.notes_leads || seen.offers("captureLead")) => noted(seen, words),
        None => {
            let need: String = seen.burst.join(" ").chars().take(LONGEST).collect();
            let messages = seen.earlier.iter().chain(&seen.burst).map(|text| (text.as_str(), false));
            let mut lead = json!({ "need": need });
            if let (Some(name), Some(fields)) = (recipient(messages).name, lead.as_object_mut()) {
                fields.insert("name".to_owned(), name.into());
            }
            call(seen, words, "captureLead", &lead)
        }
    }
}

/// Tells that the customer's wish is noted, in their own words.
pub(super) fn noted(seen: &Seen, words: Words) -> Answer {
    // A number is shown otherwise than the customer wrote it.
    let parts = seen.burst.iter().flat_map(|text| text.split(SHOWN_PHONE));
    let longest = parts.map(str::trim).max_by_key(|part| part.chars().count()).unwrap_or_default();
    let wish: String = longest.chars().take(LONGEST).collect();
    Answer::said(vec![noted_act(&wish)], words.noted())
}

fn noted_act(wish: &str) -> Value {
    json!({ "act": "lead", "words": wish })
}
