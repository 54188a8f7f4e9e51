//! Search in texts: what a business writes of delivery, guarantees, or how something is used.

use super::{
    asked::Asked,
    features::Near,
    rank::{Comparison, MATCHES, shares, terms},
    synonyms::Synonyms,
};

/// Share of a question from which a text answers it.
const ANSWERS: f64 = 0.5;
/// Share of the best answer's that another one has at least.
const BESIDE: f64 = 0.7;
/// Weight of a match in what stands above a text.
const HEAD: f64 = 0.8;
/// Weight of a word that no text has, relative to one that all have: it tells a story, or wants something
/// else.
const UNKNOWN: f64 = 0.6;
/// Weight of a word that hardly any text has, relative to one that all have.
const RARE: f64 = 2.0;
/// Words about services that stand for each other.
const SERVICE: &str = include_str!("service.tsv");

/// A text, and what stands above it.
#[derive(Debug, Clone, Copy)]
pub struct Text<'a> {
    pub head: &'a str,
    pub lines: &'a [String],
}

/// Finds the texts that answer a question, best first; others are left out.
pub fn rank_texts(asked: &str, texts: &[Text<'_>], synonyms: &Synonyms) -> Vec<usize> {
    let mut synonyms = synonyms.clone();
    let groups = SERVICE.lines().filter(|line| !line.starts_with('#'));
    groups.for_each(|group| synonyms.add(group.split('\t')));
    let terms = terms(&Asked::of_texts(asked), &synonyms);
    let mut comparison = Comparison::new(&terms);
    let near: Vec<Vec<Near>> = texts
        .iter()
        .map(|text| {
            let mut best = vec![Near::default(); terms.len()];
            comparison.with_text(&mut best, text.head, HEAD);
            text.lines.iter().for_each(|line| comparison.with_words(&mut best, line));
            best
        })
        .collect();
    let weight = |at: usize, counts: f64| {
        let has = |near: &&Vec<Near>| near.get(at).is_some_and(|near| near.best() >= MATCHES);
        let having = near.iter().filter(has).count();
        counts * if having == 0 { UNKNOWN } else { RARE + (1.0 - RARE) * share(having, texts.len()).sqrt() }
    };
    let weights: Vec<f64> = terms.iter().enumerate().map(|(at, term)| weight(at, term.counts)).collect();
    let sure = |near: &Near| if near.best() >= MATCHES { near.sure } else { 0.0 };
    let scores = shares(&near, &weights, sure);
    let best = scores.iter().copied().fold(0.0, f64::max);
    let mut found: Vec<(usize, f64)> =
        scores.into_iter().enumerate().filter(|(_, it)| *it >= ANSWERS.max(best * BESIDE)).collect();
    found.sort_by(|(a, x), (b, y)| y.total_cmp(x).then(a.cmp(b)));
    found.into_iter().map(|(at, _)| at).collect()
}

fn share(of: usize, all: usize) -> f64 {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    count(of) / count(all.max(1))
}
