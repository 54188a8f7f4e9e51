//! What the business's documents say, cited sentence by sentence.

use serde_json::{Value, json};

use super::fold::{same, tokens};
use super::results::{failed, text};
use crate::answer::Answer;
use crate::wire::Seen;

const SEARCH: &str = "searchKnowledge";
/// Fewest letters of a word that can match a sentence.
const FEWEST_LETTERS: usize = 4;

/// Searches the documents, and cites of the best passage the sentences that share a word with the question;
/// `None` if there are none, or they do not tell.
pub(super) fn answer(seen: &Seen, asked: &str) -> Option<Answer> {
    if !seen.offers(SEARCH) {
        return None;
    }
    let Some(result) = seen.result(SEARCH) else {
        return Some(Answer::call(SEARCH, json!({ "query": asked }).to_string()));
    };
    let passages = result.get("passages").and_then(Value::as_array).filter(|_| !failed(result))?;
    let best = passages.first()?;
    let sentences: Vec<_> = best.get("sentences").and_then(Value::as_array)?.iter().collect();
    let numbered = |told: &Value| {
        let (number, said) = told.as_str()?.split_once(": ")?;
        Some((number.parse::<u32>().ok()?, said.to_owned()))
    };
    let sentences: Vec<_> = sentences.into_iter().filter_map(numbered).collect();
    let asked: Vec<_> =
        tokens(asked).into_iter().filter(|word| word.chars().count() >= FEWEST_LETTERS).collect();
    let shares = |said: &str| tokens(said).iter().any(|word| asked.iter().any(|it| same(word, it)));
    let mut cited: Vec<_> = sentences.iter().filter(|(_, said)| shares(said)).collect();
    if cited.is_empty() {
        cited = sentences.iter().take(1).collect();
    }
    let numbers: Vec<_> = cited.iter().map(|(number, _)| *number).collect();
    let said: Vec<_> = cited.iter().map(|(_, said)| said.as_str()).collect();
    let act = json!({ "act": "cite", "passage": text(best, "id"), "sentences": numbers });
    Some(Answer::said(vec![act], said.join(" ")))
}
