//! Order of products by how they answer a question.

use std::collections::HashMap;

use super::{
    asked::{Asked, Word},
    features::{Features, Near, Shape},
    synonyms::Synonyms,
    words::words,
};
use crate::systems::Product;

/// Constant of reciprocal rank fusion, which evens out the first ranks (Cormack, Clarke and Büttcher, 2009).
const FUSION: f64 = 60.0;
/// Share of what was asked for that makes a match strong.
const STRONG: f64 = 0.55;
/// Similarity from which a word is a match at all.
pub(super) const MATCHES: f64 = 0.5;
/// Weight of a synonym.
const SYNONYM: f64 = 0.9;
/// Weights of a match in the head of the title, the rest of it, a variant, a category, the description.
const FIELDS: [f64; 5] = [1.0, 0.9, 0.85, 0.6, 0.45];
/// Weight of a word that no product has, relative to one that all have.
const RARE: f64 = 2.5;
/// Most characters of words that may be one (`باور بانك`).
const LONGEST_JOINED: usize = 16;
/// Most words that may be one name (`هيد اند شولدرز`).
const MOST_JOINED: usize = 3;

/// How well a product answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Match {
    /// What was asked for.
    Strong,
    /// The closest there is.
    Weak,
}

/// A product's position in the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ranked {
    /// Index among the products that were ranked.
    pub position: usize,
    pub matched: Match,
}

/// A word of the question, with its synonyms.
pub(super) struct Term {
    own: Features,
    others: Vec<Features>,
    /// Pairs of words of the question that may be one word in a title, and their synonyms.
    joined: Vec<Features>,
    pub(super) counts: f64,
}

impl Term {
    /// Returns whether no word of this shape is meant, without a closer look.
    fn is_far(&self, shape: Shape) -> bool {
        self.own.is_far(shape) && self.others.iter().chain(&self.joined).all(|it| !it.has_nearly(shape))
    }

    /// Returns whether a word of this shape, written as two words, may be meant.
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

/// Orders `products` by how they answer `asked`, best first. None is left out.
pub fn rank(asked: &str, products: &[Product], synonyms: &Synonyms) -> Vec<Ranked> {
    let asked = Asked::read(asked, synonyms);
    let terms = terms(&asked.words, synonyms);
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
    // A strong match has enough by rarity and by even weights: a common word is wanted, too.
    let matching = |near: &Near| if near.best() >= MATCHES { near.sure } else { 0.0 };
    let (covered, evenly) = (shares(&near, &weights, matching), shares(&near, &even, matching));
    let fused: Vec<f64> = fused(&readings, products.len());
    let raw = |at: usize| readings.iter().filter_map(|scores| scores.get(at)).sum::<f64>();
    let of = |scores: &[f64], at: usize| scores.get(at).copied().unwrap_or_default();
    let mut order: Vec<usize> = (0..products.len()).collect();
    // Ties stand by title and id, in whatever order they came.
    let named = |at: usize| products.get(at).map(|it| (it.listing.title.as_str(), it.listing.id.as_str()));
    order.sort_by(|&a, &b| {
        of(&fused, b)
            .total_cmp(&of(&fused, a))
            .then_with(|| raw(b).total_cmp(&raw(a)))
            .then_with(|| named(a).cmp(&named(b)))
            .then(a.cmp(&b))
    });
    let is_strong = |at| asked.wants && of(&covered, at) >= STRONG && of(&evenly, at) >= STRONG;
    let matched = |at| if is_strong(at) { Match::Strong } else { Match::Weak };
    order.into_iter().map(|position| Ranked { position, matched: matched(position) }).collect()
}

pub(super) fn terms(asked: &[Word], synonyms: &Synonyms) -> Vec<Term> {
    let other = |word: &str| synonyms.of(word).into_iter().map(|other| Features::of(&other.replace(' ', "")));
    let mut terms: Vec<Term> = asked
        .iter()
        .map(|word| Term {
            own: Features::of(&word.text),
            others: other(&word.text).collect(),
            joined: Vec::new(),
            counts: word.counts(),
        })
        .collect();
    let texts: Vec<String> = asked.iter().map(|word| word.text.clone()).collect();
    for length in 2..=MOST_JOINED {
        for (at, several) in texts.windows(length).enumerate() {
            let Some(joined) = joined(several) else { continue };
            let others: Vec<String> = synonyms.of_spelled(&joined);
            if length > 2 && others.is_empty() {
                continue;
            }
            for term in terms.iter_mut().skip(at).take(length) {
                let all = std::iter::once(&joined).chain(&others);
                term.joined.extend(all.map(|it| Features::of(&it.replace(' ', ""))));
            }
        }
    }
    terms
}

/// Joins words; `None` if the result is too long or has no letter.
fn joined(words: &[String]) -> Option<String> {
    let joined = words.concat();
    let plausible = joined.chars().nth(LONGEST_JOINED).is_none() && joined.chars().any(char::is_alphabetic);
    plausible.then_some(joined)
}

/// Terms with a cache of comparisons: many products share words, and texts beside titles.
pub(super) struct Comparison<'a> {
    terms: &'a [Term],
    /// Whether the question has a known name of several words.
    has_joined: bool,
    words: HashMap<String, Vec<Near>>,
    texts: HashMap<&'a str, Vec<Near>>,
}

