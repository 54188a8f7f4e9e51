//! Different words for the same thing.

use std::collections::HashMap;

use super::{
    stem::light,
    words::{plain, words},
};

/// Groups of words that stand for each other: those that ship with the service, and the owner's own.
#[derive(Debug, Clone, Default)]
pub struct Synonyms {
    groups: Vec<Vec<String>>,
    by_stem: HashMap<String, Vec<usize>>,
}

impl Synonyms {
    /// Those that ship with the service: dialect and standard Arabic, English, brands in either script.
    pub fn shipped() -> Self {
        let mut all = Self::default();
        let lines = include_str!("synonyms.tsv").lines().filter(|line| !line.starts_with('#'));
        lines.for_each(|line| all.add(line.split('\t')));
        all
    }

    /// Adds a group. Of a member that is several words none is taken.
    pub fn add<'a>(&mut self, group: impl Iterator<Item = &'a str>) {
        let single = |member: &str| match &words(member)[..] {
            [word] => Some(word.clone()),
            _ => None,
        };
        let group: Vec<String> = group.filter_map(single).collect();
        for word in &group {
            self.by_stem.entry(light(&plain(word))).or_default().push(self.groups.len());
        }
        self.groups.push(group);
    }

    /// The other words for what `word` stands for.
    pub(super) fn of(&self, word: &str) -> Vec<String> {
        let stem = light(&plain(word));
        let groups = self.by_stem.get(&stem).into_iter().flatten();
        let members = groups.filter_map(|group| self.groups.get(*group)).flatten();
        let mut others: Vec<String> = members.filter(|other| light(&plain(other)) != stem).cloned().collect();
        others.sort();
        others.dedup();
        others
    }
}
