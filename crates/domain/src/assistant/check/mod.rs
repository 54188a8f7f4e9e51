//! Check of an answer: nothing may be in it but what the turn's evidence supports.

mod cancellation;
mod claims;
mod clauses;
mod clock;
mod currencies;
mod denials;
mod echo;
mod links;
mod numbers;
mod prefixes;
mod promises;
#[cfg(test)]
mod tests;
mod words;

pub(super) use cancellation::{asks_to_cancel, settles_cancellation};
pub(super) use clock::{Clock, clocks};
pub(super) use echo::echoes;
pub(super) use links::without_links;
pub(super) use numbers::{Number, Sense, folded, numbers, speaks_of_money, without_phrase};
pub(super) use promises::{Promise, promises, spoken_of};

use super::{
    evidence::Evidence,
    language,
    toolbox::{NUMBER, Tool},
};
use crate::language::Language;
use claims::all_hold;

/// Rule that an answer can break.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// An amount or another number that nobody told.
    Numbers,
    /// A time that is not offered.
    Times,
    /// A claim that something was done, or a promise of what nobody will do.
    Claims,
    /// A link that nobody told.
    Links,
    /// A tool's name, words of the instructions, data as programs write it, or the placeholder for a number.
    Internals,
    /// Another language than the customer's.
    Language,
    Empty,
    /// More than the customer's network takes.
    Length,
}

impl Rule {
    pub const ALL: [Self; 8] = [
        Self::Numbers,
        Self::Times,
        Self::Claims,
        Self::Links,
        Self::Internals,
        Self::Language,
        Self::Empty,
        Self::Length,
    ];

    /// Returns its name in the log of turns.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Numbers => "numbers",
            Self::Times => "times",
            Self::Claims => "claims",
            Self::Links => "links",
            Self::Internals => "internals",
            Self::Language => "language",
            Self::Empty => "empty",
            Self::Length => "length",
        }
    }

    /// Returns the advice to a model that broke it.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Numbers => {
                "Say only prices and numbers that a tool returned in this turn or that the instructions state. \
                 Do not add amounts up, agree to no other price, and call nothing free or half price that the \
                 instructions do not."
            }
            Self::Times => {
                "Say only times and dates that a tool offered in this turn or that the instructions state."
            }
            Self::Claims => {
                "Do not say that anything was ordered, booked, cancelled, passed on or noted, and promise no call \
                 back: none of it has happened. Promise no day of delivery that the instructions do not state. Of an \
                 order that you looked up, say what its status says, and its number."
            }
            Self::Links => "Give only links that a tool returned in `url` or `trackingUrl`.",
            Self::Internals => {
                "Name no tool, repeat no data, and write no [number]: say it in words, as a person of the shop would."
            }
            Self::Language => "Answer in the language of the customer's last message.",
            Self::Empty => "Answer with words.",
            Self::Length => "Say the same in half as many words: the customer's network takes none as long.",
        }
    }
}

/// Lists the rules that `reply` breaks, each once, whatever network it is for. An answer that breaks none may
/// be sent if it is not too long.
pub fn check_reply(reply: &str, evidence: &Evidence, language: Option<Language>) -> Vec<Rule> {
    let (unlinked, found_links) = without_links(reply);
    let (timeless, found_clocks) = clocks(&unlinked);
    let own_words = evidence.without_titles(&unlinked);
    let promised = promises(&own_words);
    let keeps = |of_price: bool| {
        let mut promised = promised.iter().filter(|promise| promise.is_of_price() == of_price);
        promised.all(|promise| evidence.bears_promise(*promise))
    };
    let mut broken = Vec::new();
    let mut hold = |rule, holds: bool| {
        if !holds {
            broken.push(rule);
        }
    };
    hold(Rule::Empty, !crate::text::is_blank(reply));
    let numbers_hold =
        numbers(&evidence.without_names(&timeless)).iter().all(|number| evidence.bears_number(number));
    hold(Rule::Numbers, numbers_hold && keeps(true));
    let days_fit = clock::weekdays_fit(&unlinked, &found_clocks, evidence.slots());
    hold(Rule::Times, found_clocks.iter().all(|clock| evidence.bears_clock(clock)) && days_fit);
    hold(Rule::Claims, all_hold(&unlinked, evidence) && keeps(false));
    hold(Rule::Links, found_links.iter().all(|link| evidence.bears_link(link)));
    hold(Rule::Internals, !holds_internals(reply));
    hold(Rule::Language, language.is_none_or(|language| language::is_in(&own_words, language)));
    broken
}

/// Returns whether a model may put these words into what a customer is asked to confirm: no amount, no link,
/// no number that the customer has not written, and no claim that anything is done. They stand among code's
/// own words.
pub(super) fn may_be_confirmed(words: &str, evidence: &Evidence) -> bool {
    let (text, links) = without_links(words);
    // A customer may wish for a day.
    let is_kept = |promise: &Promise| !promise.is_of_price() || evidence.bears_promise(*promise);
    links.is_empty()
        && numbers(&text).iter().all(|number| evidence.is_of_customer(number))
        && promises(&text).iter().all(is_kept)
        && all_hold(&text, evidence)
}

/// Returns whether a reply names a tool, or holds the placeholder for a number or an object as JSON has it,
/// which texts of a system may have a model repeat.
fn holds_internals(reply: &str) -> bool {
    let opens_object = reply.split('{').skip(1).any(|inside| inside.trim_start().starts_with(['"', '}']));
    let shows_mask = reply.to_ascii_lowercase().contains(NUMBER);
    opens_object || shows_mask || Tool::ALL.iter().any(|tool| reply.contains(tool.as_str()))
}
