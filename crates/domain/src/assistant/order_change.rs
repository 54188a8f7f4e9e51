//! Wishes of customers to change what they have ordered.

use std::sync::LazyLock;

use crate::text::fold_for_search;

/// Beginnings of words for an order that was placed.
const ORDERS: &[&str] = &[
    "طلبي",
    "الطلب",
    "لطلب",
    "طلبيتي",
    "طلبتي",
    "طلبت",
    "بطلبي",
    "عالطلب",
    "اوردر",
    "الاوردر",
    "order",
    "داواکاری",
    "داواکارییەکەم",
    "ئۆردەر",
];
/// Words of where and to whom it goes, which nothing but an order has.
const OF_ORDERS: &[&str] =
    &["العنوان", "عنواني", "عنوان", "address", "ناونیشان", "ناونیشانەکەم", "ناونیشانم"];
/// Words that ask for a change, as they stand.
const CHANGES: &[&str] = &[
    "اغير",
    "اغيره",
    "اغيرها",
    "تغير",
    "تغيرون",
    "تغيرولي",
    "تغييرون",
    "نغير",
    "غيروا",
    "غيرو",
    "غيرولي",
    "غيرلي",
    "غيره",
    "تغيير",
    "ابدل",
    "ابدله",
    "ابدلها",
    "تبدل",
    "تبدلون",
    "تبدلولي",
    "نبدل",
    "بدلوا",
    "بدلو",
    "بدلولي",
    "بدلي",
    "بدله",
    "تبديل",
    "اعدل",
    "تعدل",
    "تعدلون",
    "نعدل",
    "عدلوا",
    "عدلو",
    "عدلولي",
    "عدلي",
    "تعديل",
    "اضيف",
    "ضيفوا",
    "ضيفولي",
    "اضافه",
    "change",
    "edit",
    "modify",
    "update",
    "switch",
    "swap",
    "replace",
    "correct",
    "add",
    "بگۆڕە",
    "بگۆڕن",
    "بگۆڕم",
    "گۆڕین",
    "گۆڕان",
    "بیگۆڕە",
    "بیگۆڕن",
];
/// Words that ask for it only right before what is changed: they also say "other" or "instead".
const CHANGES_BEFORE: &[&str] = &["غير", "بدل", "عدل"];
/// Words of a question about what a change would be.
const ASKS_ABOUT: &[&str] = &["اذا", "لو", "سياسه", "شروط", "رسوم", "بعدين", "if", "policy", "fee", "later"];
/// Words behind which nothing is to be changed.
const DENIES: &[&str] = &["لا", "ما", "مو", "مش", "بدون", "not", "dont", "t", "never", "without", "مەی"];
/// Words of wanting, which may stand between one of [`DENIES`] and what it denies.
const WANTS: &[&str] = &["اريد", "ابي", "ابغي", "بدي", "want", "to"];

/// The lists as they are compared.
static FOLDED: LazyLock<[Vec<String>; 5]> = LazyLock::new(|| {
    [ORDERS, OF_ORDERS, CHANGES, CHANGES_BEFORE, ASKS_ABOUT]
        .map(|words| words.iter().map(|word| fold_for_search(word)).collect())
});

/// Returns whether the customer asks to change an order. What is not ordered yet, such as the size of a
/// product that they look at, changes by itself.
pub(super) fn asks_to_change(text: &str) -> bool {
    let [orders, of_orders, changes, changes_before, about] = &*FOLDED;
    let folded = fold_for_search(text);
    let words: Vec<&str> =
        folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let has = |list: &Vec<String>, word: &str| list.iter().any(|listed| listed == word);
    let begins = |word: &str| orders.iter().any(|order| word.starts_with(order.as_str()));
    let is_of_order = |word: &&str| begins(word) || has(of_orders, word);
    let names_order = words.iter().any(is_of_order);
    let changes = words.iter().enumerate().any(|(at, word)| {
        let word = word.strip_prefix('و').filter(|bare| has(changes, bare)).unwrap_or(*word);
        let behind = || words.get(at + 1).is_some_and(|next| next.starts_with("ال") || is_of_order(next));
        let asks = has(changes, word) || (has(changes_before, word) && behind());
        let before = words.iter().take(at).rev().find(|word| !WANTS.contains(word));
        asks && !before.is_some_and(|before| DENIES.contains(before))
    });
    names_order && changes && !words.iter().any(|word| has(about, word))
}

#[cfg(test)]
mod tests {
    use super::asks_to_change;

    #[test]
    fn who_asks_to_change_an_order_is_understood() {
        for text in [
            "اريد اغير العنوان",
            "ممكن تغيرون عنوان الطلب؟",
            "غير العنوان رجاءً، صار بالكرادة",
            "اريد ابدل القياس بطلبي الى L",
            "عدلوا الطلب خليه قطعتين",
            "اريد تعديل طلبي رقم 5004",
            "طلبت قميص M، بدلولي اياه L",
            "اضيف على الطلب حليب",
            "I want to change the address of my order",
            "can you update my order to size L?",
            "Please add one more to my order",
            "change the delivery address please",
            "how can I change my order",
            "ناونیشانەکەم بگۆڕە",
            "دەتوانن داواکارییەکەم بگۆڕن؟",
        ] {
            assert!(asks_to_change(text), "{text}");
        }
        for text in [
            "اكو غير لون؟",
            "اريد لون غير الاسود",
            "اريد اطلب حليب",
            "غير متوفر؟",
            "اريد اغير القياس الى L",
            "ما اريد اغير الطلب",
            "وين طلبي؟",
            "شنو عنوانكم؟",
            "what is your address?",
            "where is my order?",
            "I'd like to order milk",
            "don't change my order",
            "can I change it later if I order?",
            "اذا طلبت، اكدر اغير العنوان؟",
            "داواکارییەکەم لە کوێیە؟",
            "",
        ] {
            assert!(!asks_to_change(text), "{text}");
        }
    }
}
