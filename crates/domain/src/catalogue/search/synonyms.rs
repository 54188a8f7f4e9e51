//! Synonyms: different words for the same thing.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    features::sounds,
    spelling::{letters, slips},
    stem::{light, singulars},
    words::{plain, words},
};

/// Similarity above which a word is likely a slip of a known one.
const LIKELY: f64 = 0.62;

/// Groups of words that stand for each other: those that ship with the service, and the owner's own.
#[derive(Debug, Clone, Default)]
pub struct Synonyms {
    groups: Vec<Vec<String>>,
    by_key: BTreeMap<String, Vec<usize>>,
}

impl Synonyms {
    /// Returns those that ship with the service: dialect and standard Arabic, English, brands in either
    /// script.
    pub fn shipped() -> Self {
        let mut all = Self::default();
        let lines = include_str!("synonyms.tsv").lines().filter(|line| !line.starts_with('#'));
        lines.for_each(|line| all.add(line.split('\t')));
        all
    }

    /// Adds a group. A member of several words is also found when they are written as one.
    pub fn add<'a>(&mut self, group: impl Iterator<Item = &'a str>) {
        let group: Vec<String> =
            group.map(|member| words(member).join(" ")).filter(|it| !it.is_empty()).collect();
        for member in &group {
            for key in keys(&member.replace(' ', "")) {
                self.by_key.entry(key).or_default().push(self.groups.len());
            }
        }
        self.groups.push(group);
    }

    /// Returns the synonyms of `word`, in the order of the groups.
    pub(super) fn of(&self, word: &str) -> Vec<String> {
        let own = keys(word);
        let mut groups: BTreeSet<usize> =
            own.iter().filter_map(|key| self.by_key.get(key)).flatten().copied().collect();
        if groups.is_empty() {
            let singulars = singulars(&plain(word));
            let of_singulars = singulars.iter().flat_map(|one| keys(one));
            groups = of_singulars.filter_map(|key| self.by_key.get(&key)).flatten().copied().collect();
        }
        self.members(groups.into_iter(), word)
    }

    /// Returns the synonyms of `word`; if there are none, the groups of the word that `word` is likely a slip
    /// of, with that word.
    pub(super) fn of_likely(&self, word: &str) -> Vec<String> {
        let others = self.of(word);
        if !others.is_empty() {
            return others;
        }
        let own = light(&plain(word));
        let set = letters(&own);
        let near = self.by_key.iter().filter(|(key, _)| (letters(key) ^ set).count_ones() <= 4);
        let near = near.map(|(key, groups)| (slips(&own, key), groups));
        let best = near.fold(
            (LIKELY, None),
            |best, (near, groups)| {
                if near > best.0 { (near, Some(groups)) } else { best }
            },
        );
        self.members(best.1.into_iter().flatten().copied(), word)
    }

    /// Returns the first word of the first group of `word`, the likeliest in titles; may be `word` itself.
    pub(super) fn first(&self, word: &str) -> Option<&str> {
        let own = keys(word);
        let groups = own.iter().filter_map(|key| self.by_key.get(key)).flatten();
        self.groups.get(*groups.min()?)?.first().map(String::as_str)
    }

    fn members(&self, groups: impl Iterator<Item = usize>, word: &str) -> Vec<String> {
        let mut others: Vec<String> = Vec::new();
        for other in groups.filter_map(|group| self.groups.get(group)).flatten() {
            if !others.contains(other) && other != word {
                others.push(other.clone());
            }
        }
        others
    }
}

/// Returns the keys that a word is found by: its stem, and its sounds, which are the same in either script.
fn keys(word: &str) -> BTreeSet<String> {
    let word = plain(word);
    let long = |key: &String| key.chars().nth(2).is_some();
    let mut keys: BTreeSet<String> = sounds(&word).into_iter().filter(long).collect();
    keys.insert(light(&word));
    keys
}
