//! Wishes of customers to cancel something.

use crate::{language::plain_letter, text::fold_for_search};

/// Stems of words that ask for it, which have one of [`ENDINGS`]. All words here are as [`fold_for_search`]
/// leaves them, with one letter for those that Kurdish keyboards have.
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
    "ilghi",
    "elghi",
    "alghi",
    "ilghee",
    "elghee",
    "alghee",
    "ilgheeh",
    "elgheeh",
    "ilgho",
    "elgho",
    "alghoo",
    "ilghoo",
    "ilgha2",
    "ilgha",
    "cansel",
    "kansil",
    "kansel",
    "kanslo",
    "kanselo",
    "tilghi",
    "tilghee",
    "telghi",
    "ههلوهشاندنهوه",
    "ههلوهشاندنهوهي",
    "ههليوهشينهوه",
    "ههليبوهشينهوه",
    "ههلبوهشينهوه",
    "ههلوهشينهوه",
    "ههليوهشيننهوه",
    "ههليبوهشيننهوه",
    "ههلبوهشيننهوه",
    "ههلوهشيننهوه",
    "ههلبوهشينمهوه",
    "ههليبوهشينمهوه",
    "ههليوهشينمهوه",
    "ههلدهوهشينمهوه",
    "ههلبوهشيتهوه",
    "كانسل",
    "كانسلي",
    "كهنسل",
    "كهنسلي",
    "كهنسهل",
    "كهنسهلي",
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
    "battalit",
    "batalit",
    "ma areed il talab",
    "ma areed el talab",
    "ma areed al talab",
    "ma areeda ba3ad",
    "la tdizoo",
    "la tdizooh",
    "la tdizzoo",
    "wagfo il talab",
    "waqfo il talab",
    "پهشيمان بوومهوه",
    "پهشيمانم",
    "پهشيمان بووم",
    "ييتر نامهويت",
    "ييتر نامهوي",
    "داواكارييهكهم نامهويت",
    "داواكارييهكه نامهويت",
    "داواكارييهكهم ناويت",
    "داواكهم نامهويت",
    "مهينيرن",
    "مهينيره",
    "مهينيرن بوم",
];
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
    "itha",
    "shlon",
    "يهگهر",
    "چون",
    "مهرج",
    "مهرجي",
    "مهرجهكاني",
];
/// Words behind which nothing is to be cancelled.
const DENIES: &[&str] = &[
    "لا",
    "ما",
    "مو",
    "مش",
    "بدون",
    "not",
    "dont",
    "t",
    "never",
    "without",
    "la",
    "ma",
    "mo",
    "نامهويت",
    "نامهوي",
];
/// Words of wanting, which may stand between one of [`DENIES`] and what it denies.
const WANTS: &[&str] = &["اريد", "ابي", "ابغي", "بدي", "want", "to", "areed", "arid", "داواكارييهكه"];

/// Returns whether a customer asks to cancel something.
pub(super) fn asks_to_cancel(text: &str) -> bool {
    let words = words(text);
    let said = format!(" {} ", words.join(" "));
    // In "if you please", `لو` is no condition.
    let is_about = said.replace(" لو سمحت", " ").split(' ').any(|word| ASKS_ABOUT.contains(&word));
    let cancels = words.iter().enumerate().any(|(at, word)| {
        let bare = word.strip_prefix('و').unwrap_or(word);
        let bare = bare.strip_prefix("ال").filter(|rest| rest.starts_with("الغاء")).unwrap_or(bare);
        let before = words.iter().take(at).rev().find(|word| !WANTS.contains(&word.as_str()));
        let before = before.map_or("", String::as_str);
        // "No, cancel it" asks for it; "do not cancel it" does not.
        let is_denied =
            DENIES.contains(&before) && (!matches!(before, "لا" | "la") || bare.starts_with(['ت', 't']));
        let is_ended = |ending: &str| ENDINGS.contains(&ending);
        CANCELS.iter().any(|stem| bare.strip_prefix(stem).is_some_and(is_ended)) && !is_denied
    });
    let is_said = || PHRASES.iter().any(|phrase| said.contains(&format!(" {phrase} ")));
    !is_about && (cancels || is_said())
}

fn words(text: &str) -> Vec<String> {
    let folded: String = fold_for_search(text).chars().map(plain_letter).collect();
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_written_as_it_is_compared() {
        for word in [CANCELS, ENDINGS, PHRASES, ASKS_ABOUT, DENIES, WANTS].into_iter().flatten() {
            assert_eq!(words(word).join(" "), *word);
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
            "ilghi il talab",
            "areed alghi talabi",
            "la, ilgheeh",
            "battalit",
            "داواکارییەکەم هەڵبوەشێننەوە",
            "دەمەوێت داواکارییەکە هەڵبوەشێنمەوە",
            "تکایە کانسڵی بکە",
            "داواکارییەکەم هەڵبوەشێنەوە",
            "دەمەوێت هەڵیبوەشێنمەوە",
            "کانسڵی بکە",
            "پەشیمان بوومەوە",
            "ئیتر نامەوێت",
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
            "la tilghi il talab",
            "ma areed alghi",
            "هەڵی مەوەشێنەوە",
            "نامەوێت هەڵیبوەشێنمەوە",
            "مەرجی هەڵوەشاندنەوە چییە؟",
            "چۆن دەتوانم هەڵیبوەشێنمەوە؟",
            "چۆن هەڵیبوەشێنمەوە؟",
            "داواکارییەکەم لە کوێیە؟",
            "",
        ] {
            assert!(!asks_to_cancel(text), "{text}");
        }
    }
}
