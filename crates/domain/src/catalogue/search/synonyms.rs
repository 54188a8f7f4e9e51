//! Known words: those that stand for each other, and those that titles say often.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use super::{
    features::sounds,
    script::{readings, sound},
    spelling::{letters, slips},
    stem::{is_arabic, light, singulars},
    words::{plain, words},
};

/// Similarity above which a word is likely a slip of a known one.
const LIKELY: f64 = 0.64;
/// Letters from which a sound tells what word it is of, and from which it may tell.
const TELLING_SOUND: usize = 4;
const LIKELY_SOUND: usize = 3;

/// What the words of a group are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Sort {
    /// A brand, or the name of what it makes: titles have it in either script.
    Name,
    /// A good.
    Good,
    /// Which of a good: whose, of what, for what, in what colour.
    Which,
}

/// A member of a group.
#[derive(Debug, Clone)]
pub(super) struct Member {
    /// Folded words between spaces.
    pub(super) words: String,
    /// The words as a title writes them.
    pub(super) written: String,
}

impl Member {
    pub(super) fn is_arabic(&self) -> bool {
        is_arabic(&self.words)
    }
}

/// Words that stand for each other; the first is what titles most often say.
#[derive(Debug, Clone)]
pub(super) struct Group {
    pub(super) sort: Sort,
    pub(super) members: Vec<Member>,
}

/// Groups of words that stand for each other: those that ship with the service, and the owner's own.
#[derive(Debug, Clone, Default)]
pub struct Synonyms {
    shipped: Option<&'static LazyLock<Lexicon>>,
    own: Lexicon,
}

/// Read when somebody searches: most processes never do.
static SHIPPED: LazyLock<Lexicon> = LazyLock::new(|| {
    let mut all = Lexicon::default();
    for (sort, file) in [
        (Sort::Good, include_str!("goods.tsv")),
        (Sort::Name, include_str!("names.tsv")),
        (Sort::Which, include_str!("which.tsv")),
    ] {
        let lines = file.lines().filter(|line| !line.starts_with('#'));
        lines.for_each(|line| all.add(sort, line.split('\t')));
    }
    all
});

#[derive(Debug, Clone, Default)]
struct Lexicon {
    groups: Vec<Group>,
    by_spelling: BTreeMap<String, Vec<usize>>,
    by_stem: BTreeMap<String, Stem>,
    by_sound: BTreeMap<String, Vec<usize>>,
}

/// Groups of a stem, with the set of its letters.
#[derive(Debug, Clone, Default)]
struct Stem {
    letters: u64,
    groups: Vec<usize>,
}

impl Synonyms {
    /// Returns those that ship with the service: dialect and standard Arabic, English, brands in either
    /// script.
    pub fn shipped() -> Self {
        Self { shipped: Some(&SHIPPED), own: Lexicon::default() }
    }

