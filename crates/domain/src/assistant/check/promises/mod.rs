//! Promises that hold no number: that something comes today or tomorrow, or costs nothing or half. Only the
//! owner can tell a model so.

use super::{
    clauses::{clauses, stands_at, without_offer, words_of},
    clock::is_weekday,
    denials::{COMFORTS, denies},
    words,
};

/// A promise that holds no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::assistant) enum Promise {
    Today,
    Tomorrow,
    Hours,
    Weekday,
    Free,
    Half,
}

impl Promise {
    pub(in crate::assistant) const fn is_of_price(self) -> bool {
        matches!(self, Self::Free | Self::Half)
    }
}

/// Words that say that something comes. A star stands for any ending. All words here are as
/// [`crate::text::fold_for_search`] leaves them.
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
    "نشحن*",
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
    "dispatch*",
    "receive*",
];
/// Words that together say that something comes, written as claims are.
const COMES_TOGETHER: &[&str] = &[
    "يكون _عندك",
    "بيكون _عندك",
    "تكون _عندك",
    "بتكون _عندك",
    "يكون _يمك",
    "you have _it",
    "you have _them",
    "you will have _it",
    "you will have _them",
    "expect _it",
    "it _to _you",
    "it comes",
    "order comes",
    "parcel comes",
    "get _it",
    "get _them",
    "get your order*",
    "be _with _you",
    "we send",
    "will send",
    "ll send",
    "i send",
    "i can send",
];
const DAY: &[&str] = &["يوم", "اليوم", "day"];
const TODAY: &[&str] = &["اليوم", "هاليوم", "الليله", "today", "tonight"];
const SAME: &[&str] = &["نفس", "same"];
const TOMORROW: &[&str] = &["باجر", "باچر", "بكره", "بكرا", "غدا", "غد", "tomorrow"];
/// Words that, behind a day, mean the one after it.
const FOLLOWING: &[&str] = &["التالي", "الثاني", "القادم"];
/// Words before what goes on all day.
const WHOLE: &[&str] = &["طول", "طوال", "كل"];
/// Words for hours and minutes; the Arabic hour is a watch, too.
const HOURS: &[&str] = &["ساعه", "ساعتين", "ساعات", "دقيقه", "دقايق", "hour", "hours", "minutes"];
/// Words before hours in which something comes.
const WITHIN: &[&str] = &[
    "خلال", "غضون", "بعد", "اقل", "باقل", "كم", "نص", "نصف", "ربع", "within", "in", "under", "less", "after",
    "an", "half", "few",
];
/// Words beside the hours of a shop.
const SHOPS: &[&str] = &["الدوام", "دوام", "العمل", "عمل", "working", "opening", "business", "office", "our"];
const FREE: &[&str] = &["مجان*", "المجان*", "ببلاش", "بلاش"];
/// English words that, before "free", make what comes free.
const IS: &[&str] = &["is", "are", "s", "be", "also", "always", "completely", "totally", "absolutely"];
const GOODS: &[&str] = &["deliver*", "shipping", "gift*", "sample*"];
const SENT: &[&str] = &["deliver*", "shipping"];
const CHARGES: &[&str] = &["charge", "charges", "cost"];
const HALF: &[&str] = &["نص", "نصف", "بنص", "بنصف", "half"];
const PRICE: &[&str] = &["السعر", "سعر", "سعره", "سعرها", "الثمن", "price", "off"];
/// Number of words after a denial that it covers.
const DENIED: usize = 4;
/// Words that end a denial.
const BUT: &[&str] = &["بس", "لكن", "ولكن", "but", "and"];
/// Words that deny here, besides those that always do. `لا` does not where it answers by itself: "no, the
/// delivery".
const NO: &[&str] = &["لا", "no"];
/// Words that, after "not", say that there is none.
const THERE: &[&str] =
    &["متوفر*", "متاح*", "ممكن*", "موجود*", "يصير", "يشمل", "available", "possible", "offered", "included"];
/// Letters that Arabic writes before a word.
const PREFIXES: [char; 5] = ['و', 'ف', 'س', 'ب', 'ل'];

/// Lists what the owner's text speaks of and does not deny, in whatever way: that may be promised.
pub(in crate::assistant) fn spoken_of(owner: &str) -> Vec<Promise> {
    let mut found = Vec::new();
    for clause in clauses(owner) {
        for line in clause.split('\n') {
            let words: Vec<&str> = words_of(line).collect();
            found.extend(times(&words, is_hours));
            found.extend(standing(&words, [(Promise::Free, is_called_free), (Promise::Half, is_half)]));
        }
    }
    found
}

/// Lists what a text promises, without what it offers in a question.
pub(in crate::assistant) fn promises(text: &str) -> Vec<Promise> {
    let mut found = Vec::new();
    for clause in clauses(text) {
        let words = without_offer(&clause);
        if stands(&words, comes_at) {
            found.extend(times(&words, is_within_hours));
        }
        found.extend(standing(&words, [(Promise::Free, is_free), (Promise::Half, is_half)]));
    }
    found
}

type Stands = fn(&[&str], usize) -> bool;

/// Returns whether something stands anywhere, not denied.
fn stands(words: &[&str], is: Stands) -> bool {
    (0..words.len()).any(|at| is(words, at) && !is_denied(words, at))
}

