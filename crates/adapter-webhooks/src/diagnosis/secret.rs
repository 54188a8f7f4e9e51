//! The secret as it was pasted, and as it may have been meant.

use super::{Finding, finding::DIGITS, quotes::unquoted};

const PREFIX: &str = "whsec_";

/// Correction of one fault.
type Step = fn(&str) -> String;

/// A spelling, with the faults corrected to get it.
pub(super) type Spelling = (String, Vec<Finding>);

/// Lists the secret as given, then after each correction that applies.
pub(super) fn spellings(given: &str) -> Vec<Spelling> {
    let steps: [(Step, Finding); 5] = [
        (|text| text.trim().to_owned(), Finding::SecretSpaces),
        (|text| unquoted(text).unwrap_or(text).to_owned(), Finding::SecretQuotes),
        (from_prefix, Finding::SecretAssignment),
        (with_prefix, Finding::SecretPrefix),
        (str::to_ascii_lowercase, Finding::SecretCapitals),
    ];
    let mut spelling = (given.to_owned(), Vec::new());
    let mut spellings = vec![spelling.clone()];
    for (step, fault) in steps {
        let next = step(&spelling.0);
        if next != spelling.0 {
            spelling.0 = next;
            spelling.1.push(fault);
            spellings.push(spelling.clone());
        }
    }
    spellings
}

fn with_prefix(text: &str) -> String {
    if text.starts_with(PREFIX) { text.to_owned() } else { format!("{PREFIX}{text}") }
}

fn from_prefix(text: &str) -> String {
    match text.split_once(PREFIX) {
        Some((_, rest)) => format!("{PREFIX}{rest}"),
        None => text.to_owned(),
    }
}

/// Returns whether the corrected secret has the form of ours.
pub(super) fn is_like_ours(given: &str) -> bool {
    spellings(given)
        .last()
        .and_then(|(text, _)| text.strip_prefix(PREFIX))
        .is_some_and(|rest| rest.len() == DIGITS && rest.bytes().all(|byte| byte.is_ascii_hexdigit()))
}