    /// Adds a group of goods. A member of several words is also found when they are written as one.
    pub fn add<'a>(&mut self, group: impl Iterator<Item = &'a str>) {
        self.own.add(Sort::Good, group);
    }

    /// Returns the synonyms of `word`, in the order of the groups.
    pub(super) fn of(&self, word: &str) -> Vec<String> {
        others(word, self.groups(word))
    }

    /// Does as [`Synonyms::of`], for words that are known in this spelling.
    pub(super) fn of_spelled(&self, word: &str) -> Vec<String> {
        others(word, self.spelled(word))
    }

    /// Returns the groups of a word by the surest of these that has any: its spelling, its stem, what it may
    /// be the plural of, its transcription, its sound.
    pub(super) fn groups(&self, word: &str) -> Vec<&Group> {
        self.surest(word, TELLING_SOUND)
    }

    /// Does as [`Synonyms::groups`], also by a sound that several words may have. A name may sound like
    /// anything and is not found so.
    pub(super) fn likely_groups(&self, word: &str) -> Vec<&Group> {
        let groups = self.surest(word, TELLING_SOUND);
        if !groups.is_empty() {
            return groups;
        }
        let mut groups = self.surest(word, LIKELY_SOUND);
        groups.retain(|group| group.sort != Sort::Name);
        groups
    }

    fn surest(&self, word: &str, telling: usize) -> Vec<&Group> {
        let word = plain(word);
        let spelled = self.spelled(&word);
        if !spelled.is_empty() {
            return spelled;
        }
        let by_stem = |stems: &[String]| -> Vec<&Group> {
            self.found(|it| stems.iter().filter_map(|stem| Some(&it.by_stem.get(stem)?.groups)).collect())
        };
        let found = by_stem(&[light(&word)]);
        let found = if found.is_empty() { by_stem(&ones(&word)) } else { found };
        if !found.is_empty() {
            return found;
        }
        let sounded = |sounds: Vec<String>| {
            let long = sounds.iter().filter(|sound| sound.chars().count() >= telling);
            let long: Vec<&String> = long.collect();
            self.found(|it| long.iter().filter_map(|sound| it.by_sound.get(*sound)).collect())
        };
        if is_arabic(&word) {
            return sounded(sounds(&word));
        }
        let stems: Vec<String> = readings(&word).iter().map(|reading| light(&plain(reading))).collect();
        let read = stems.iter().map(|stem| by_stem(std::slice::from_ref(stem)));
        let heard = stems.iter().map(|stem| sounded(vec![sound(stem)]));
        read.chain(heard).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Returns the groups that have the word in this spelling.
    pub(super) fn spelled(&self, word: &str) -> Vec<&Group> {
        let word = plain(word);
        self.found(|it| it.by_spelling.get(&word).into_iter().collect())
    }

    /// Returns the stem of the known word that `word` is likely a slip of, with its groups.
    pub(super) fn likely(&self, word: &str) -> Option<(&str, Vec<&Group>)> {
        let own = light(&plain(word));
        let set = letters(&own);
        let near = self.lexicons().flat_map(|lexicon| {
            let near = lexicon.by_stem.iter().filter(|(_, it)| (it.letters ^ set).count_ones() <= 4);
            near.map(move |(stem, it)| (stem, it, lexicon))
        });
        let best = near.map(|(stem, it, lexicon)| (slips(&own, stem), stem, it, lexicon)).fold(
            (LIKELY, None),
            |best, (near, stem, it, lexicon)| {
                if near > best.0 { (near, Some((stem, it, lexicon))) } else { best }
            },
        );
        let (stem, it, lexicon) = best.1?;
        Some((stem, lexicon.at(it.groups.iter().copied()).collect()))
    }

    fn found<'a>(&'a self, find: impl Fn(&'a Lexicon) -> Vec<&'a Vec<usize>>) -> Vec<&'a Group> {
        let of = |lexicon: &'a Lexicon| {
            let groups: BTreeSet<usize> = find(lexicon).into_iter().flatten().copied().collect();
            lexicon.at(groups.into_iter())
        };
        self.lexicons().flat_map(of).collect()
    }

    fn lexicons(&self) -> impl Iterator<Item = &Lexicon> {
        std::iter::once(&self.own).chain(self.shipped.map(|shipped| &**shipped))
    }
}

/// Returns the stems of what a word may be the broken plural of.
fn ones(word: &str) -> Vec<String> {
    singulars(word).into_iter().flat_map(|one| [light(&one), one]).collect()
}

fn others(word: &str, groups: Vec<&Group>) -> Vec<String> {
    let mut others: Vec<String> = Vec::new();
    for member in groups.into_iter().flat_map(|group| &group.members) {
        if member.words != word && !others.contains(&member.words) {
            others.push(member.words.clone());
        }
    }
    others
}

impl Lexicon {
    fn add<'a>(&mut self, sort: Sort, group: impl Iterator<Item = &'a str>) {
        let read = |member: &str| {
            let written = member.replace('_', " ").trim().to_owned();
            Member { words: words(&written).join(" "), written }
        };
        let members: Vec<Member> = group.map(read).filter(|it| !it.words.is_empty()).collect();
        let at = self.groups.len();
        let keep = |groups: &mut Vec<usize>| {
            if groups.last() != Some(&at) {
                groups.push(at);
            }
        };
        for member in &members {
            let word = plain(&member.words.replace(' ', ""));
            let stem = light(&word);
            for sound in sounds(&word).into_iter().filter(|it| it.chars().count() >= LIKELY_SOUND) {
                keep(self.by_sound.entry(sound).or_default());
            }
            let letters = letters(&stem);
            let of_stem = self.by_stem.entry(stem).or_default();
            of_stem.letters = letters;
            keep(&mut of_stem.groups);
            keep(self.by_spelling.entry(word).or_default());
        }
        self.groups.push(Group { sort, members });
    }

    fn at(&self, groups: impl Iterator<Item = usize>) -> impl Iterator<Item = &Group> {
        groups.filter_map(|group| self.groups.get(group))
    }
}
