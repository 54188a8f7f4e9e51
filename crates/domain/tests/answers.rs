//! Answers by acts and what reaches the customer of them, by somebody who had not seen the code.

use data_encoding::HEXLOWER;
use domain::{
    assistant::speech::{Answer, Message, Phrasebook, Rotation, Telling, Voice, judge},
    channels::ChannelKind,
    text::fold_for_search,
};
use serde_json::Value;
use sha2::{Digest, Sha256};

/// A set: its name, its open two thirds, its locked third, and that third's checksum.
type Set = (&'static str, &'static str, &'static str, &'static str);

const TRUE: Set = (
    "true",
    include_str!("../../../tests/corpora/answers/true.jsonl"),
    include_str!("../../../tests/corpora/answers/locked/true.jsonl"),
    "d5e41048b4afbbe9e4422cc6609b581c3c8d0ad18a16a45a28833a09fb0ed7bd",
);
const UNTRUE: Set = (
    "untrue",
    include_str!("../../../tests/corpora/answers/untrue.jsonl"),
    include_str!("../../../tests/corpora/answers/locked/untrue.jsonl"),
    "0e6b8b7c73e733b7937af93edc757eb67f581bc6fa4b0307273fb6be849ebe1a",
);
const TURNED: Set = (
    "turned",
    include_str!("../../../tests/corpora/answers/turned.jsonl"),
    include_str!("../../../tests/corpora/answers/locked/turned.jsonl"),
    "bcbac91244d7aecd6f1f670cb7fef77508ebc521635103ca21af64e8a12b137c",
);

/// Cases of the locked third of 133 that are missed; a figure only.
const MOST_MISSED: usize = 1;

#[test]
fn what_is_true_reaches_the_customer() {
    let case = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    let missed: Vec<_> = TRUE.1.lines().map(case).filter(|case| !is_told(case)).collect();
    let ids: Vec<_> = missed.iter().map(|case| (&case["id"], sent(case))).collect();
    assert!(missed.len() * 50 <= TRUE.1.lines().count(), "{ids:#?}");
    let missed = TRUE.2.lines().filter(|line| !is_told(&case(line))).count();
    assert!(missed <= MOST_MISSED, "locked: {missed}");
}

#[test]
fn what_nobody_told_and_what_is_turned_does_not() {
    let case = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    for (name, open, locked, _) in [UNTRUE, TURNED] {
        let told: Vec<_> = open.lines().map(case).filter(is_untrue).collect();
        let ids: Vec<_> = told.iter().map(|case| (&case["id"], sent(case))).collect();
        assert!(told.is_empty(), "{name}: {ids:#?}");
        // A count alone: nobody who mends the judge shall know these.
        assert_eq!(locked.lines().map(case).filter(is_untrue).count(), 0, "locked {name}");
    }
}

#[test]
fn the_locked_third_is_as_it_was_written() {
    for (name, _, locked, checksum) in [TRUE, UNTRUE, TURNED] {
        assert_eq!(HEXLOWER.encode(&Sha256::digest(locked)), checksum, "{name}");
    }
}

/// Returns what is sent, and whether it is the model's wording; `None` if the acts are refused.
fn sent(case: &Value) -> Option<(String, bool)> {
    let text = |name: &str| case[name].as_str().unwrap_or_default();
    let voice = match (text("language"), text("register")) {
        ("en", _) => Voice::English,
        ("ckb", _) => Voice::Sorani,
        (_, "dialect") | ("ar-IQ", "") => Voice::IraqiArabic,
        _ => Voice::FormalArabic,
    };
    let evidence = case["evidence"].to_string().parse().ok()?;
    let answer: Answer = case["answer"].to_string().parse().ok()?;
    let book = Phrasebook::shipped(voice).ok()?;
    let turn = case["turn"].as_u64().unwrap_or_default();
    let telling = Telling { evidence: &evidence, book: &book, rotation: Rotation::of(b"", turn) };
    let speech = telling.say(&answer.acts).ok()?;
    let own = answer.wording.filter(|wording| judge(&book, &speech, wording).is_ok());
    let is_models = own.is_some();
    let speech = own.map_or(speech.clone(), |own| speech.in_words(&own));
    let messages = speech.messages(ChannelKind::Whatsapp);
    Some((messages.iter().filter_map(Message::text).collect::<Vec<_>>().join("\n"), is_models))
}

fn is_told(case: &Value) -> bool {
    let Some((text, _)) = sent(case) else { return false };
    let has = |must: &Value| match must.as_array() {
        Some(any) => any.iter().any(|one| stands_in(&text, one)),
        None => stands_in(&text, must),
    };
    let listed = |name: &str| case[name].as_array().cloned().unwrap_or_default();
    listed("must").iter().all(has) && !listed("must_not").iter().any(|it| stands_in(&text, it))
}

fn is_untrue(case: &Value) -> bool {
    let Some((text, is_models)) = sent(case) else { return false };
    if case["whole"] == true {
        return is_models;
    }
    let untrue = case["must_not"].as_array().cloned().unwrap_or_default();
    untrue.iter().any(|it| stands_in(&text, it))
}

/// Returns whether a text has a needle: no part of a longer number, nor of a longer word if it is short.
fn stands_in(text: &str, needle: &Value) -> bool {
    let needle = needle.as_str().unwrap_or_default();
    if let Some(beginning) = needle.strip_prefix('^') {
        return text.lines().any(|line| folded(line).starts_with(&folded(beginning)));
    }
    let (text, needle) = (folded(text), folded(needle));
    let is_short = needle.chars().count() < 3;
    let parts = |inner: Option<char>, outer: Option<char>| match (inner, outer) {
        (Some(inner), Some(outer)) if inner.is_ascii_digit() => !outer.is_ascii_digit(),
        (Some(inner), Some(outer)) if is_short && inner.is_ascii_alphabetic() => !outer.is_ascii_alphabetic(),
        _ => true,
    };
    needle.is_empty()
        || text.match_indices(&needle).any(|(at, _)| {
            let (before, from) = text.split_at_checked(at).unwrap_or_default();
            let behind = from.strip_prefix(&needle).unwrap_or_default();
            parts(needle.chars().next(), before.chars().next_back())
                && parts(needle.chars().next_back(), behind.chars().next())
        })
}

/// Folds letters and digits as a search does; figures lose what groups them, and zeros at their end.
fn folded(text: &str) -> String {
    let text: Vec<char> = fold_for_search(text).chars().collect();
    let is_digit = |at: Option<usize>| at.and_then(|at| text.get(at)).is_some_and(char::is_ascii_digit);
    let is_within = |at: usize| is_digit(at.checked_sub(1)) && is_digit(Some(at + 1));
    let mut folded = String::new();
    for (at, &c) in text.iter().enumerate() {
        match c {
            ',' | '٬' if is_within(at) => {}
            '.' if !is_within(at) => {}
            'ة' | 'ە' | 'ھ' => folded.push('ه'),
            c => folded.push(c),
        }
    }
    let shortened = |word: &str| match word.split_once('.') {
        Some((whole, part)) if part.starts_with(|c: char| c.is_ascii_digit()) => {
            let digits = part.find(|c: char| !c.is_ascii_digit()).unwrap_or(part.len());
            let (fraction, rest) = part.split_at(digits);
            match fraction.trim_end_matches('0') {
                "" => format!("{whole}{rest}"),
                fraction => format!("{whole}.{fraction}{rest}"),
            }
        }
        _ => word.to_owned(),
    };
    folded.split_whitespace().map(shortened).collect::<Vec<_>>().join(" ")
}
