//! The order in which products answer a question.

use std::collections::HashMap;

use super::{
    Synonyms,
    features::{Features, Near},
    words::{content, words},
};
use crate::catalogue::Product;

/// How little the first ranks differ (Cormack, Clarke and Büttcher, 2009).
const FUSION: f64 = 60.0;
/// Of what was asked for, how much a strong match has.
const STRONG: f64 = 0.55;
/// What is nearer than this is a match at all.
const MATCHES: f64 = 0.5;
/// What another word for the same thing counts.
const SYNONYM: f64 = 0.9;
/// What a match counts in the title, in a variant, in a category, in the description.
const FIELDS: [f64; 4] = [1.0, 0.85, 0.7, 0.5];

/// How well a product answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// It is what was asked for.
    Strong,
    /// It is the closest there is.
    Weak,
}

/// A product's place in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    /// Which of the products it is.
    pub position: usize,
    /// How well it answers.
    pub matched: Match,
}

/// One word that was asked for, with the others for the same thing.
struct Term(Vec<(Features, f64)>);

impl Term {
    fn near(&self, word: &Features) -> Near {
        self.0.iter().fold(Near::default(), |near, (own, counts)| near.or(own.near(word).scaled(*counts)))
    }
}

/// Orders `products` by how they answer `asked`, the best first. None is left out.
pub fn rank(asked: &str, products: &[Product], synonyms: &Synonyms) -> Vec<Ranked> {
    let terms: Vec<Term> = content(asked).iter().map(|word| term(word, synonyms)).collect();
    let mut known = HashMap::new();
    let near: Vec<Vec<Near>> = products.iter().map(|product| nearness(product, &terms, &mut known)).collect();
    let weights = weights(&near, terms.len());
    let total: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let scored = |pick: fn(&Near) -> f64| -> Vec<f64> {
        near.iter()
            .map(|terms| terms.iter().zip(&weights).map(|(near, w)| pick(near) * w).sum::<f64>() / total)
            .collect()
    };
    let readings = [scored(|near| near.stem), scored(|near| near.trigrams), scored(|near| near.skeleton)];
    let covered = scored(|near| if near.best() >= MATCHES { near.best() } else { 0.0 });
    let fused: Vec<f64> = fused(&readings, products.len());
    let raw = |at: usize| readings.iter().filter_map(|scores| scores.get(at)).sum::<f64>();
    let of = |scores: &[f64], at: usize| scores.get(at).copied().unwrap_or_default();
    let mut order: Vec<usize> = (0..products.len()).collect();
    order.sort_by(|&a, &b| {
        of(&fused, b).total_cmp(&of(&fused, a)).then_with(|| raw(b).total_cmp(&raw(a))).then(a.cmp(&b))
    });
    let matched = |at| if of(&covered, at) >= STRONG { Match::Strong } else { Match::Weak };
    order.into_iter().map(|position| Ranked { position, matched: matched(position) }).collect()
}

fn term(word: &str, synonyms: &Synonyms) -> Term {
    let own = (Features::of(word), 1.0);
    let others = synonyms.of(word).into_iter().map(|other| (Features::of(&other), SYNONYM));
    Term(std::iter::once(own).chain(others).collect())
}

/// How near each term comes to a product. Words are many products': each is compared once.
fn nearness(product: &Product, terms: &[Term], known: &mut HashMap<String, Vec<Near>>) -> Vec<Near> {
    let mut best = vec![Near::default(); terms.len()];
    for (text, counts) in texts(product) {
        for word in words(text) {
            let near = known.entry(word).or_insert_with_key(|word| {
                let word = Features::of(word);
                terms.iter().map(|term| term.near(&word)).collect()
            });
            for (best, near) in best.iter_mut().zip(near) {
                *best = best.or(near.scaled(counts));
            }
        }
    }
    best
}

/// What a product says of itself, and what each counts.
fn texts(product: &Product) -> impl Iterator<Item = (&str, f64)> {
    let [title, variant, category, description] = FIELDS;
    let variants = product.variants.iter().flat_map(move |it| {
        let options = it.options.iter().map(move |(_, value)| (value.as_str(), variant));
        std::iter::once((it.listing.title.as_str(), variant)).chain(options)
    });
    std::iter::once((product.listing.title.as_str(), title))
        .chain(variants)
        .chain(product.categories.iter().map(move |it| (it.as_str(), category)))
        .chain(product.description.iter().map(move |it| (it.as_str(), description)))
}

/// What each term counts: the fewer products have it the more, and most where none has.
fn weights(near: &[Vec<Near>], terms: usize) -> Vec<f64> {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let having = |term: usize| {
        near.iter().filter(|terms| terms.get(term).is_some_and(|near| near.best() >= MATCHES)).count()
    };
    (0..terms).map(|term| (1.0 + count(near.len()) / count(having(term).max(1))).ln()).collect()
}

/// Reciprocal rank fusion: who scores the same has the same rank, and who scores nothing has none.
fn fused(readings: &[Vec<f64>], products: usize) -> Vec<f64> {
    let mut fused = vec![0.0; products];
    for scores in readings {
        let mut sorted = scores.clone();
        sorted.sort_by(|a, b| b.total_cmp(a));
        for (fused, score) in fused.iter_mut().zip(scores).filter(|(_, score)| **score > 0.0) {
            let better = sorted.partition_point(|other| other > score);
            *fused += 1.0 / (FUSION + f64::from(u32::try_from(better).unwrap_or(u32::MAX)) + 1.0);
        }
    }
    fused
}
