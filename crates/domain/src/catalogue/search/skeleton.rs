//! Skeletons: the consonants of a word, the same in Arabic and in Latin letters.

use super::stem::{is_arabic, light};

/// Returns the readings of a word's consonants: several where a letter is read in two ways. Letters that
/// either script confuses are one, vowels are dropped, and doubled letters become single.
pub(super) fn skeletons(word: &str) -> Vec<String> {
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    // What looks like an ending may belong to the word: فازلين.
    let mut all: Vec<String> = if is_arabic(word) {
        vec![of_arabic(&light(word)), of_arabic(word)]
    } else {
        let mut all = vec![of_latin(word, 'K'), of_latin(word, 'J'), of_latin(&light(word), 'K')];
        if word.contains('v') {
            // Written as و as well, which is no consonant: فولفو and ولوو.
            all.push(of_latin(&word.replace('v', "w"), 'K'));
        }
        all
    };
    all.sort();
    all.dedup();
    all.retain(|it| it.len() >= 2);
    all
}

fn of_arabic(word: &str) -> String {
    let mut skeleton = String::new();
    // At the end it is the feminine ending, which is silent.
    for c in word.strip_suffix('ه').unwrap_or(word).chars() {
        let class = match c {
            'ب' => 'B',
            'ت' | 'ط' => 'T',
            'ث' | 'س' | 'ص' | 'ز' | 'ذ' | 'ظ' => 'S',
            'ج' => 'J',
            'ح' | 'ه' => 'H',
            'خ' => 'C',
            'د' | 'ض' => 'D',
            'ر' => 'R',
            'ش' => 'X',
            'غ' | 'ق' | 'ك' => 'K',
            'ف' => 'F',
            'ل' => 'L',
            'م' => 'M',
            'ن' => 'N',
            _ => continue,
        };
        push(&mut skeleton, class);
    }
    // تش transcribes the `ch` of other scripts.
    skeleton.replace("TX", "J")
}

fn of_latin(word: &str, hard_g: char) -> String {
    let mut skeleton = String::new();
    let letters: Vec<char> = word.chars().collect();
    let mut rest = letters.as_slice();
    while let [c, after @ ..] = rest {
        let next = after.first().copied().unwrap_or(' ');
        let soft = matches!(next, 'e' | 'i' | 'y');
        let (class, taken) = match (c, next) {
            ('s', 'h') => ("X", 2),
            ('c', 'h') => ("J", 2),
            ('k', 'h') => ("C", 2),
            ('g', 'h') | ('c', 'k') => ("K", 2),
            ('t' | 'd', 'h') => ("S", 2),
            ('p', 'h') => ("F", 2),
            ('p' | 'b', _) => ("B", 1),
            ('t' | '6', _) => ("T", 1),
            ('c', _) if soft => ("S", 1),
            ('s' | 'z' | '9', _) => ("S", 1),
            ('j', _) => ("J", 1),
            ('g', _) if soft => ("J", 1),
            ('g', _) if hard_g == 'J' => ("J", 1),
            ('g' | 'c' | 'k' | 'q' | '8', _) => ("K", 1),
            ('x', _) => ("KS", 1),
            ('h', ' ') => ("", 1),
            ('h' | '7', _) => ("H", 1),
            ('5', _) => ("C", 1),
            ('d', _) => ("D", 1),
            ('r', _) => ("R", 1),
            ('f' | 'v', _) => ("F", 1),
            ('l', _) => ("L", 1),
            ('m', _) => ("M", 1),
            ('n', _) => ("N", 1),
            _ => ("", 1),
        };
        class.chars().for_each(|class| push(&mut skeleton, class));
        rest = after.get(taken - 1..).unwrap_or_default();
    }
    skeleton
}

fn push(skeleton: &mut String, class: char) {
    if !skeleton.ends_with(class) {
        skeleton.push(class);
    }
}
