//! The order in which products answer a question.

use std::collections::HashMap;

use super::{
    Synonyms,
    features::{Features, Near, Shape},
    words::{content, counts, words},
};
use crate::catalogue::Product;

/// It says how little the first ranks differ (Cormack, Clarke and Büttcher, 2009).
const FUSION: f64 = 60.0;
/// A strong match has so much of what was asked for.
const STRONG: f64 = 0.55;
/// What is nearer than this is a match at all.
const MATCHES: f64 = 0.5;
/// Another word for the same thing counts so much.
const SYNONYM: f64 = 0.9;
/// It is what a match counts at the head of the title, in the rest of it, in a variant, in a category, in the
/// description.
const FIELDS: [f64; 5] = [1.0, 0.9, 0.85, 0.6, 0.45];
/// It says how much more a word counts that no product has than one that all have.
const RARE: f64 = 2.5;
/// Two words that may be one have together at most so many characters (`باور بانك`).
const LONGEST_JOINED: usize = 14;

/// It says how well a product answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// It is what was asked for.
    Strong,
    /// It is the closest there is.
    Weak,
}

/// It is a product's place in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    /// It says which of the products it is.
    pub position: usize,
    /// It says how well the product answers.
    pub matched: Match,
}

/// It is one word that was asked for, with what else stands for it.
struct Term {
    own: Features,
    others: Vec<Features>,
    /// They are two words of the question that may be one in a title, and other words for them.
    joined: Vec<Features>,
    counts: f64,
}

impl Term {
    /// Says whether a word of this shape is none of what is meant, seen without a closer look.
    fn is_far(&self, shape: Shape) -> bool {
        self.own.is_far(shape) && self.others.iter().chain(&self.joined).all(|it| !it.has_nearly(shape))
    }

    /// Says whether a word of this shape, written as two, may be what is meant.
    fn may_be(&self, shape: Shape) -> bool {
        let mut all = std::iter::once(&self.own).chain(&self.others).chain(&self.joined);
        all.any(|it| it.has_nearly(shape))
    }

    fn near(&self, word: &Features) -> Near {
        let others = self.others.iter().map(|other| other.stands_for(word).scaled(SYNONYM));
        let joined = self.joined.iter().map(|joined| joined.stands_for(word).scaled(SYNONYM));
        others.chain(joined).fold(self.own.near(word), Near::or)
    }
}

/// Orders `products` by how they answer `asked`, the best first. None is left out.
pub fn rank(asked: &str, products: &[Product], synonyms: &Synonyms) -> Vec<Ranked> {
    let terms = terms(asked, synonyms);
    let mut comparison = Comparison::new(&terms);
    let near: Vec<Vec<Near>> = products.iter().map(|product| comparison.with(product)).collect();
    let weights = weights(&near, &terms);
    let even: Vec<f64> = terms.iter().map(|term| term.counts).collect();
    let scored = |pick: fn(&Near) -> f64| shares(&near, &weights, pick);
    let readings = [
        scored(|near| near.stem),
        scored(|near| near.trigrams),
        scored(|near| near.skeleton),
        scored(|near| near.best()),
    ];
    // What is rare counts more, and no less is asked where every word counts the same: what others have, too, is wanted.
    let matching = |near: &Near| if near.best() >= MATCHES { near.best() } else { 0.0 };
    let (covered, evenly) = (shares(&near, &weights, matching), shares(&near, &even, matching));
    let fused: Vec<f64> = fused(&readings, products.len());
    let raw = |at: usize| readings.iter().filter_map(|scores| scores.get(at)).sum::<f64>();
    let of = |scores: &[f64], at: usize| scores.get(at).copied().unwrap_or_default();
    let mut order: Vec<usize> = (0..products.len()).collect();
    // What is alike in everything stands by its title and its id, in whatever order it came.
    let named = |at: usize| products.get(at).map(|it| (it.listing.title.as_str(), it.listing.id.as_str()));
    order.sort_by(|&a, &b| {
        of(&fused, b)
            .total_cmp(&of(&fused, a))
            .then_with(|| raw(b).total_cmp(&raw(a)))
            .then_with(|| named(a).cmp(&named(b)))
            .then(a.cmp(&b))
    });
    let is_strong = |at| of(&covered, at) >= STRONG && of(&evenly, at) >= STRONG;
    let matched = |at| if is_strong(at) { Match::Strong } else { Match::Weak };
    order.into_iter().map(|position| Ranked { position, matched: matched(position) }).collect()
}

