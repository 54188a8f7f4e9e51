//! The owner's texts, cited as they are.

use serde_json::{Value, json};

use super::fold::{is_arabic, is_said, same, tokens};
use super::intent::topic;
use super::words::Words;
use crate::answer::Answer;
use crate::wire::Seen;

/// Text before the owner's texts in the instructions.
const OWNERS: &str = "The business wrote:";
/// Fewest letters of a word that can match a line.
const FEWEST_LETTERS: usize = 4;

/// A line of the owner's.
struct Line<'a> {
    /// Id of the fact that it belongs to, and the numbers of its sentences there, none if it is the whole
    /// fact; `None` if it is an instruction.
    of: Option<(&'a str, Vec<usize>)>,
    text: &'a str,
}

/// Returns the owner's line that answers a question, in the customer's language: a line about its topic, or
/// else one that shares a word.
pub(super) fn line(seen: &Seen, words: Words, asked: &str) -> Option<Answer> {
    let (_, owner) = seen.instructions.split_once(OWNERS)?;
    let lines = lines(owner);
    let lines = || lines.iter().filter(|line| is_arabic(line.text) == words.arabic);
    let of_topic = |line: &&Line<'_>| {
        let words = topic(asked).unwrap_or_default();
        tokens(line.text).iter().any(|word| is_said(word, words))
    };
    let asked: Vec<_> =
        tokens(asked).into_iter().filter(|word| word.chars().count() >= FEWEST_LETTERS).collect();
    let shares =
        |line: &&Line<'_>| tokens(line.text).iter().any(|word| asked.iter().any(|it| same(word, it)));
    let found = lines().find(of_topic).or_else(|| lines().find(shares))?;
    Some(Answer::said(found.of.iter().map(cite).collect(), found.text))
}

fn cite((fact, sentences): &(&str, Vec<usize>)) -> Value {
    json!({ "act": "cite", "fact": fact, "sentences": sentences })
}

/// Splits the owner's texts into lines. A fact begins with its id and its title, such as `f1 Delivery: …`,
/// and may have several lines.
fn lines(owner: &str) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    let mut fact: Option<(&str, usize)> = None;
    for line in owner.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let mut text = line;
        if let Some((id, rest)) = fact_of(line) {
            fact = Some((id, 0));
            text = rest;
        }
        let of = fact.map(|(id, before)| {
            let (_, told) = text.split_once(": ").filter(|_| before == 0).unwrap_or_default();
            let count = sentences(if told.is_empty() { text } else { told });
            fact = Some((id, before + count));
            (id, (before + 1..=before + count).collect())
        });
        lines.push(Line { of, text });
    }
    let ids: Vec<_> = lines.iter().filter_map(|line| Some(line.of.as_ref()?.0)).collect();
    for (id, sentences) in lines.iter_mut().filter_map(|line| line.of.as_mut()) {
        if ids.iter().filter(|other| *other == id).count() == 1 {
            sentences.clear();
        }
    }
    lines
}

/// Parses the id at the beginning of a fact.
fn fact_of(line: &str) -> Option<(&str, &str)> {
    let bare = line.trim_start_matches(['-', '•', ' ', '[', '(']);
    let end = bare.find(|c: char| !c.is_ascii_alphanumeric())?;
    let (id, rest) = bare.split_at_checked(end)?;
    let number = id.strip_prefix('f')?;
    let is_id = !number.is_empty() && number.chars().all(|c| c.is_ascii_digit());
    is_id.then(|| (id, rest.trim_start_matches([']', ')', ':', '.', '-', ' '])))
}

/// Counts sentences as the service does: a point within a number or an address ends none.
fn sentences(text: &str) -> usize {
    let is_end = |c: char| matches!(c, '.' | '!' | '?' | '؟' | '۔' | '…');
    let mut rest = text;
    let mut count = 0;
    while let Some(at) = rest.find(|c: char| !is_end(c) && !c.is_whitespace()) {
        count += 1;
        rest = rest.get(at..).unwrap_or_default();
        let ends = rest.char_indices().find(|(at, c)| {
            let behind = rest.get(at + c.len_utf8()..).unwrap_or_default();
            is_end(*c) && behind.chars().next().is_none_or(|next| next.is_whitespace() || is_end(next))
        });
        rest = ends.and_then(|(at, _)| rest.get(at..)).unwrap_or_default();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn a_fact_is_cited_by_its_id_and_the_sentences_of_a_line() {
        let owner = "Your name: Noor\nSell nothing else.\nf1 Delivery: It takes 2 days. It costs 5000.\n\
                     أجور التوصيل 5.000 دينار.\nf2 الدوام: من 9:00 إلى 21:00";
        let read = lines(owner);
        let of = |at: usize| read[at].of.clone();
        assert_eq!((of(0), of(1)), (None, None));
        assert_eq!(of(2), Some(("f1", vec![1, 2])));
        assert_eq!(of(3), Some(("f1", vec![3])));
        assert_eq!(of(4), Some(("f2", vec![])));
        assert_eq!(read[4].text, "الدوام: من 9:00 إلى 21:00");
    }
}
