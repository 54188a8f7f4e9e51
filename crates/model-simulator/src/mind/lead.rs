//! Customers who want to be called.

use serde_json::json;

use super::details::recipient;
use super::results::failed;
use super::tools::{call, hand_over};
use super::words::Words;
use crate::answer::Answer;
use crate::wire::Seen;

/// Longest need, in characters.
const LONGEST: usize = 300;

/// Records the customer as a lead, and says so once it is done.
pub(super) fn answer(seen: &Seen, words: Words) -> Answer {
    match seen.result("captureLead") {
        Some(result) if failed(result) => hand_over(seen, words),
        Some(_) => Answer::words(words.will_call()),
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
