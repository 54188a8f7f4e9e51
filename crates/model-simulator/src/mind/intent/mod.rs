//! Intents of customers.

use super::details::{begins, has_unit, number};
use super::fold::{fold, is_one_of, is_said, tokens};
use super::lexicon::{
    CALLS, CANCEL, DECLINES, EMPTY, GREETING, ORDER, PERSON, PRICE, SLOT, STATUS, STOCK, THANKS, TOPICS, YES,
};
use super::questions::{Question, confirms};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    Greeting,
    Thanks,
    /// Asks for a price or an availability.
    Product,
    Order,
    Cancel,
    Status,
    Slot,
    Person,
    /// Wants to be called.
    Lead,
    /// Wants nothing any more.
    Decline,
    /// Wants something else than the summary says.
    Change,
    /// Answers in words to a summary that only its button confirms.
    Acknowledge,
    Unknown,
}

impl Intent {
    /// Returns the intent of a burst; if it has none by itself, it answers what the business said last.
    /// `earlier` are the customer's messages before it.
    pub(super) fn of(burst: &str, business: &str, earlier: &[String]) -> Self {
        let own = Self::own(burst);
        let is_summary = Question::of(business) == Some(Question::Summary);
        match own {
            Self::Unknown | Self::Thanks if is_summary && is_no(burst) => Self::Decline,
            Self::Unknown | Self::Thanks if is_summary && is_acknowledgement(burst) => Self::Acknowledge,
            Self::Unknown if confirms(business) && is_acknowledgement(burst) => Self::Thanks,
            Self::Unknown => Self::in_answer_to(business, burst, earlier),
            own => own,
        }
    }

    fn in_answer_to(business: &str, burst: &str, earlier: &[String]) -> Self {
        match Question::of(business) {
            Some(
                Question::Name | Question::Address | Question::Phone | Question::Variant | Question::Order,
            ) => Self::Order,
            Some(Question::Summary) if names_a_change(burst) => Self::Order,
            // The number of an order is asked for to look at it or to cancel it.
            Some(Question::OrderNumber) => {
                let wishes = earlier.iter().rev().map(|text| Self::own(text));
                let is_one = |wish: &Self| matches!(wish, Self::Cancel | Self::Status);
                wishes.into_iter().find(is_one).unwrap_or(Self::Status)
            }
            Some(Question::Time) => Self::Slot,
            Some(Question::Product) => Self::Product,
            Some(Question::AnythingElse) if is_no(burst) => Self::Decline,
            Some(Question::Summary | Question::AnythingElse) | None => Self::Unknown,
        }
    }

    /// Returns the intent of a text by its own words.
    fn own(text: &str) -> Self {
        let tokens = tokens(text);
        let has = |list| tokens.iter().any(|word| is_said(word, list));
        let folded = fold(text);
        let declines = ["ما اريد", "ما ابي", "changed my mind", "do not want", "don t want"];
        let spaced = tokens.join(" ");
        let names_order = tokens.iter().any(|word| word.len() >= 4 && word.parse::<u64>().is_ok());
        if has(PERSON) {
            Self::Person
        } else if has(DECLINES) || declines.into_iter().any(|it| spaced.contains(it)) {
            Self::Decline
        } else if is_change(&spaced) {
            Self::Change
        } else if has(CANCEL) {
            Self::Cancel
        } else if has(CALLS) {
            Self::Lead
        } else if has(SLOT) {
            Self::Slot
        } else if has(STATUS)
            || folded.contains("my order")
            || (names_order && tokens.iter().any(|word| is_one_of(word, &["طلب"])))
        {
            Self::Status
        } else if (has(PRICE) || has(STOCK)) && !subject(text).is_empty() {
            Self::Product
        } else if has(ORDER) {
            Self::Order
        } else if topic(text).is_some() {
            // The owner wrote about it, or nobody knows.
            Self::Unknown
        } else if has(PRICE) || has(STOCK) {
            // About the product of an earlier message.
            Self::Product
        } else if has(THANKS) {
            Self::Thanks
        } else if has(GREETING) {
            Self::Greeting
        } else {
            Self::Unknown
        }
    }
}

/// Finds the topic of the owner's texts that a text asks about: its words.
pub(super) fn topic(text: &str) -> Option<&'static str> {
    let tokens = tokens(text);
    TOPICS.iter().copied().find(|words| tokens.iter().any(|word| is_said(word, words)))
}

/// Returns whether a burst only acknowledges something: no letters, or nothing but thanks and yes.
fn is_acknowledgement(burst: &str) -> bool {
    tokens(burst).iter().all(|word| is_said(word, THANKS) || is_said(word, YES) || is_one_of(word, &["طلب"]))
}

/// Returns whether a burst is a no, with or without thanks.
fn is_no(burst: &str) -> bool {
    let tokens = tokens(burst);
    let refuses = |word: &String| is_one_of(word, &["لا", "كلا", "no"]);
    tokens.iter().any(refuses) && tokens.iter().all(|word| refuses(word) || is_said(word, THANKS))
}

/// Returns whether a text is the title of the button under a summary.
fn is_change(spaced: &str) -> bool {
    matches!(spaced, "تعديل" | "تغيير" | "change" | "تراجع" | "keep the order")
}

/// Returns whether a burst names another quantity, size or person than the summary.
fn names_a_change(burst: &str) -> bool {
    tokens(burst).iter().any(|word| {
        number(word).is_some() || begins(word) || is_one_of(word, &["قياس", "لون", "size", "colour", "color"])
    })
}

/// Returns the words of a text that name the wanted thing, as written.
pub(super) fn subject(text: &str) -> String {
    let mut kept = Vec::new();
    let unlinked: Vec<_> = text.split_whitespace().filter(|word| !is_link(word)).collect();
    let unlinked = unlinked.join(" ");
    let mut words = unlinked.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).peekable();
    while let Some(written) = words.next() {
        let word = fold(written);
        if begins(&word) {
            break;
        }
        if is_one_of(&word, &["قياس", "مقاس", "حجم", "لون", "size", "colour", "color"]) {
            words.next();
            continue;
        }
        let is_number = number(&word).is_some();
        if is_number && words.peek().is_some_and(|next| has_unit(&fold(next))) {
            words.next();
            continue;
        }
        let lists =
            [PERSON, CANCEL, SLOT, STATUS, PRICE, STOCK, ORDER, THANKS, GREETING, EMPTY, DECLINES, CALLS];
        let is_empty = lists.into_iter().chain(TOPICS.iter().copied()).any(|list| is_said(&word, list));
        if !is_number && !is_empty {
            kept.push(written);
        }
    }
    kept.join(" ")
}

fn is_link(word: &str) -> bool {
    word.contains("://") || word.starts_with("www.")
}

/// Returns the subject and the index of the message that named it: in the newest messages, or else in earlier
/// ones that asked for something sold. The index counts over `earlier`; that of the newest messages follows
/// them.
pub(super) fn spoken_of(burst: &str, earlier: &[String]) -> Option<(String, usize)> {
    let names = |text: &str| {
        let sold = matches!(Intent::own(text), Intent::Product | Intent::Order);
        Some(subject(text)).filter(|subject| sold && !subject.is_empty())
    };
    let before = || {
        let newest_first = earlier.iter().enumerate().rev();
        newest_first.map(|(at, text)| (names(text), at)).find_map(|(name, at)| Some((name?, at)))
    };
    names(burst).map(|name| (name, earlier.len())).or_else(before)
}

#[cfg(test)]
mod tests;