fn standing<const N: usize>(words: &[&str], all: [(Promise, Stands); N]) -> Vec<Promise> {
    all.into_iter().filter(|(_, is)| stands(words, *is)).map(|(promise, _)| promise).collect()
}

/// Lists the times at which something may come that the words name and do not deny.
fn times(words: &[&str], is_in_hours: Stands) -> Vec<Promise> {
    let times: [(Promise, Stands); 4] = [
        (Promise::Today, is_today),
        (Promise::Tomorrow, is_tomorrow),
        (Promise::Hours, is_in_hours),
        (Promise::Weekday, is_on_a_weekday),
    ];
    standing(words, times)
}

fn word<'a>(words: &[&'a str], at: Option<usize>) -> &'a str {
    at.and_then(|at| words.get(at)).copied().unwrap_or_default()
}

fn is_today(words: &[&str], at: usize) -> bool {
    let (before, this, after) = around(words, at);
    let is_same = is_one_of(before, SAME) && DAY.contains(&this);
    is_same || (is_one_of(this, TODAY) && !FOLLOWING.contains(&after) && !WHOLE.contains(&before))
}

fn is_tomorrow(words: &[&str], at: usize) -> bool {
    let (_, this, after) = around(words, at);
    let is_next = this == "next" && (1..=2).any(|steps| word(words, Some(at + steps)) == "day");
    is_next || is_one_of(this, TOMORROW) || (is_one_of(this, DAY) && FOLLOWING.contains(&after))
}

/// Returns whether hours stand there, and not those of a shop.
fn is_hours(words: &[&str], at: usize) -> bool {
    let (before, this, after) = around(words, at);
    is_one_of(this, HOURS) && ![before, after].iter().any(|word| SHOPS.contains(word))
}

fn is_within_hours(words: &[&str], at: usize) -> bool {
    let (before, this, _) = around(words, at);
    let is_number = before.starts_with(|c: char| c.is_ascii_digit()) || words::read(before).is_some();
    let is_within = |steps| is_one_of(word(words, at.checked_sub(steps)), WITHIN);
    is_hours(words, at) && (is_number || this.starts_with('ب') || (1..=3).any(is_within))
}

fn is_on_a_weekday(words: &[&str], at: usize) -> bool {
    spellings(word(words, Some(at))).any(is_weekday)
}

fn around<'a>(words: &[&'a str], at: usize) -> (&'a str, &'a str, &'a str) {
    (word(words, at.checked_sub(1)), word(words, Some(at)), word(words, at.checked_add(1)))
}

fn comes_at(words: &[&str], at: usize) -> bool {
    is_one_of(word(words, Some(at)), COMES) || COMES_TOGETHER.iter().any(|said| stands_at(words, at, said))
}

/// Returns whether the word there says that something costs nothing. In English, a time may be free, too, and
/// so may food of something.
fn is_free(words: &[&str], at: usize) -> bool {
    let (before, this, after) = around(words, at);
    let is_of_charge = after == "of" && CHARGES.contains(&word(words, at.checked_add(2)));
    let is_sent = || words.iter().any(|word| is_one_of(word, SENT));
    let is_priced = is_one_of(after, GOODS) || is_of_charge || before == "for";
    is_one_of(this, FREE) || (this == "free" && (is_priced || (IS.contains(&before) && is_sent())))
}

fn is_called_free(words: &[&str], at: usize) -> bool {
    let this = word(words, Some(at));
    is_one_of(this, FREE) || this == "free"
}

fn is_half(words: &[&str], at: usize) -> bool {
    let (_, this, after) = around(words, at);
    let of = if after == "the" { word(words, at.checked_add(2)) } else { after };
    is_one_of(this, HALF) && is_one_of(of, PRICE)
}

/// Returns whether what stands there is denied, by what is before it or by what comes after.
fn is_denied(words: &[&str], at: usize) -> bool {
    let denies_here = |place: usize| {
        let (_, this, after) = around(words, place);
        let this = this.strip_prefix('و').unwrap_or(this);
        let is_no = NO.contains(&this) && !COMFORTS.contains(&after) && !after.starts_with("ال");
        is_no || denies(words, place)
    };
    let reaches = |place: &usize| !BUT.contains(&word(words, Some(*place)));
    let before = (at.saturating_sub(DENIED)..at).rev().take_while(reaches).any(denies_here);
    let next_to = matches!(word(words, at.checked_sub(1)), "غير" | "بدون");
    let after = (at..words.len()).take_while(reaches).any(|place| {
        let is_there = |steps| is_one_of(word(words, place.checked_add(steps)), THERE);
        (denies_here(place) || word(words, Some(place)) == "غير") && (1..=2).any(is_there)
    });
    before || next_to || after
}

/// Lists a word, and what is left of it without a letter that Arabic writes before it.
fn spellings(word: &str) -> impl Iterator<Item = &str> {
    let without_prefix = word.strip_prefix(PREFIXES).filter(|rest| rest.chars().count() > 2);
    [Some(word), without_prefix].into_iter().flatten()
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    spellings(word).any(|word| {
        list.iter().any(|wanted| match wanted.strip_suffix('*') {
            Some(stem) => word.starts_with(stem),
            None => word == *wanted,
        })
    })
}

#[cfg(test)]
mod tests;
