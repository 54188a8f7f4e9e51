//! Wishes of customers to cancel something.

use std::sync::LazyLock;

use crate::text::fold_for_search;

/// Stems of words that ask for it, which have one of [`ENDINGS`]. All words here are as [`fold_for_search`]
/// leaves them.
const CANCELS: &[&str] = &[
    "الغ",
    "الغي",
    "الغو",
    "الغاء",
    "تلغ",
    "تلغي",
    "تلغو",
    "نلغي",
    "كنسل",
    "كنسلي",
    "كنسلو",
    "اكنسل",
    "تكنسل",
    "تكنسلو",
    "cancel",
    "cancellation",
];
/// Endings that say whom or what it is done to, or for.
const ENDINGS: &[&str] = &["", "ا", "ه", "ها", "هم", "هن", "ن", "لي", "لنا", "لياه", "ولي", "ولياه"];
/// Phrases that ask for it as they stand.
const PHRASES: &[&str] = &[
    "بطلت",
    "بطلنا",
    "تراجعت عن",
    "تراجعت",
    "ما اريده بعد",
    "ما اريدها بعد",
    "بعد ما اريده",
    "بعد ما اريدها",
    "ما اريد الطلب",
    "ما اريد طلبي",
    "ما ابي الطلب",
    "ما ابغي الطلب",
    "ما بدي الطلب",
    "مش عايز الطلب",
    "مو عايز الطلب",
    "لا ترسلوه",
    "لا ترسلون",
    "لا تدزوه",
    "لا تدزون",
    "لا تدزه",
    "لا تشحنوه",
    "لا توصلوه",
    "وقف الطلب",
    "وقفوا الطلب",
    "وقفوا طلبي",
    "اوقف الطلب",
    "اوقفوا الطلب",
    "شيل الطلب",
    "شيلوا الطلب",
    "امسح الطلب",
    "امسحوا الطلب",
    "احذف الطلب",
    "احذفوا الطلب",
    "حذف الطلب",
    "عوف الطلب",
    "عوفوا الطلب",
    "don t want it anymore",
    "do not want it anymore",
    "dont want it anymore",
    "don t want the order",
    "dont want the order",
    "do not want the order",
    "no longer want",
    "changed my mind",
    "call it off",
    "call off",
    "stop the order",
    "stop my order",
    "don t send it",
    "dont send it",
    "do not send it",
    "don t ship it",
    "dont ship it",
    "don t deliver",
    "dont deliver",
    "delete my order",
    "delete the order",
    "remove my order",
    "withdraw my order",
    "scrap the order",
];
/// Beginnings of Sorani words that ask for it, and Sorani words of a question about it, before they are folded.
const SORANI: &[&str] = &["هەڵبوەش", "هەڵوەش", "هەڵیبوەش", "هەڵیوەش", "کانسڵ", "کانسەڵ", "کەنسڵ", "کەنسەڵ"];
const SORANI_ASKS_ABOUT: &[&str] = &["ئەگەر", "چۆن"];
static SORANI_FOLDED: LazyLock<[Vec<String>; 2]> = LazyLock::new(|| {
    [SORANI, SORANI_ASKS_ABOUT].map(|words| words.iter().map(|word| fold_for_search(word)).collect())
});
/// Words of a question about what a cancellation would be.
const ASKS_ABOUT: &[&str] = &[
    "اذا",
    "لو",
    "شلون",
    "كيف",
    "سياسه",
    "شروط",
    "مده",
    "رسوم",
    "بعدين",
    "if",
    "how",
    "policy",
    "fee",
    "fees",
    "later",
    "until",
    "happens",
    "charge",
];
/// Words behind which nothing is to be cancelled.
const DENIES: &[&str] = &["لا", "ما", "مو", "مش", "بدون", "not", "dont", "t", "never", "without"];
/// Words of wanting, which may stand between one of [`DENIES`] and what it denies.
const WANTS: &[&str] = &["اريد", "ابي", "ابغي", "بدي", "want", "to"];
pub(super) fn asks_to_cancel(text: &str) -> bool {
    let words = words(text);
    let said = format!(" {} ", words.join(" "));
    // In "if you please", `لو` is no condition.
    let [sorani, sorani_about] = &*SORANI_FOLDED;
    let asks_about =
        |word: &str| ASKS_ABOUT.contains(&word) || sorani_about.iter().any(|about| about == word);
    let is_about = said.replace(" لو سمحت", " ").split(' ').any(asks_about);
    let in_sorani = || words.iter().any(|word| sorani.iter().any(|stem| word.starts_with(stem.as_str())));
    let cancels = words.iter().enumerate().any(|(at, word)| {
        let bare = word.strip_prefix('و').unwrap_or(word);
        let bare = bare.strip_prefix("ال").filter(|rest| rest.starts_with("الغاء")).unwrap_or(bare);
        let before = words.iter().take(at).rev().find(|word| !WANTS.contains(&word.as_str()));
        let before = before.map_or("", String::as_str);
        // "No, cancel it" asks for it; "do not cancel it" does not.
        let is_denied = DENIES.contains(&before) && (before != "لا" || bare.starts_with('ت'));
        let is_ended = |ending: &str| ENDINGS.contains(&ending);
        CANCELS.iter().any(|stem| bare.strip_prefix(stem).is_some_and(is_ended)) && !is_denied
    });
    let is_said = || PHRASES.iter().any(|phrase| said.contains(&format!(" {phrase} ")));
    !is_about && (cancels || is_said() || in_sorani())
}