fn terms(asked: &str, synonyms: &Synonyms) -> Vec<Term> {
    let content = content(asked);
    let other = |word: &str| synonyms.of(word).into_iter().map(|other| Features::of(&other.replace(' ', "")));
    let mut terms: Vec<Term> = content
        .iter()
        .map(|word| Term {
            own: Features::of(word),
            others: other(word).collect(),
            joined: Vec::new(),
            counts: counts(word),
        })
        .collect();
    for (at, pair) in content.windows(2).enumerate() {
        let Some(joined) = joined(pair) else { continue };
        for term in terms.iter_mut().skip(at).take(2) {
            term.joined.extend(std::iter::once(Features::of(&joined)).chain(other(&joined)));
        }
    }
    terms
}

/// Writes two words as one.
fn joined(pair: &[String]) -> Option<String> {
    let joined = pair.concat();
    let plausible = joined.chars().nth(LONGEST_JOINED).is_none() && joined.chars().any(char::is_alphabetic);
    plausible.then_some(joined)
}

/// They are the terms, beside what they have been compared with: words, and texts beside titles, are many
/// products'.
struct Comparison<'a> {
    terms: &'a [Term],
    words: HashMap<String, Vec<Near>>,
    texts: HashMap<&'a str, Vec<Near>>,
}

impl<'a> Comparison<'a> {
    fn new(terms: &'a [Term]) -> Self {
        Self { terms, words: HashMap::new(), texts: HashMap::new() }
    }

    /// Says how near each term comes to a product.
    fn with(&mut self, product: &'a Product) -> Vec<Near> {
        let mut best = vec![Near::default(); self.terms.len()];
        let [head, title, ..] = FIELDS;
        let named = words(product.listing.title.as_str());
        for word in named.windows(2).filter_map(joined) {
            let shape = Shape::of(&word);
            if self.terms.iter().any(|term| term.may_be(shape)) {
                keep(&mut best, self.with_word(word), title);
            }
        }
        for (at, word) in named.into_iter().enumerate() {
            keep(&mut best, self.with_word(word), if at == 0 { head } else { title });
        }
        for (text, counts) in beside(product) {
            if !self.texts.contains_key(text) {
                let mut near = vec![Near::default(); self.terms.len()];
                for word in words(text) {
                    keep(&mut near, self.with_word(word), 1.0);
                }
                self.texts.insert(text, near);
            }
            keep(&mut best, self.texts.get(text).map_or(&[], Vec::as_slice), counts);
        }
        best
    }

    fn with_word(&mut self, word: String) -> &[Near] {
        let terms = self.terms;
        self.words.entry(word).or_insert_with_key(|word| {
            let shape = Shape::of(word);
            if terms.iter().all(|term| term.is_far(shape)) {
                return vec![Near::default(); terms.len()];
            }
            let word = Features::of(word);
            terms.iter().map(|term| term.near(&word)).collect()
        })
    }
}

/// Keeps the nearest of each term; what is new counts `by` so much.
fn keep(best: &mut [Near], near: &[Near], by: f64) {
    for (best, near) in best.iter_mut().zip(near) {
        *best = best.or(near.scaled(by));
    }
}

/// Lists what a product says of itself beside its title, and what each counts.
fn beside(product: &Product) -> impl Iterator<Item = (&str, f64)> {
    let [_, _, variant, category, description] = FIELDS;
    let variants = product.variants.iter().flat_map(move |it| {
        let options = it.options.iter().map(move |(_, value)| (value.as_str(), variant));
        std::iter::once((it.listing.title.as_str(), variant)).chain(options)
    });
    variants
        .chain(product.categories.iter().map(move |it| (it.as_str(), category)))
        .chain(product.description.iter().map(move |it| (it.as_str(), description)))
}

/// Says of what was asked for, how much each product has, when each term counts so much.
fn shares(near: &[Vec<Near>], weights: &[f64], pick: impl Fn(&Near) -> f64) -> Vec<f64> {
    let total: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let of =
        |terms: &Vec<Near>| terms.iter().zip(weights).map(|(near, w)| pick(near) * w).sum::<f64>() / total;
    near.iter().map(of).collect()
}

/// Returns what each term counts: the fewer products have it the more, and most where none has.
fn weights(near: &[Vec<Near>], terms: &[Term]) -> Vec<f64> {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let having = |term: usize| {
        near.iter().filter(|terms| terms.get(term).is_some_and(|near| near.best() >= MATCHES)).count()
    };
    let rarity = |term: usize| {
        let share = count(having(term)) / count(near.len().max(1));
        RARE + (1.0 - RARE) * share.sqrt()
    };
    terms.iter().enumerate().map(|(at, term)| term.counts * rarity(at)).collect()
}

/// Fuses by reciprocal rank: who scores the same has the same rank, and who scores nothing has none.
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
