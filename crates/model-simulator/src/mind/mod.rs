//! The stand-in's reasoning: the intent of the newest messages, an offered tool, and acts and words made of
//! the tools' results.

mod acts;
mod details;
mod fold;
mod intent;
mod knowledge;
mod lead;
mod lexicon;
mod order;
mod owner;
mod products;
mod questions;
mod results;
mod slots;
mod tools;
mod words;

pub(crate) use fold::is_arabic;

use crate::answer::{ANSWER, Answer};
use crate::wire::Seen;
use acts::{act, ask, cannot};
use intent::Intent;
use questions::{Question, is_of_cancellation};
use results::failed;
use tools::hand_over;
use words::Words;

/// Chooses the answer to a request.
pub(crate) fn answer(seen: &Seen) -> Answer {
    let burst = seen.burst.join("\n");
    let words = Words { arabic: is_arabic(&burst) };
    let intent = Intent::of(&burst, &seen.business, &seen.earlier);
    let has_refused_acts = seen.result(ANSWER).is_some_and(failed);
    let answer = match intent {
        _ if has_refused_acts => instead(seen, words),
        Intent::Greeting => Answer::said(vec![act("greet")], words.greeting()),
        Intent::Thanks => Answer::said(vec![act("you_are_welcome")], words.thanks()),
        Intent::Product => products::answer(seen, words),
        Intent::Order => order::place(seen, words),
        Intent::Cancel => order::cancel(seen, words),
        Intent::Status => order::status(seen, words),
        Intent::Slot => slots::answer(seen, words),
        Intent::Person => hand_over(seen, words),
        Intent::Lead => lead::answer(seen, words),
        Intent::Decline => Answer::said(vec![act("bye")], words.declined()),
        Intent::Change => change(seen, words),
        Intent::Acknowledge => how_to_order(words),
        Intent::Unknown if seen.pictures > 0 => Answer::said(vec![ask("product")], words.which_product()),
        Intent::Unknown => owner::line(seen, words, &burst)
            .or_else(|| knowledge::answer(seen, &burst))
            .unwrap_or_else(|| hand_over(seen, words)),
    };
    // Every other customer gets its own words beside the acts, if they may be sent.
    Answer { suggests: burst.chars().count().is_multiple_of(2), ..answer }
}

/// Answers where the acts that were meant cannot be said.
fn instead(seen: &Seen, words: Words) -> Answer {
    let told = |tool, is_failed| seen.result(tool).is_some_and(|result| failed(result) == is_failed);
    if told("requestBooking", false) {
        Answer::said(vec![act("thank")], words.noted())
    } else if told("getOrderStatus", true) || told("cancelOrder", true) {
        Answer::said(vec![cannot("unknown"), ask("order_number")], words.no_such_order())
    } else {
        hand_over(seen, words)
    }
}

/// Handles a wish to change a summary; a cancellation has nothing to change.
fn change(seen: &Seen, words: Words) -> Answer {
    let is_of_order =
        Question::of(&seen.business) == Some(Question::Summary) && !is_of_cancellation(&seen.business);
    if is_of_order { how_to_order(words) } else { Answer::said(vec![act("you_are_welcome")], words.kept()) }
}

fn how_to_order(words: Words) -> Answer {
    Answer::said(vec![act("how_to_order")], words.how_to_order())
}