fn words(text: &str) -> Vec<String> {
    let folded = fold_for_search(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_written_as_it_is_compared() {
        for word in [CANCELS, ENDINGS, PHRASES, ASKS_ABOUT, DENIES, WANTS].into_iter().flatten() {
            assert_eq!(fold_for_search(word), *word);
        }
    }

    #[test]
    fn who_asks_to_cancel_is_understood() {
        for text in [
            "الغي الطلب ما اريده",
            "ألغوا الطلب",
            "الغوه",
            "الغيه لو سمحت",
            "اريد إلغاء الطلب",
            "اريد الالغاء",
            "أريد ألغي طلبي رقم 5004",
            "ممكن تلغي الطلب؟",
            "لا، الغي الطلب",
            "لا، اريد الغي الطلب",
            "كنسل الطلب",
            "كنسلوه",
            "اكنسل طلبي",
            "بطلت، ما اريده",
            "لا تدزوه",
            "وقفوا الطلب رجاءً",
            "ما اريد الطلب",
            "تراجعت عن الطلب",
            "cancel it",
            "Cancel my order please",
            "I want to cancel",
            "can you cancel the order?",
            "please cancel order 5004",
            "I don't want it anymore",
            "I changed my mind",
            "don't send it",
            "داواکارییەکەم هەڵبوەشێنەوە",
            "دەمەوێت هەڵیبوەشێنمەوە",
            "کانسڵی بکە",
        ] {
            assert!(asks_to_cancel(text), "{text}");
        }
        for text in [
            "شكد سعر الحليب",
            "اريد حليب",
            "لا تلغي الطلب",
            "ما اريد الغي الطلب",
            "I don't want to cancel",
            "don't cancel it",
            "do not cancel my order",
            "شلون اقدر الغي الطلب بعدين؟",
            "what is your cancellation policy?",
            "what happens if I cancel?",
            "ما اريد هذا اللون",
            "اريد لغة انكليزية",
            "عندكم قطع الغيار؟",
            "noise cancelling headphones",
            "is my order cancelled?",
            "چۆن هەڵیبوەشێنمەوە؟",
            "داواکارییەکەم لە کوێیە؟",
            "",
        ] {
            assert!(!asks_to_cancel(text), "{text}");
        }
    }
}
