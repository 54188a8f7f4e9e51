//! Promises that hold no number: that something comes today or tomorrow, or costs nothing or half. Nobody but the owner can
//! tell a model so.

use super::claims::{clauses, is_denied, without_offer, words_of};
use crate::text::fold_for_search;

/// It is a promise that holds no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::assistant) enum Promise {
    /// It comes today.
    Today,
    /// It comes tomorrow.
    Tomorrow,
    /// It comes within hours.
    Hours,
    /// It comes on a day of the week.
    Weekday,
    /// It costs nothing.
    Free,
    /// It costs half.
    Half,
}

impl Promise {
    /// Says whether it is of a price.
    pub(in crate::assistant) const fn is_of_price(self) -> bool {
        matches!(self, Self::Free | Self::Half)
    }
}

/// A star stands for any ending. All words here are as [`fold_for_search`] leaves them.
const COMES: &[&str] = &[
    "نوصل*",
    "توصل*",
    "يوصل*",
    "اوصل*",
    "وصلك",
    "وصلكم",
    "يصل",
    "تصل",
    "يصلك*",
    "تصلك*",
    "توصيل*",
    "التوصيل",
    "تسليم*",
    "التسليم",
    "نسلم*",
    "تستلم*",
    "نرسل*",
    "ارسله",
    "ارسلها",
    "نبعث*",
    "ندز*",
    "ادز*",
    "يجيك*",
    "تجيك*",
    "نجيب*",
    "deliver*",
    "arriv*",
    "ship*",
    "send",
    "sending",
    "receive*",
    "get",
];
/// Two words that say it together.
const COMES_TOGETHER: &[(&str, &str)] = &[
    ("يكون", "عندك"),
    ("بيكون", "عندك"),
    ("تكون", "عندك"),
    ("بتكون", "عندك"),
    ("يكون", "يمك"),
    ("have", "it"),
    ("have", "them"),
    ("with", "you"),
];
const TODAY: &[&str] = &["اليوم", "هاليوم", "الليله", "today", "tonight"];
const TOMORROW: &[&str] = &["باجر", "باچر", "بكره", "بكرا", "غدا", "غد", "tomorrow"];
const HOURS: &[&str] = &["ساعه", "ساعتين", "ساعات", "دقيقه", "دقايق", "hour", "hours", "minutes"];
const WEEKDAYS: &[&str] = &[
    "السبت",
    "الاحد",
    "الاثنين",
    "الثلاثاء",
    "الاربعاء",
    "الخميس",
    "الجمعه",
    "saturday",
    "sunday",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
];
/// An owner says these of the day of an order, or the one after it.
const SAME_DAY: &[&str] = &["نفس", "same"];
const NEXT_DAY: &[&str] = &["التالي", "الثاني", "next"];
const FREE: &[&str] = &["مجان*", "المجان*", "ببلاش", "بلاش"];
const FREE_IN_ENGLISH: &[&str] = &["free"];
const HALF: &[&str] = &["نص", "نصف", "بنص", "بنصف", "half"];
const PRICE: &[&str] = &["السعر", "سعره", "سعرها", "الثمن", "price"];
/// Stands before what is not free. [`is_denied`] knows the others.
const NOT: &[&str] = &["ليس", "ليست", "غير", "مش", "no", "isn", "aren"];
/// Letters that Arabic writes before a word.
const PREFIXES: [char; 5] = ['و', 'ف', 'س', 'ب', 'ل'];

/// Returns what the owner's text speaks of, in whatever way: that may be promised.
pub(in crate::assistant) fn spoken_of(owner: &str) -> Vec<Promise> {
    let folded = fold_for_search(owner);
    let words: Vec<&str> = words_of(&folded).collect();
    let any = |list: &[&str]| words.iter().any(|word| is_one_of(word, list));
    let said = [
        (Promise::Today, any(TODAY) || any(SAME_DAY)),
        (Promise::Tomorrow, any(TOMORROW) || any(NEXT_DAY)),
        (Promise::Hours, any(HOURS)),
        (Promise::Weekday, any(WEEKDAYS)),
        (Promise::Free, any(FREE) || any(FREE_IN_ENGLISH)),
        (Promise::Half, any(HALF)),
    ];
    said.into_iter().filter(|(_, is_said)| *is_said).map(|(promise, _)| promise).collect()
}

/// Returns what a text promises, without what it offers in a question.
pub(in crate::assistant) fn promises(text: &str) -> Vec<Promise> {
    let mut found = Vec::new();
    for clause in clauses(text) {
        let words = without_offer(&clause);
        let stands = |list: &[&str]| words.iter().any(|word| is_one_of(word, list));
        let comes = (0..words.len()).any(|at| comes_at(&words, at));
        let days = [
            (Promise::Today, TODAY),
            (Promise::Tomorrow, TOMORROW),
            (Promise::Hours, HOURS),
            (Promise::Weekday, WEEKDAYS),
        ];
        let when = days.into_iter().filter(|(_, words)| comes && stands(words));
        found.extend(when.map(|(promise, _)| promise));
        if (0..words.len()).any(|at| is_free(&words, at)) {
            found.push(Promise::Free);
        }
        let is_half = |pair: &[&str]| match pair {
            [share, price] => is_one_of(share, HALF) && is_one_of(price, PRICE),
            _ => false,
        };
        if words.windows(2).any(is_half) {
            found.push(Promise::Half);
        }
    }
    found
}

