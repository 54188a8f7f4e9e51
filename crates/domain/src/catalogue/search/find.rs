//! Search by the shop's own search, with other questions where the first finds little.

use std::{collections::HashSet, future::Future};

use futures_util::future::join_all;

use super::{
    asked::question,
    rank::{Match, rank},
    synonyms::Synonyms,
    variants::variants,
};
use crate::systems::Product;

/// Number of strong matches that makes further questions needless.
pub const ENOUGH_STRONG: usize = 3;

/// A product that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub product: Product,
    pub matched: Match,
}

/// Finds products for what a customer `asked`, best first. `ask` asks the shop's own search: with the
/// customer's words and, if these bring fewer than [`ENOUGH_STRONG`] strong matches, with up to three
/// variants concurrently.
///
/// # Errors
/// The error of the first question. A variant that fails brings nothing.
pub async fn find<F, A, E>(asked: &str, synonyms: &Synonyms, ask: F) -> Result<Vec<Found>, E>
where
    F: Fn(String) -> A,
    A: Future<Output = Result<Vec<Product>, E>>,
{
    let mut products = ask(question(asked, synonyms)).await?;
    keep_one_of_each(&mut products);
    let ranked = rank(asked, &products, synonyms);
    let strong = ranked.iter().filter(|it| it.matched == Match::Strong).count();
    let ranked = if strong < ENOUGH_STRONG {
        let answers = join_all(variants(asked, synonyms).into_iter().map(ask)).await;
        products.extend(answers.into_iter().filter_map(Result::ok).flatten());
        keep_one_of_each(&mut products);
        rank(asked, &products, synonyms)
    } else {
        ranked
    };
    let mut products: Vec<Option<Product>> = products.into_iter().map(Some).collect();
    let take = |it: super::Ranked| {
        let product = products.get_mut(it.position).and_then(Option::take)?;
        Some(Found { product, matched: it.matched })
    };
    Ok(ranked.into_iter().filter_map(take).collect())
}

fn keep_one_of_each(products: &mut Vec<Product>) {
    let mut seen = HashSet::new();
    products.retain(|product| seen.insert(product.listing.id.clone()));
}
