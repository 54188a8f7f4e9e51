//! A text as words, spelled one way.

use crate::text::fold_for_search;

/// Words that say that something is wanted, and nothing of what.
const ASKING: &[&str] = &[
    "من",
    "في",
    "فى",
    "على",
    "علي",
    "عن",
    "الى",
    "الي",
    "هل",
    "ما",
    "ماذا",
    "كم",
    "كيف",
    "اين",
    "وين",
    "شنو",
    "شنهو",
    "شكد",
    "شقد",
    "بيش",
    "بكم",
    "سعر",
    "اسعار",
    "السعر",
    "عندكم",
    "عندك",
    "عدكم",
    "عدك",
    "لديكم",
    "اكو",
    "يوجد",
    "موجود",
    "متوفر",
    "متوفره",
    "اريد",
    "ابي",
    "اشتري",
    "احتاج",
    "محتاج",
    "ممكن",
    "رجاء",
    "لو",
    "سمحت",
    "سمحتوا",
    "بلا",
    "زحمه",
    "هذا",
    "هذه",
    "هاي",
    "هذي",
    "ذا",
    "مال",
    "مالت",
    "لي",
    "الي",
    "شي",
    "شيء",
    "واحد",
    "وحده",
    "و",
    "او",
    "يا",
    "السلام",
    "عليكم",
    "مرحبا",
    "هلو",
    "the",
    "a",
    "an",
    "of",
    "for",
    "and",
    "or",
    "do",
    "you",
    "have",
    "i",
    "want",
    "need",
    "price",
    "how",
    "much",
    "is",
    "any",
    "please",
    "in",
    "to",
    "with",
    "hello",
    "hi",
    "aku",
    "akoo",
    "areed",
    "arid",
    "shgad",
    "beesh",
    "besh",
    "3indkum",
    "3dkm",
    "3ndkm",
];

/// Latin units that follow a number without a space.
const UNITS: &[&str] = &[
    "kg", "g", "gm", "gr", "l", "lt", "ltr", "ml", "mg", "cm", "mm", "m", "pcs", "pc", "x", "gb", "tb", "mb",
    "w", "v", "in", "d", "k", "oz", "inch", "mah", "hz",
];

/// The words of a text: folded, digits by themselves.
pub(super) fn words(text: &str) -> Vec<String> {
    let folded = fold_for_search(text);
    let parts = folded.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty());
    parts.flat_map(parted).collect()
}

/// The words that say what is wanted; all of them where none does.
pub(super) fn content(text: &str) -> Vec<String> {
    let all = words(text);
    let content: Vec<_> = all.iter().filter(|word| !ASKING.contains(&word.as_str())).cloned().collect();
    if content.is_empty() { all } else { content }
}

/// A word with one letter for those that people take for each other, or write for what Arabic has no letter for.
pub(super) fn plain(word: &str) -> String {
    let near = |c| match c {
        'پ' => 'ب',
        'چ' => 'ج',
        'ڤ' => 'ف',
        'ژ' => 'ز',
        'گ' => 'ك',
        'ظ' => 'ض',
        'ء' => 'ي',
        c => c,
    };
    word.chars().map(near).collect()
}

/// Numbers stand apart from letters, but for digits that stand for Arabic letters in a Latin word (`7aleeb`).
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

/// Whether digits in a Latin word stand where letters stand: one at a time, before letters that are no unit.
fn is_arabic_in_latin(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let stands_for_one = |c: &char| matches!(c, '2' | '3' | '5' | '6' | '7' | '8' | '9');
    let digits: Vec<usize> =
        letters.iter().enumerate().filter(|(_, c)| c.is_ascii_digit()).map(|(at, _)| at).collect();
    let Some(&first) = digits.first() else { return false };
    let after = word.get(first + 1..).unwrap_or_default();
    word.is_ascii()
        && digits.len() <= 2
        && digits.windows(2).all(|pair| pair.first().zip(pair.last()).is_some_and(|(a, b)| b - a > 1))
        && digits.iter().all(|at| letters.get(*at).is_some_and(stands_for_one))
        && after.starts_with(|c: char| c.is_ascii_alphabetic())
        && !UNITS.contains(&after)
        && letters.len() >= 4
}
