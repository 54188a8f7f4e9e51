//! Texts as words in a uniform spelling.

use super::lists::is_unit;
use crate::text::fold_for_search;

/// Characters that are read of a word: nothing that is sold has a longer one.
const LONGEST_WORD: usize = 30;
/// Words that are read of one text.
const MOST_WORDS: usize = 80;

/// Splits a text into folded words; digits are words of their own.
pub(super) fn words(text: &str) -> Vec<String> {
    let folded = fold_for_search(text);
    tokens(&folded).flat_map(parted).take(MOST_WORDS).collect()
}

/// Splits a folded text into words as they are written, each cut to [`LONGEST_WORD`].
pub(super) fn tokens(folded: &str) -> impl Iterator<Item = &str> {
    folded.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).map(|part| {
        let end = part.char_indices().nth(LONGEST_WORD).map_or(part.len(), |(at, _)| at);
        part.get(..end).unwrap_or(part)
    })
}

/// Normalizes a word: letters that people confuse, or use for sounds that Arabic has no letter for, become
/// one; repeated letters become single, but for two Latin ones.
pub(super) fn plain(word: &str) -> String {
    let near = |c| match c {
        'پ' => 'ب',
        'چ' => 'ج',
        'ڤ' => 'ف',
        'ژ' => 'ز',
        // Kurdish letters.
        'ڵ' => 'ل',
        'ڕ' => 'ر',
        'ۆ' | 'ۇ' => 'و',
        'گ' => 'ك',
        'ظ' => 'ض',
        'ء' | 'ێ' => 'ي',
        c => c,
    };
    let mut plain = String::with_capacity(word.len());
    let (mut last, mut run) = (' ', 0);
    for c in word.chars().map(near) {
        run = if c == last { run + 1 } else { 1 };
        last = c;
        // Two Latin vowels are a long one.
        if c.is_ascii_digit() || run == 1 || (run == 2 && c.is_ascii()) {
            plain.push(c);
        }
    }
    plain
}

/// Splits digits from letters, except digits that stand for Arabic letters in a Latin word (`7aleeb`).
fn parted(word: &str) -> Vec<String> {
    if is_arabic_in_latin(word) {
        return vec![word.to_owned()];
    }
    let mut parts: Vec<String> = Vec::new();
    let mut last = None;
    for c in word.chars() {
        let digit = c.is_ascii_digit();
        match parts.last_mut().filter(|_| last == Some(digit)) {
            Some(part) => part.push(c),
            None => parts.push(c.to_string()),
        }
        last = Some(digit);
    }
    parts
}

/// Returns whether digits in a Latin word stand for Arabic letters: one at a time, and neither before a unit
/// nor after the one letter of a model (`a54`).
pub(super) fn is_arabic_in_latin(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let stands_for_one = |c: &char| matches!(c, '2' | '3' | '5' | '6' | '7' | '8' | '9');
    let digits: Vec<usize> =
        letters.iter().enumerate().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    let Some(&first) = digits.first() else { return false };
    let after = word.get(first + 1..).unwrap_or_default();
    word.is_ascii()
        && digits.len() * 2 < letters.len()
        && digits.windows(2).all(|pair| pair.first().zip(pair.last()).is_some_and(|(a, b)| b - a > 1))
        && digits.iter().all(|at| letters.get(*at).is_some_and(stands_for_one))
        && (after.starts_with(|c: char| c.is_ascii_alphabetic()) || (first >= 3 && after.is_empty()))
        && !(first <= 1 && is_unit(after))
        && letters.len() >= 3
}
