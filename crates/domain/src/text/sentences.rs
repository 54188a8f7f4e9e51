//! Sentences of a text.

/// Abbreviations that whatever they belong to follows: titles, and words such as "for example".
const BEFORE_A_WORD: &[&str] = &[
    "dr", "mr", "mrs", "ms", "prof", "eng", "st", "vs", "cf", "أ.د", "ا.د", "پ.د", "پرۆف", "دكت", "م.م", "هـ",
];
/// Abbreviations only before a number: "No." is an answer, too.
const BEFORE_A_NUMBER: &[&str] =
    &["no", "nos", "tel", "art", "vol", "fig", "p", "pp", "approx", "ext", "ca", "ص.ب"];
/// Abbreviations that may end a sentence: they do unless a small letter follows.
const MAY_END: &[&str] = &["a.m", "p.m", "etc", "inc", "ltd", "co", "jr", "sr", "ave"];
/// Currencies with a point in them, which may end a sentence.
const CURRENCIES: &[&str] = &["د.ع", "د.ك", "د.أ", "د.إ", "ر.س", "ر.ق", "ل.ل"];

/// Splits a text into its sentences; marks stay with their sentence.
pub(crate) fn sentences(text: &str) -> Vec<&str> {
    let mut sentences = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let ends = rest.char_indices().find(|(place, c)| {
            let (before, from) = rest.split_at_checked(*place).unwrap_or((rest, ""));
            ends_sentence(before, *c, from.strip_prefix(*c).unwrap_or_default())
        });
        let behind = ends.map_or(rest.len(), |(place, c)| place + c.len_utf8());
        let (sentence, after) = rest.split_at_checked(behind).unwrap_or((rest, ""));
        sentences.push(sentence.trim());
        rest = after.trim_start();
    }
    sentences.retain(|sentence| sentence.contains(char::is_alphanumeric));
    sentences
}

/// Returns whether a sentence asks, whatever closes it.
pub(crate) fn asks(sentence: &str) -> bool {
    let closed = |c: char| c.is_whitespace() || matches!(c, '!' | '.' | '"' | '»' | '”' | ')' | '\'');
    sentence.trim_end_matches(closed).ends_with(['?', '؟'])
}

/// Returns whether a sentence that has begun with `before` ends with the mark.
fn ends_sentence(before: &str, mark: char, after: &str) -> bool {
    if mark == '\n' {
        return true;
    }
    // A point within a number or an address ends nothing.
    let is_within = after.chars().next().is_some_and(|next| !next.is_whitespace());
    match mark {
        '!' | '?' | '؟' | '۔' => !is_within,
        '.' => !is_within && !is_abbreviated(before, after.trim_start()),
        _ => false,
    }
}