/// Whether the words there say that something comes.
fn comes_at(words: &[&str], at: usize) -> bool {
    let together = |rest: &[&str]| match rest {
        [one, other, ..] => COMES_TOGETHER.contains(&(*one, *other)),
        _ => false,
    };
    let by_itself = words.get(at).is_some_and(|word| is_one_of(word, COMES));
    (by_itself || words.get(at..).is_some_and(together)) && !is_denied(words, at)
}

/// Whether the word there says that something costs nothing. In English, a time may be free, too.
fn is_free(words: &[&str], at: usize) -> bool {
    let word = |at: Option<usize>| at.and_then(|at| words.get(at)).copied().unwrap_or_default();
    let this = word(Some(at));
    let denied = is_denied(words, at) || (1..=2).any(|steps| NOT.contains(&word(at.checked_sub(steps))));
    let goods = ["deliver*", "shipping", "gift*", "sample*"];
    let is_priced = this == "free"
        && (is_one_of(word(at.checked_add(1)), &goods)
            || word(at.checked_add(1)) == "of"
            || word(at.checked_sub(1)) == "for"
            || words.iter().any(|word| is_one_of(word, &["deliver*", "shipping"])));
    (is_one_of(this, FREE) || is_priced) && !denied
}

/// Whether a word is in a list, maybe with a letter that Arabic writes before it.
fn is_one_of(word: &str, list: &[&str]) -> bool {
    let without_prefix = word.strip_prefix(PREFIXES).filter(|rest| rest.chars().count() > 2);
    [Some(word), without_prefix].into_iter().flatten().any(|word| {
        list.iter().any(|wanted| match wanted.strip_suffix('*') {
            Some(stem) => word.starts_with(stem),
            None => word == *wanted,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::{Promise, promises, spoken_of};
    use crate::text::fold_for_search;

    #[test]
    fn every_word_is_written_as_it_is_compared() {
        let lists = [
            super::COMES,
            super::TODAY,
            super::HOURS,
            super::WEEKDAYS,
            super::TOMORROW,
            super::SAME_DAY,
            super::NEXT_DAY,
            super::FREE,
            super::HALF,
            super::PRICE,
            super::NOT,
        ];
        for word in lists.into_iter().flatten() {
            assert_eq!(fold_for_search(word), *word);
        }
    }

    #[test]
    fn what_is_promised_without_a_number_is_found() {
        for (text, promise) in [
            ("نعم، راح يوصلك اليوم", Promise::Today),
            ("أوعدك التوصيل يوصل اليوم", Promise::Today),
            ("نوصله إلك الليلة", Promise::Today),
            ("سنوصل طلبك غداً", Promise::Tomorrow),
            ("وتوصلك باجر إن شاء الله", Promise::Tomorrow),
            ("بدون تأخير نوصلك باجر", Promise::Tomorrow),
            ("We will deliver it tomorrow", Promise::Tomorrow),
            ("We can deliver tomorrow", Promise::Tomorrow),
            ("It arrives today", Promise::Today),
            ("الطلب بيكون عندك باجر", Promise::Tomorrow),
            ("You will have it tomorrow", Promise::Tomorrow),
            ("It will be with you today", Promise::Today),
            ("توصلك الطلبية خلال ساعة", Promise::Hours),
            ("We deliver within two hours", Promise::Hours),
            ("يوصلك يوم الأحد", Promise::Weekday),
            ("It arrives on Sunday", Promise::Weekday),
            ("التوصيل مجاني", Promise::Free),
            ("والتوصيل مجاناً لكل المحافظات", Promise::Free),
            ("ناخذه ببلاش", Promise::Free),
            ("Free delivery for you", Promise::Free),
            ("Delivery is free", Promise::Free),
            ("You get it for free", Promise::Free),
            ("انطيك اياه بنص السعر", Promise::Half),
            ("It is half price now", Promise::Half),
        ] {
            assert_eq!(promises(text), [promise], "{text}");
        }
    }

    #[test]
    fn what_promises_nothing_is_let_pass() {
        for text in [
            "",
            "شلون أساعدك اليوم؟",
            "التوصيل يستغرق يومين",
            "ما نوصل اليوم",
            "ما نكدر نوصل اليوم",
            "لن يصلك اليوم",
            "تحب نوصله اليوم؟",
            "Would you like it delivered today?",
            "We do not deliver today",
            "We cannot deliver tomorrow",
            "We can't deliver tomorrow",
            "التوصيل مو مجاني",
            "التوصيل غير مجاني",
            "Delivery is not free",
            "These times are free:",
            "Feel free to ask",
            "Are you free on Tuesday",
            "نص كيلو",
            "متوفر اليوم",
            "الموعد يوم الأحد الساعة 5",
            "شنو عندك اليوم؟",
            "المحل يفتح بعد ساعة",
        ] {
            assert_eq!(promises(text), [], "{text}");
        }
    }

    #[test]
    fn what_an_owner_speaks_of_may_be_promised() {
        for (text, promise) in [
            ("التوصيل: نوصل داخل بغداد بنفس اليوم", Promise::Today),
            ("التوصيل باليوم التالي", Promise::Tomorrow),
            ("Next day delivery", Promise::Tomorrow),
            ("نوصل داخل بغداد خلال 3 ساعات", Promise::Hours),
            ("التوصيل السبت والثلاثاء", Promise::Weekday),
            ("التوصيل مجاني فوق 50 الف", Promise::Free),
            ("free delivery in Baghdad", Promise::Free),
            ("الجمعة بنص السعر", Promise::Half),
        ] {
            assert!(spoken_of(text).contains(&promise), "{text}: {:?}", spoken_of(text));
        }
        assert_eq!(spoken_of("داخل بغداد خلال يومين بسعر 5000 دينار"), []);
    }
}
