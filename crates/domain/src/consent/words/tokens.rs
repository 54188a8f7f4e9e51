//! Words and signs of an answer.

use crate::text::fold_for_search;

/// Returns the folded words and signs of `text`; `None` if it holds something that no answer has: a question
/// mark, a number, or a sign that joins or quotes. Commas, full stops and exclamation marks part words.
pub(super) fn tokens_of(text: &str) -> Option<Vec<String>> {
    let mut tokens = Vec::new();
    let mut word = String::new();
    for c in fold_for_search(text).chars() {
        match c {
            c if c.is_alphanumeric() => word.push(letter(c)),
            // Within `don't` and `na'am`, and around nothing else.
            '\'' | '’' | 'ʼ' | '`' if !word.is_empty() => {}
            // Selectors of a sign's look, and shades of skin.
            '\u{fe0e}' | '\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' => {}
            ' ' | ',' | '،' | '.' | '!' => end(&mut word, &mut tokens)?,
            c if c.is_ascii() || "؟؛«»“”‘…٪".contains(c) => return None,
            sign => {
                end(&mut word, &mut tokens)?;
                tokens.push(sign.to_string());
            }
        }
    }
    end(&mut word, &mut tokens)?;
    Some(tokens)
}

/// Ends a word. In Latin letters digits may stand for Arabic ones (`na3am`); digits alone are a number.
fn end(word: &mut String, tokens: &mut Vec<String>) -> Option<()> {
    if word.is_empty() {
        return Some(());
    }
    let is_number = !word.contains(char::is_alphabetic);
    // These digits stand for no letter.
    let stands_for_letters = word.chars().all(|c| c.is_ascii_alphanumeric() && !"01".contains(c));
    if is_number || (word.contains(char::is_numeric) && !stands_for_letters) {
        return None;
    }
    tokens.push(std::mem::take(word));
    Some(())
}

/// Returns the one letter for those that people who write Kurdish on an Arabic keyboard put for each other.
const fn letter(c: char) -> char {
    match c {
        'ڕ' => 'ر',
        'ڵ' => 'ل',
        'ێ' => 'ي',
        'ۆ' => 'و',
        _ => c,
    }
}

/// Returns the word with every run of three letters or more cut to `most`.
pub(super) fn shortened(word: &str, most: usize) -> String {
    let mut short = String::with_capacity(word.len());
    let letters: Vec<char> = word.chars().collect();
    for run in letters.chunk_by(|one, next| one == next) {
        let kept = if run.len() > 2 { most } else { run.len() };
        short.extend(run.iter().take(kept));
    }
    short
}
