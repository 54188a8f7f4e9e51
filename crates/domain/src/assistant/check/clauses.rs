//! Clauses of an answer, and whether words stand in them.

use super::denials::denies;
use crate::text::{fold_for_search, is_line_end};

/// Words behind which something is still to be done: "the order will be placed".
pub(super) const TO_BE: &[&str] = &["will", "would"];

/// Words from which on a question offers something.
pub(super) const OFFERS: &[&str] = &[
    "تحب", "تريد", "هل", "ترغب", "تود", "اذا", "ممكن", "would", "shall", "should", "do", "want", "like",
    "can", "if",
];

/// Splits the text into folded clauses, each with the sign that ends it.
pub(super) fn clauses(text: &str) -> Vec<String> {
    let folded = folded_by_lines(text);
    let clauses = folded.split_inclusive(['.', '!', '؟', '?', '،', ',', ';', ':', '؛']);
    clauses.map(str::to_owned).collect()
}

/// Folds the text, with a line end wherever a line ends or a symbol stands.
fn folded_by_lines(text: &str) -> String {
    let lines = text.split(|c: char| is_line_end(c) || is_symbol(c));
    lines.map(fold_for_search).collect::<Vec<_>>().join("\n")
}

/// Returns whether it is an arrow, a sign or an emoji: such stand between sentences.
fn is_symbol(c: char) -> bool {
    matches!(c, '|' | '\u{2022}' | '\u{2190}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
        && !c.is_alphanumeric()
}

/// Returns the words of a clause up to what its last line offers or asks. The lines before that say
/// something, whatever is asked after them; a claim may go over the end of a line.
pub(super) fn without_offer(clause: &str) -> Vec<&str> {
    let mut words: Vec<_> = words_of(clause).collect();
    if clause.ends_with(['؟', '?']) {
        let mut lines = clause.rsplit('\n').map(|line| words_of(line).collect::<Vec<_>>());
        let last = lines.find(|line| !line.is_empty()).unwrap_or_default();
        let offered = last.iter().skip_while(|word| !OFFERS.contains(word)).count();
        words.truncate(words.len() - offered);
    }
    words
}

pub(super) fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

/// Returns whether the claim's words stand there in their order, the first at once, the others with at most
/// two words between that deny nothing and put nothing off; what was done stands right after `تم`.
pub(super) fn stands_at(words: &[&str], at: usize, claim: &str) -> bool {
    let is = |word: &str, wanted: &str| {
        let own = word.strip_prefix('و').filter(|rest| rest.chars().count() > 1);
        [Some(word), own].into_iter().flatten().any(|word| match wanted.strip_suffix('*') {
            Some(stem) => word.starts_with(stem),
            None => word == wanted,
        })
    };
    let puts_off = |at: usize| denies(words, at) || words.get(at).is_some_and(|word| TO_BE.contains(word));
    let mut others = claim.split(' ');
    let Some(first) = others.next() else { return false };
    if !words.get(at).is_some_and(|word| is(word, first)) {
        return false;
    }
    let reach = if first == "تم" { 1 } else { 3 };
    let mut from = at + 1;
    for wanted in others {
        let (wanted, reach) = wanted.strip_prefix('_').map_or((wanted, reach), |wanted| (wanted, 1));
        let found = (from..from + reach).find(|place| words.get(*place).is_some_and(|word| is(word, wanted)));
        let Some(place) = found.filter(|place| !(from..*place).any(puts_off)) else {
            return false;
        };
        from = place + 1;
    }
    true
}
