//! Common passwords, which anybody tries first.

use std::{collections::HashSet, sync::LazyLock};

use crate::text::decimal;

/// Most common passwords, in small letters. Those too short to be chosen stand for what people make of them
/// with digits and signs around.
static COMMON: LazyLock<HashSet<&str>> =
    LazyLock::new(|| include_str!("common_passwords.txt").lines().collect());

/// Longest part, in characters, whose repetition is no better than the part.
const FEW: usize = 5;

/// Returns whether the password is a common one, or made of one as most people do: in capitals, with digits
/// for letters, with digits and signs around it, twice, or a run of the keyboard's or the alphabet's.
pub(super) fn is_common(password: &str) -> bool {
    let plain: String = password
        .to_lowercase()
        .chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| decimal(c).unwrap_or(c))
        .collect();
    let lettered = |text: &str| text.chars().map(as_letter).collect::<String>();
    let spellings = [plain.clone(), lettered(&plain), lettered(core(&plain))];
    is_run(&plain) || is_repeated(&plain) || spellings.iter().any(|text| is_listed(text))
}

fn is_listed(text: &str) -> bool {
    [text, once(text), core(text), once(core(text))].iter().any(|text| COMMON.contains(text))
}

/// Returns the text without the digits and signs around it.
fn core(text: &str) -> &str {
    text.trim_matches(|c: char| !c.is_alphabetic())
}

fn is_repeated(text: &str) -> bool {
    let part = once(text);
    part.len() < text.len() && part.chars().nth(FEW).is_none()
}

/// Returns the part that the text repeats; the whole text if it repeats none.
fn once(text: &str) -> &str {
    let parts = (1..=text.len() / 2).filter(|length| text.len().is_multiple_of(*length));
    let mut parts = parts.filter_map(|length| text.get(..length));
    parts.find(|part| text.split(part).all(str::is_empty)).unwrap_or(text)
}

/// Returns whether each character is the one after, or before, the last, as in `abcdefghij` and `9876543210`.
fn is_run(text: &str) -> bool {
    let steps = |by: i64| {
        let pairs = text.chars().zip(text.chars().skip(1));
        let mut steps = pairs.map(|(one, next)| i64::from(u32::from(next)) - i64::from(u32::from(one)));
        // After 9 comes 0.
        steps.all(|step| step == by || step == -9 * by)
    };
    steps(1) || steps(-1)
}

/// Returns the letter that a digit or sign stands for where people write passwords.
const fn as_letter(c: char) -> char {
    match c {
        '0' => 'o',
        '1' | '!' => 'i',
        '3' => 'e',
        '4' | '@' => 'a',
        '5' | '$' => 's',
        '7' => 't',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::is_common;

    #[test]
    fn what_anybody_tries_first_is_common_however_it_is_dressed_up() {
        for password in [
            "password123",
            "Password2024!",
            "P@ssw0rd!!",
            "qwertyuiop",
            "QWERTY123456",
            "1q2w3e4r5t",
            "1234567890",
            "0987654321",
            "abcdefghijkl",
            "iloveyou!!",
            "iloveyouiloveyou",
            "letmeinletmein",
            "1234512345",
            "Manchester99",
            "correct horse battery staple",
            "١٢٣٤٥٦٧٨٩٠",
            "السلام عليكم",
            "WhatsApp2026",
        ] {
            assert!(is_common(password), "{password}");
        }
    }

    #[test]
    fn what_nobody_has_on_a_list_is_not() {
        for password in [
            "correct horse battery",
            "another horse",
            "كلمة سر طويلة",
            "tMk8#qfe!w",
            "password of the palm tree",
            "seventeen dates",
        ] {
            assert!(!is_common(password), "{password}");
        }
    }
}
