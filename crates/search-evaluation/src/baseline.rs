//! Search by trigrams alone in the whole catalogue, for comparison: what a database's index of them would
//! find.

use std::collections::BTreeSet;

use domain::{systems::Product, text::fold_for_search};

/// Orders `products` by the number of the question's trigrams in their title, then by how few others it has.
pub(crate) fn order(asked: &str, products: &mut [&Product]) {
    let asked = trigrams(asked);
    let score = |product: &&Product| {
        let title = trigrams(product.listing.title.as_str());
        let shared = asked.intersection(&title).count();
        (shared * 10_000).checked_div(asked.len() + title.len()).unwrap_or_default()
    };
    products.sort_by_cached_key(|product| std::cmp::Reverse(score(product)));
}

/// Collects the trigrams of each word by itself, with its ends.
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
