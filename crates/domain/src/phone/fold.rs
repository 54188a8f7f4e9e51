//! One spelling for the many ways a number is typed.

use crate::text::{decimal, is_silent};

/// Folds what a person typed to plain ASCII where ASCII has the same sign.
///
/// Decimal digits of any script become `0` to `9`; format characters and tatweel vanish; any run of white
/// space becomes one space, none at the ends; dashes, dots, slashes, parentheses and plus signs of any width
/// become their ASCII form. Everything else stays: the parser decides whether it may stand in a number.
pub fn fold(written: &str) -> String {
    let mut folded = String::with_capacity(written.len());
    for c in written.chars().filter(|&c| !is_silent(c)) {
        if !c.is_whitespace() {
            folded.push(sign(c));
        } else if !folded.is_empty() && !folded.ends_with(' ') {
            folded.push(' ');
        }
    }
    if folded.ends_with(' ') {
        folded.pop();
    }
    folded
}

/// Returns the ASCII sign that stands for this one in a number; the same one if there is none.
pub(crate) fn sign(c: char) -> char {
    match c {
        _ if c.is_ascii() => c,
        '\u{2010}'..='\u{2015}'
        | '\u{2043}'
        | '\u{2212}'
        | '\u{58a}'
        | '\u{5be}'
        | '\u{1806}'
        | '\u{2e3a}'
        | '\u{2e3b}'
        | '\u{fe58}'
        | '\u{fe63}'
        | '\u{ff0d}' => '-',
        '\u{b7}' | '\u{2022}' | '\u{2024}' | '\u{2027}' | '\u{30fb}' | '\u{6d4}' | '\u{fe52}'
        | '\u{ff0e}' => '.',
        '\u{2044}' | '\u{2215}' | '\u{ff0f}' => '/',
        '\u{fe59}' | '\u{ff08}' => '(',
        '\u{fe5a}' | '\u{ff09}' => ')',
        '\u{fe62}' | '\u{ff0b}' => '+',
        _ => decimal(c).unwrap_or(c),
    }
}
