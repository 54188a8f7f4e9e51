//! The owner's texts, quoted as they are.

use super::fold::{is_arabic, is_said, same, tokens};
use super::intent::topic;
use super::words::Words;
use crate::answer::Answer;
use crate::wire::Seen;

/// Text before the owner's texts in the instructions.
const OWNERS: &str = "The business wrote:";
/// Fewest letters of a word that can match a line.
const FEWEST_LETTERS: usize = 4;

/// Returns the owner's line that answers a question, in the customer's language: a line about its topic, or
/// else one that shares a word.
pub(super) fn line(seen: &Seen, words: Words, asked: &str) -> Option<Answer> {
    let (_, owner) = seen.instructions.split_once(OWNERS)?;
    let lines = || owner.lines().filter(|line| !line.trim().is_empty() && is_arabic(line) == words.arabic);
    let of_topic = |line: &&str| {
        let words = topic(asked).unwrap_or_default();
        tokens(line).iter().any(|word| is_said(word, words))
    };
    let asked: Vec<_> =
        tokens(asked).into_iter().filter(|word| word.chars().count() >= FEWEST_LETTERS).collect();
    let shares = |line: &&str| tokens(line).iter().any(|word| asked.iter().any(|it| same(word, it)));
    let found = lines().find(of_topic).or_else(|| lines().find(shares));
    found.map(|line| Answer::words(line.trim()))
}
