//! Wishes of customers to cancel something.

use std::sync::LazyLock;

use super::{List, read_lists, words_of};

static LISTS: LazyLock<[List; 6]> = LazyLock::new(|| {
    let names = ["cancels", "endings", "phrases", "asks_about", "denies", "wants"];
    read_lists(include_str!("cancellation.txt"), names)
});

/// Returns whether a customer asks to cancel something.
pub(in crate::assistant) fn asks_to_cancel(text: &str) -> bool {
    let [cancels, endings, phrases, asks_about, denies, wants] = &*LISTS;
    let words = words_of(text);
    let said = format!(" {} ", words.join(" "));
    // In "if you please", `لو` is no condition.
    let is_about = said.replace(" لو سمحت", " ").split(' ').any(|word| asks_about.has(word));
    let cancels = words.iter().enumerate().any(|(at, word)| {
        let bare = word.strip_prefix('و').unwrap_or(word);
        let bare = bare.strip_prefix("ال").filter(|rest| rest.starts_with("الغاء")).unwrap_or(bare);
        let before = words.iter().take(at).rev().find(|word| !wants.has(word));
        let before = before.map_or("", String::as_str);
        // "No, cancel it" asks for it; "do not cancel it" does not.
        let is_denied = denies.has(before) && (!matches!(before, "لا" | "la") || bare.starts_with(['ت', 't']));
        let is_ended = |ending: &str| ending.is_empty() || endings.has(ending);
        cancels.0.iter().any(|stem| bare.strip_prefix(stem.as_str()).is_some_and(is_ended)) && !is_denied
    });
    let is_said = || phrases.0.iter().any(|phrase| said.contains(&format!(" {phrase} ")));
    !is_about && (cancels || is_said())
}

#[cfg(test)]
mod tests {
    use super::*;

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
