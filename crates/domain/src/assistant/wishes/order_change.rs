//! Wishes of customers to change what they have ordered.

use std::sync::LazyLock;

use super::{List, read_lists, words_of};

static LISTS: LazyLock<[List; 7]> = LazyLock::new(|| {
    let names = ["orders", "of_orders", "changes", "changes_before", "asks_about", "denies", "wants"];
    read_lists(include_str!("order_change.txt"), names)
});

/// Returns whether the customer asks to change an order. What is not ordered yet, such as the size of a
/// product that they look at, changes by itself.
pub(in crate::assistant) fn asks_to_change(text: &str) -> bool {
    let [orders, of_orders, changes, changes_before, asks_about, denies, wants] = &*LISTS;
    let words = words_of(text);
    let begins = |word: &str| orders.0.iter().any(|order| word.starts_with(order.as_str()));
    let is_of_order = |word: &String| begins(word) || of_orders.has(word);
    let changes = words.iter().enumerate().any(|(at, word)| {
        let word = word.strip_prefix('و').filter(|bare| changes.has(bare)).unwrap_or(word);
        let behind = || words.get(at + 1).is_some_and(|next| next.starts_with("ال") || is_of_order(next));
        let asks = changes.has(word) || (changes_before.has(word) && behind());
        let before = words.iter().take(at).rev().find(|word| !wants.has(word));
        asks && !before.is_some_and(|before| denies.has(before))
    });
    words.iter().any(is_of_order) && changes && !asks_about.has_any(&words)
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
