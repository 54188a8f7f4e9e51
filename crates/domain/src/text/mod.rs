//! Text that people write: one spelling for the many of a name, so that a search finds it, and no characters
//! that make a text look like another.
//!
//! Letters are folded one by one: the folding of a text contains the folding of each of its parts, so any
//! part of a name finds it.

mod characters;
mod direction;
mod plain;
mod sentences;
#[cfg(test)]
mod tests;

pub use characters::decimal;
pub(crate) use characters::is_silent;
pub use direction::{is_direction_control, without_direction_controls};
pub use plain::PlainText;
pub(crate) use sentences::{asks, sentences};

use unicode_normalization::char::decompose_compatible;

/// Folds a name, or a search term for names.
///
/// Capitals become small letters; letters with a mark (`é`, `أ`) and presentation forms become the bare
/// letter, and the marks vanish, as do tatweel and format characters; alef, ya, ha and kaf of every Arabic
/// and Persian form become one; decimal digits of any script become `0` to `9`; any run of white space
/// becomes one space, none at the ends. Everything else stays as it is.
pub fn fold_for_search(written: &str) -> String {
    let mut folded = String::with_capacity(written.len());
    for c in written.chars() {
        if is_folded(c) {
            folded.push(c);
        } else {
            decompose_compatible(c, |c| push_folded(&mut folded, c));
        }
    }
    if folded.ends_with(' ') {
        folded.pop();
    }
    folded
}

/// Returns whether a letter or digit is one of those that most texts are made of and that folding leaves as
/// they are. Others are looked up in tables.
const fn is_folded(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | 'ا' | 'ب' | 'ت'..='غ' | 'ف'..='و' | 'ي')
}

fn push_folded(folded: &mut String, c: char) {
    if c.is_whitespace() || c.is_control() {
        if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    } else if !is_silent(c) && !is_mark(c) {
        folded.extend(c.to_lowercase().filter(|&c| !is_mark(c)).map(letter));
    }
}

/// Writes a typed number in Latin digits, whatever its script: `٠٫٥` becomes `0.5`. Invisible characters
/// vanish; everything else stays as it is.
pub fn latin_digits(typed: &str) -> String {
    let latin = |c: char| if c == '٫' { '.' } else { decimal(c).unwrap_or(c) };
    typed.chars().filter(|c| !is_silent(*c)).map(latin).collect()
}

/// Returns whether a text shows nothing: white space of any width, direction marks, joiners and the like.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || is_silent(c))
}

/// Returns whether a line ends at the character.
pub(crate) const fn is_line_end(c: char) -> bool {
    matches!(c, '\n' | '\u{b}' | '\u{c}' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

/// Returns whether a character is a mark over or under Latin and Arabic letters: accents, vowels, hamza and
/// madda, Quranic signs.
pub(crate) fn is_mark(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}'
        | '\u{610}'..='\u{61a}'
        | '\u{64b}'..='\u{65f}'
        | '\u{670}'
        | '\u{6d6}'..='\u{6dc}'
        | '\u{6df}'..='\u{6e4}'
        | '\u{6e7}'
        | '\u{6e8}'
        | '\u{6ea}'..='\u{6ed}')
}

/// Returns the one letter for those that people take for each other. Hamza and madda have been removed
/// before.
fn letter(c: char) -> char {
    match c {
        'ٱ' => 'ا',
        'ى' | 'ی' => 'ي',
        'ة' | 'ہ' | 'ھ' | 'ە' | 'ۃ' => 'ه',
        'ک' => 'ك',
        'ς' => 'σ',
        _ => decimal(c).unwrap_or(c),
    }
}