impl<'a> Comparison<'a> {
    pub(super) fn new(terms: &'a [Term]) -> Self {
        let long = |it: &Features| it.is_long(MOST_JOINED * 2);
        let has_joined = terms.iter().any(|term| term.joined.iter().chain(&term.others).any(long));
        Self { terms, has_joined, words: HashMap::new(), texts: HashMap::new() }
    }

    fn with(&mut self, product: &'a Product) -> Vec<Near> {
        let mut best = vec![Near::default(); self.terms.len()];
        let [head, title, ..] = FIELDS;
        let named = words(product.listing.title.as_str());
        let pairs = named.windows(2).filter_map(joined);
        // Three words are a name only if the question has one that is joined.
        let three = if self.has_joined { named.windows(MOST_JOINED) } else { [].windows(MOST_JOINED) };
        for word in pairs.chain(three.filter_map(joined)) {
            let shape = Shape::of(&word);
            if self.terms.iter().any(|term| term.may_be(shape)) {
                keep(&mut best, self.with_word(word), title);
            }
        }
        for (at, word) in named.into_iter().enumerate() {
            keep(&mut best, self.with_word(word), if at == 0 { head } else { title });
        }
        for (text, counts) in beside(product) {
            self.with_text(&mut best, text, counts);
        }
        best
    }

    /// Compares with a text that several have, weighted by `counts`.
    pub(super) fn with_text(&mut self, best: &mut [Near], text: &'a str, counts: f64) {
        if !self.texts.contains_key(text) {
            let mut near = vec![Near::default(); self.terms.len()];
            self.with_words(&mut near, text);
            self.texts.insert(text, near);
        }
        keep(best, self.texts.get(text).map_or(&[], Vec::as_slice), counts);
    }

    /// Compares with a text that is no other's.
    pub(super) fn with_words(&mut self, best: &mut [Near], text: &str) {
        for word in words(text) {
            keep(best, self.with_word(word), 1.0);
        }
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

/// Keeps the better similarity of each term; `near` is weighted by `by`.
fn keep(best: &mut [Near], near: &[Near], by: f64) {
    for (best, near) in best.iter_mut().zip(near) {
        *best = best.or(near.scaled(by));
    }
}

/// Lists the texts of a product beside its title, with their weights.
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

/// Returns the share of the weighted terms that each product or text has.
pub(super) fn shares(near: &[Vec<Near>], weights: &[f64], pick: impl Fn(&Near) -> f64) -> Vec<f64> {
    let total: f64 = weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let of =
        |terms: &Vec<Near>| terms.iter().zip(weights).map(|(near, w)| pick(near) * w).sum::<f64>() / total;
    near.iter().map(of).collect()
}

/// Returns the weight of each term: the fewer products have it, the higher.
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

/// Fuses readings by reciprocal rank: equal scores share a rank, and a score of zero has none.
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
