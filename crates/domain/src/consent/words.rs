//! The words that are a yes or a no by themselves.
//!
//! A plain list: what is not in it is no answer, whatever it sounds like. Words that also mean "I have read
//! it", "go on" or "good" (تمام، اوكي، ok, موافق) are left out, and so are polite phrases.

use super::{answer::Answer, draft_kind::DraftKind};
use crate::text::fold_for_search;

/// Most characters of a text that is looked at; the words are far shorter.
const LONGEST: usize = 60;

/// Yes to any draft. All words here are as [`fold_for_search`] leaves them.
const YES: &[&str] = &[
    "نعم",
    "نعم نعم",
    "اي نعم",
    "اوكد",
    "نعم اوكد",
    "نعم اكد",
    "نعم اكيد",
    "نعم تاكيد",
    "تاكيد",
    "yes",
    "yes yes",
    "yes please",
    "yes confirm",
    "yes i confirm",
    "yes confirmed",
    "i confirm",
    "confirm",
];

/// Yes to an order or a booking.
const YES_TO_MAKING: &[&str] = &[
    "ثبت",
    "ثبته",
    "ثبتها",
    "ثبتوا",
    "ثبتوه",
    "نعم ثبت",
    "نعم ثبته",
    "نعم ثبتها",
    "نعم ثبتوا",
    "نعم ثبتوه",
    "اكد",
    "confirm it",
    "yes confirm it",
];

const YES_TO_ORDER: &[&str] = &[
    "ثبت الطلب",
    "ثبت طلبي",
    "ثبتوا الطلب",
    "نعم ثبت الطلب",
    "نعم ثبت طلبي",
    "نعم ثبتوا الطلب",
    "اكد الطلب",
    "اوكد الطلب",
    "نعم اكد الطلب",
    "نعم اوكد الطلب",
    "تاكيد الطلب",
    "confirm order",
    "confirm the order",
    "confirm my order",
    "yes confirm the order",
    "yes confirm my order",
    "i confirm the order",
];

const YES_TO_BOOKING: &[&str] = &[
    "ثبت الحجز",
    "ثبت الموعد",
    "ثبت حجزي",
    "ثبتوا الحجز",
    "نعم ثبت الحجز",
    "نعم ثبت الموعد",
    "اكد الحجز",
    "اكد الموعد",
    "اوكد الحجز",
    "اوكد الموعد",
    "نعم اكد الحجز",
    "نعم اوكد الحجز",
    "نعم اوكد الموعد",
    "تاكيد الحجز",
    "تاكيد الموعد",
    "confirm booking",
    "confirm the booking",
    "confirm my booking",
    "yes confirm the booking",
    "i confirm the booking",
];

const YES_TO_CANCELLATION: &[&str] = &[
    "نعم الغ",
    "نعم الغي",
    "نعم الغه",
    "نعم الغوه",
    "نعم الغ الطلب",
    "نعم الغي الطلب",
    "نعم الغوا الطلب",
    "نعم الغ طلبي",
    "نعم الغي طلبي",
    "اوكد الالغاء",
    "اكد الالغاء",
    "تاكيد الالغاء",
    "نعم اوكد الالغاء",
    "yes cancel",
    "yes cancel it",
    "yes cancel the order",
    "yes cancel my order",
    "confirm cancellation",
    "confirm the cancellation",
    "i confirm the cancellation",
];

const NO: &[&str] = &[
    "لا",
    "لا لا",
    "كلا",
    "لا شكرا",
    "لا اريد",
    "ما اريد",
    "مو هيج",
    "غير صحيح",
    "تعديل",
    "تغيير",
    "no",
    "no no",
    "no thanks",
    "no thank you",
    "change",
    "change it",
    "not correct",
];

/// No to an order or a booking.
const NO_TO_MAKING: &[&str] =
    &["الغ", "الغي", "الغاء", "لا تثبت", "لا تثبته", "cancel", "cancel it", "do not confirm"];

const NO_TO_CANCELLATION: &[&str] =
    &["تراجع", "لا تلغ", "لا تلغي", "لا تلغيه", "keep it", "keep the order", "keep my order", "do not cancel"];

/// Classifies `text` as an answer to a draft of that kind.
pub(super) fn read(kind: DraftKind, text: &str) -> Answer {
    if text.chars().nth(LONGEST).is_some() {
        return Answer::Other;
    }
    let said = bare(text);
    let said = said.as_str();
    let (yes, no): (&[&[&str]], &[&[&str]]) = match kind {
        DraftKind::Order => (&[YES, YES_TO_MAKING, YES_TO_ORDER], &[NO, NO_TO_MAKING]),
        DraftKind::Booking => (&[YES, YES_TO_MAKING, YES_TO_BOOKING], &[NO, NO_TO_MAKING]),
        DraftKind::Cancellation => (&[YES, YES_TO_CANCELLATION], &[NO, NO_TO_CANCELLATION]),
    };
    let holds = |lists: &[&[&str]]| lists.iter().any(|list| list.contains(&said));
    if holds(yes) {
        Answer::Yes
    } else if holds(no) {
        Answer::No
    } else {
        Answer::Other
    }
}

/// Returns the folded words, without full stops and exclamation marks at the end, and with commas as spaces.
/// Question marks and all other signs stay.
fn bare(text: &str) -> String {
    let folded = fold_for_search(text);
    let ended = folded.trim_end_matches(['.', '!', ' ']);
    let words = ended.split([',', '،', ' ']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTS: [&[&str]; 8] = [
        YES,
        YES_TO_MAKING,
        YES_TO_ORDER,
        YES_TO_BOOKING,
        YES_TO_CANCELLATION,
        NO,
        NO_TO_MAKING,
        NO_TO_CANCELLATION,
    ];

    #[test]
    fn every_word_is_written_as_it_is_compared() {
        for word in LISTS.iter().copied().flatten() {
            assert_eq!(bare(word), *word);
        }
    }

    #[test]
    fn no_word_says_both() {
        for yes in LISTS.iter().take(5).copied().flatten() {
            assert!(!LISTS.iter().skip(5).copied().flatten().any(|no| no == yes), "{yes}");
        }
    }
}
