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
mod results;
mod slots;
mod tools;
mod words;

pub(crate) use fold::is_arabic;

use crate::answer::Answer;
use crate::wire::Seen;
use intent::Intent;
use tools::hand_over;
use words::Words;

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
