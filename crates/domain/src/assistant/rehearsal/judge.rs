//! Whether an answer holds a text, however it is spelled.

use crate::{
    assistant::figures::{is_figure, numbers},
    text::fold_for_search,
};

/// Letters and articles that Arabic writes before a word and that are none of it.
const BEFORE: [&str; 14] =
    ["و", "ف", "ب", "ل", "ك", "ال", "وال", "بال", "فال", "كال", "لل", "هال", "عال", "ول"];
const ARTICLE: &str = "ال";
/// Fewest letters that are a word without what is written before it.
const SHORTEST: usize = 3;

/// Returns whether an answer can be searched for the text at all.
pub(super) fn is_judged(text: &str) -> bool {
    !words(text).is_empty()
}

/// Returns whether two texts demand the same.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    words(one) == words(other) || (holds(one, other) && holds(other, one))
}

/// Returns whether an answer holds the text: its words in a row, or, of a text that is a figure alone, the
/// figure in any script and grouping.
pub(super) fn holds(answer: &str, text: &str) -> bool {
    let wanted = words(text);
    let given = words(answer);
    if !wanted.is_empty() && given.windows(wanted.len()).any(|some| is_row(some, &wanted)) {
        return true;
    }
    let figure = numbers(text);
    let [figure] = figure.as_slice() else { return false };
    is_figure(text) && numbers(answer).iter().any(|number| number.is_as(figure))
}

fn is_row(given: &[String], wanted: &[String]) -> bool {
    given.iter().zip(wanted).all(|(given, wanted)| is_word(given, wanted))
}

/// Returns whether a word of an answer is the wanted one, perhaps behind an article or a conjunction.
fn is_word(given: &str, wanted: &str) -> bool {
    let stem = wanted.strip_prefix(ARTICLE).filter(|rest| is_long(rest)).unwrap_or(wanted);
    let is_it = |word: &str| word == wanted || word == stem;
    let behind = |before| given.strip_prefix(before).is_some_and(|rest| is_long(rest) && is_it(rest));
    is_it(given) || BEFORE.into_iter().any(behind)
}

fn is_long(word: &str) -> bool {
    word.chars().count() >= SHORTEST
}

/// Splits a text into words in one spelling, and numbers without the signs that group their digits.
fn words(text: &str) -> Vec<String> {
    let folded = fold_for_search(text);
    let mut words: Vec<String> = Vec::new();
    let mut rest = folded.chars().peekable();
    // Whether the last word goes on.
    let mut is_open = false;
    while let Some(c) = rest.next() {
        let next_is_digit = rest.peek().is_some_and(char::is_ascii_digit);
        let last = words.last_mut().filter(|_| is_open);
        let in_number = last.as_ref().is_some_and(|word| word.ends_with(|c: char| c.is_ascii_digit()));
        match last {
            Some(_) if in_number && next_is_digit && matches!(c, ',' | '٬' | '\'' | '’') => {}
            Some(word) if in_number && next_is_digit && matches!(c, '.' | '٫') => word.push('.'),
            Some(word) if c.is_alphanumeric() && c.is_ascii_digit() == in_number => word.push(c),
            _ if c.is_alphanumeric() => {
                words.push(c.to_string());
                is_open = true;
            }
            _ => is_open = false,
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::{holds, is_same};

    #[test]
    fn a_text_is_found_in_every_spelling_of_it() {
        for (answer, text) in [
            ("السعر 25,000 دينار", "25000"),
            ("السعر ٢٥٬٠٠٠ دينار", "25,000"),
            ("السعر 25000 دينار", "٢٥٠٠٠"),
            ("السعر ۲۵۰۰۰ دينار", "25000"),
            ("السعر 25 ألف", "25,000"),
            ("السعر 25,000 د.ع", "25 ألف دينار"),
            ("It is 25,000 IQD.", "25000 دينار"),
            ("نعم، التوصيل مجّاناً لبغداد", "توصيل مجانا"),
            ("والتوصيل خلال يومين", "توصيل"),
            ("التوصـيل خلال يومين", "التوصيل"),
            ("نوصل لبغداد", "بغداد"),
            ("مدرسة الأمل", "مدرسه الامل"),
            ("We DELIVER within two days", "deliver within"),
            ("دەگەیەنین بۆ هەولێر", "هەولێر"),
            ("من 10:00 إلى 18:00", "10:00"),
            ("حليب نيدو 2.5 كغم", "2.5"),
            ("iPhone 15 Pro Max", "iphone 15"),
        ] {
            assert!(holds(answer, text), "{answer}: {text}");
        }
    }

    #[test]
    fn a_part_of_a_word_or_of_a_figure_is_not_it() {
        for (answer, text) in [
            ("السعر 125,000 دينار", "25000"),
            ("السعر 25,500 دينار", "25000"),
            ("السعر 25,000 دينار", "25"),
            ("هذا البلد", "ولد"),
            ("I know", "no"),
            ("خلال يومين في بغداد", "بغداد يومين"),
            ("من 10:30 إلى 18:00", "10:00"),
            ("", "25000"),
            ("السعر 25 دينار", "25 قطعة"),
        ] {
            assert!(!holds(answer, text), "{answer}: {text}");
        }
    }

    #[test]
    fn two_texts_are_the_same_demand_if_each_holds_the_other() {
        for (one, other, same) in [
            ("25,000", "٢٥٠٠٠", true),
            ("25 ألف", "25000 دينار", true),
            ("Free", "free!", true),
            ("توصيل", "توصيل مجاني", false),
            ("25", "26", false),
        ] {
            assert_eq!(is_same(one, other), same, "{one} {other}");
        }
    }
}
