//! Words and signs of an answer.

use crate::{language::plain_letter, text::fold_for_search};

/// Returns the folded words and signs of `text`; `None` if it holds something that no answer has: a question
/// mark, a number, or a sign that joins or quotes. Commas, full stops and exclamation marks part words.
pub(super) fn tokens_of(text: &str) -> Option<Vec<String>> {
    // Arabic's own digits stand for no letter.
    if text.contains(|c: char| c.is_numeric() && !c.is_ascii()) {
        return None;
    }
    let mut tokens = Vec::new();
    let mut word = String::new();
    for c in fold_for_search(&with_long_yes(text)).chars() {
        match c {
            // Kurdish is written with Arabic's letter, too.
            'ە' => word.push('ه'),
            c if c.is_alphanumeric() => word.push(plain_letter(c)),
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
    // These digits stand for no letter, and before a single one a digit counts (`5x`).
    let counts = word.len() < 3 && word.starts_with(|c: char| c.is_ascii_digit());
    let stands_for_letters = word.chars().all(|c| c.is_ascii_alphanumeric() && !"01".contains(c)) && !counts;
    if is_number || (word.contains(char::is_numeric) && !stands_for_letters) {
        return None;
    }
    tokens.push(std::mem::take(word));
    Some(())
}

/// Returns the word with each letter that stands `run` times or more in a row cut to `most`.
pub(super) fn shortened(word: &str, run: usize, most: usize) -> String {
    let mut short = String::with_capacity(word.len());
    let letters: Vec<char> = word.chars().collect();
    for row in letters.chunk_by(|one, next| one == next) {
        let kept = if row.len() >= run { most } else { row.len() };
        short.extend(row.iter().take(kept));
    }
    short
}

/// Returns a word in Latin letters as it sounds in Arabic or Kurdish, whatever vowels, doubled letters and
/// digits it is spelt with; `None` for any other word.
pub(super) fn heard(word: &str) -> Option<String> {
    let mut sound = String::with_capacity(word.len());
    for c in word.chars() {
        let letters = match c {
            '2' | '3' | '4' => "",
            '5' | 'x' => "kh",
            '6' => "t",
            '7' => "h",
            '9' => "s",
            '8' | 'q' | 'g' => "k",
            'e' | 'y' => "i",
            'o' => "u",
            c if c.is_ascii_alphabetic() => {
                sound.push(c);
                ""
            }
            _ => return None,
        };
        sound.push_str(letters);
    }
    let mut once: Vec<char> = sound.replace("uw", "w").replace("ua", "wa").chars().collect();
    once.dedup();
    if matches!(once.as_slice(), [.., 'a' | 'i' | 'u', 'h']) && once.len() > 2 {
        once.pop();
    }
    Some(once.into_iter().collect())
}

/// Writes the short yes of Sorani as the long one: folded, it would be the Arabic `يا`.
fn with_long_yes(text: &str) -> String {
    let word = |part: &str| match part.strip_prefix("ئا") {
        Some(rest) if !rest.starts_with(char::is_alphanumeric) => format!("ئەرێ{rest}"),
        _ => part.to_owned(),
    };
    text.split_inclusive(|c: char| !c.is_alphanumeric()).map(word).collect()
}