/// Returns whether the point behind `before` shortens a word, numbers an item or trails off. Where one cannot
/// tell, two sentences are said as one, since half of one may say something else.
fn is_abbreviated(before: &str, after: &str) -> bool {
    let opening = |c: char| matches!(c, '(' | '[' | '«' | '"' | '“' | '\'' | '•' | '-');
    let word = before.rsplit(char::is_whitespace).next().unwrap_or_default().trim_start_matches(opening);
    let is_first = word == before.trim_start_matches(|c: char| c.is_whitespace() || opening(c));
    let next = after.chars().next();
    let word = word.to_lowercase();
    let is = |list: &[&str]| list.contains(&word.as_str());
    let is_letter = |part: &str| part.chars().count() == 1 && part.chars().all(char::is_alphabetic);
    if is(CURRENCIES) {
        return false;
    }
    if is(MAY_END) {
        return next.is_some_and(char::is_lowercase);
    }
    if is(BEFORE_A_NUMBER) && next.is_some_and(char::is_numeric) {
        return true;
    }
    let is_numbering =
        is_first && matches!(word.chars().count(), 1..=2) && word.chars().all(char::is_numeric);
    let trails_off = word.ends_with(['.', '…']);
    // Initials, and letters with points between them.
    let is_lettered = word.split('.').all(is_letter);
    next.is_some() && (is(BEFORE_A_WORD) || is_numbering || trails_off || is_lettered)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{asks, sentences};

    #[test]
    fn a_point_within_a_number_ends_no_sentence() {
        for (text, parts) in [
            ("قماش قطن. يغسل بالماء البارد!", &["قماش قطن.", "يغسل بالماء البارد!"][..]),
            ("Weighs 1.5 kg. See shop.example for more", &["Weighs 1.5 kg.", "See shop.example for more"]),
            ("نوصل لبغداد؟ نعم.\nالدفع عند الاستلام", &["نوصل لبغداد؟", "نعم.", "الدفع عند الاستلام"]),
            ("السعر 12.5 دولار. التوصيل مجاني", &["السعر 12.5 دولار.", "التوصيل مجاني"]),
            ("…", &[]),
            ("", &[]),
        ] {
            assert_eq!(sentences(text), parts);
        }
    }

    #[test]
    fn an_abbreviation_ends_no_sentence() {
        for (text, parts) in [
            (
                "د. علي الجبوري، أخصائي أسنان. موجود السبت.",
                &["د. علي الجبوري، أخصائي أسنان.", "موجود السبت."][..],
            ),
            ("عيادة (د. علي) مفتوحة. أهلاً", &["عيادة (د. علي) مفتوحة.", "أهلاً"]),
            ("أ.د. سارة حسن موجودة. اتصلوا", &["أ.د. سارة حسن موجودة.", "اتصلوا"]),
            ("د. عەلی لێرەیە. وەرن", &["د. عەلی لێرەیە.", "وەرن"]),
            (
                "Dr. Ali is in. Come at 5 p.m. We close at 9.",
                &["Dr. Ali is in.", "Come at 5 p.m.", "We close at 9."],
            ),
            ("Open 9 a.m. to 5 p.m. daily. Call us.", &["Open 9 a.m. to 5 p.m. daily.", "Call us."]),
            ("Ask for J. Smith, e.g. by phone. Thanks.", &["Ask for J. Smith, e.g. by phone.", "Thanks."]),
            ("We are on Main St. near No. 5. Welcome.", &["We are on Main St. near No. 5.", "Welcome."]),
            ("On Friday? No. We rest.", &["On Friday?", "No.", "We rest."]),
            ("We ship pens, etc. within a day. Free.", &["We ship pens, etc. within a day.", "Free."]),
            ("التوصيل 5,000 د.ع. الدفع نقداً", &["التوصيل 5,000 د.ع.", "الدفع نقداً"]),
            ("نوصل لبغداد... وباقي المحافظات. أهلاً", &["نوصل لبغداد... وباقي المحافظات.", "أهلاً"]),
            ("Wait… there is more. Yes!", &["Wait… there is more.", "Yes!"]),
            ("1. الدفع نقداً.\n2. التوصيل مجاني.", &["1. الدفع نقداً.", "2. التوصيل مجاني."]),
            ("Since 2015. We sell tea.", &["Since 2015.", "We sell tea."]),
            ("الدفع نقداً . التوصيل مجاني", &["الدفع نقداً .", "التوصيل مجاني"]),
            ("Vitamin D.", &["Vitamin D."]),
        ] {
            assert_eq!(sentences(text), parts);
        }
    }

    #[test]
    fn a_question_is_known_by_its_mark() {
        for (sentence, is) in
            [("متوفر توصيل؟", true), ("Really?!", true), ("(Free?)", true), ("نعم.", false), ("", false)]
        {
            assert_eq!(asks(sentence), is, "{sentence}");
        }
    }

    proptest! {
        #[test]
        fn a_sentence_is_one_sentence_and_no_letter_is_lost(text in "([a-zدعنأ.?!…0-9]{1,4}[ \n]?){0,12}") {
            let all = sentences(&text);
            for sentence in &all {
                prop_assert_eq!(sentences(sentence), vec![*sentence]);
            }
            let letters = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
            prop_assert_eq!(all.iter().map(|it| letters(it)).collect::<String>(), letters(&text));
        }
    }
}
