//! What trigrams alone find in the whole catalogue, to compare with: what a database's index of them would.

use std::collections::BTreeSet;

use domain::{catalogue::Product, text::fold_for_search};

/// Orders `products` by how many of the question's trigrams stand in their title, and then by how few others do.
pub(crate) fn order(asked: &str, products: &mut [&Product]) {
    let asked = trigrams(asked);
    let score = |product: &&Product| {
        let title = trigrams(product.listing.title.as_str());
        let shared = asked.intersection(&title).count();
        (shared * 10_000).checked_div(asked.len() + title.len()).unwrap_or_default()
    };
    products.sort_by_cached_key(|product| std::cmp::Reverse(score(product)));
}

/// Of each word by itself, with its ends.
fn trigrams(text: &str) -> BTreeSet<[char; 3]> {
    let folded = fold_for_search(text);
    let words = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words
        .flat_map(|word| {
            let padded: Vec<char> = [' ', ' '].into_iter().chain(word.chars()).chain([' ']).collect();
            padded.windows(3).filter_map(|three| three.try_into().ok()).collect::<Vec<[char; 3]>>()
        })
        .collect()
}
