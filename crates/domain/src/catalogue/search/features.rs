//! A word in its three readings, and the similarity of two words in each.

use super::{
    script::{in_arabic, sound},
    skeleton::skeletons,
    spelling::{Trigrams, dice, letters, slips, trigrams},
    stem::{is_arabic, light, root, singulars},
    words::plain,
};

/// Similarity of trigrams below which words are alike by chance.
const ALIKE: f64 = 0.4;
/// As [`ALIKE`], for words that are compared by sound.
const HEARD: f64 = 0.5;
/// Weight of the sum of two readings that both see a similarity.
const BOTH: f64 = 0.7;
/// Most that a similarity counts which a short word may have by chance: less than makes a match strong.
const BY_CHANCE: f64 = 0.54;
/// Letters from which a slip or a sound is hardly chance.
const LONG: usize = 5;

/// Similarity of two words in each reading, from 0 to 1.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Near {
    pub(super) stem: f64,
    pub(super) trigrams: f64,
    pub(super) skeleton: f64,
    /// Best of the three, so far as it is no chance.
    pub(super) sure: f64,
}

impl Near {
    const SAME: Self = Self { stem: 1.0, trigrams: 1.0, skeleton: 1.0, sure: 1.0 };

    /// Returns the overall similarity: two readings that each see something see more than one.
    pub(super) fn best(self) -> f64 {
        let both = if self.trigrams > 0.0 && self.skeleton > 0.0 {
            (self.trigrams + self.skeleton) * BOTH
        } else {
            0.0
        };
        self.stem.max(self.trigrams).max(self.skeleton).max(both).min(1.0)
    }

    pub(super) const fn scaled(self, by: f64) -> Self {
        Self {
            stem: self.stem * by,
            trigrams: self.trigrams * by,
            skeleton: self.skeleton * by,
            sure: self.sure * by,
        }
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self {
            stem: self.stem.max(other.stem),
            trigrams: self.trigrams.max(other.trigrams),
            skeleton: self.skeleton.max(other.skeleton),
            sure: self.sure.max(other.sure),
        }
    }
}

/// A word in its readings.
pub(super) struct Features {
    word: String,
    light: String,
    root: String,
    /// Words whose broken plural this may be.
    singulars: Vec<String>,
    skeletons: Vec<String>,
    trigrams: Trigrams,
    /// Transcriptions of a Latin word.
    heard: Vec<String>,
    /// Sounds of the word in Arabic letters; a Latin word has several.
    sounds: Vec<(String, Trigrams)>,
    shape: Shape,
}

/// Quick look at a word, by which most pairs are ruled out.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    letters: u64,
    number: bool,
    arabic: bool,
}

impl Shape {
    pub(super) fn of(word: &str) -> Self {
        let word = plain(word);
        Self {
            letters: letters(&word),
            number: word.bytes().all(|byte| byte.is_ascii_digit()),
            arabic: is_arabic(&word),
        }
    }

    /// Returns whether two words share so few letters, or differ in so many, that no reading sees a
    /// similarity.
    const fn is_far(self, other: Self) -> bool {
        let (a, b) = (self.letters, other.letters);
        !self.number
            && !other.number
            && self.arabic == other.arabic
            && b.count_ones() > 2
            && ((a & b).count_ones() < 2 || (a ^ b).count_ones() > 6)
    }
}

impl Features {
    pub(super) fn of(word: &str) -> Self {
        let shape = Shape::of(word);
        let word = plain(word);
        let light = light(&word);
        let heard = heard(&word);
        Self {
            root: root(&word),
            singulars: singulars(&word),
            skeletons: skeletons(&word),
            trigrams: trigrams(&light),
            sounds: sounds_of(&word, &heard).into_iter().map(|it| (it.clone(), trigrams(&it))).collect(),
            shape,
            light,
            word,
            heard,
        }
    }

    /// Returns the similarity to `other`. Numbers are the same or are not.
    pub(super) fn near(&self, other: &Self) -> Near {
        if self.shape.number || other.shape.number {
            return if self.word == other.word { Near::SAME } else { Near::default() };
        }
        if self.word == other.word {
            return Near::SAME;
        }
        if self.is_far(other.shape) {
            return Near::default();
        }
        let stem = if self.shape.arabic == other.shape.arabic {
            self.by_stem(other)
        } else if self.is_transcribed(other) {
            0.9
        } else {
            0.0
        };
        let (slips, trigrams) = self.by_spelling(other);
        let near = Near { stem, trigrams: trigrams.max(slips), skeleton: self.by_skeleton(other), sure: 0.0 };
        let best = near.best();
        let is_sure = stem >= 0.85
            || (stem > 0.0 && self.is_long(LONG - 1) && other.is_long(LONG - 1))
            || (best > 0.0 && self.is_long(LONG) && other.is_long(LONG));
        Near { sure: if is_sure { best } else { best.min(BY_CHANCE) }, ..near }
    }

    pub(super) fn is_long(&self, least: usize) -> bool {
        self.light.chars().nth(least - 1).is_some()
    }

    /// Returns whether one of the words is the other in the other script, letter by letter.
    fn is_transcribed(&self, other: &Self) -> bool {
        let (arabic, latin) = if self.shape.arabic { (self, other) } else { (other, self) };
        arabic.is_long(3) && latin.heard.iter().any(|it| *it == arabic.light || *it == arabic.word)
    }

    /// Returns full similarity if `other` is a form of this synonym, and none otherwise; slips do not count.
    pub(super) fn stands_for(&self, other: &Self) -> Near {
        if !self.has_nearly(other.shape) {
            return Near::default();
        }
        let same = self.word == other.word
            || self.light == other.light
            || self.is_plural_of(other)
            || other.is_plural_of(self)
            || self.same_sound(other);
        if same { Near::SAME } else { Near::default() }
    }

    /// Returns whether a word of this shape may be a form of this one.
    pub(super) const fn has_nearly(&self, other: Shape) -> bool {
        self.shape.arabic == other.arabic && (self.shape.letters ^ other.letters).count_ones() <= 5
    }

    /// Returns whether no word of this shape is similar.
    pub(super) const fn is_far(&self, other: Shape) -> bool {
        self.shape.is_far(other)
    }

    fn by_stem(&self, other: &Self) -> f64 {
        if self.light == other.light {
            0.95
        } else if self.is_plural_of(other) || other.is_plural_of(self) {
            0.85
        } else if !self.root.is_empty() && self.root == other.root {
            0.75
        } else if begins(&self.light, &other.light) || begins(&other.light, &self.light) {
            0.6
        } else {
            0.0
        }
    }

    /// Returns whether this may be the broken plural of `one`; many plurals lose a hamza at the end.
    fn is_plural_of(&self, one: &Self) -> bool {
        let bare = one.light.strip_suffix('ي').unwrap_or(&one.light);
        self.singulars.iter().any(|it| it == bare || *it == one.light)
    }

    /// Returns the similarity as slips of each other, and by trigrams.
    fn by_spelling(&self, other: &Self) -> (f64, f64) {
        let dice = dice(&self.trigrams, &other.trigrams, ALIKE);
        let (own, theirs) = (self.shape, other.shape);
        if own.arabic != theirs.arabic || (own.letters ^ theirs.letters).count_ones() > 4 {
            return (0.0, dice);
        }
        (slips(&self.light, &other.light).max(slips(&self.word, &other.word)), dice)
    }

    fn by_skeleton(&self, other: &Self) -> f64 {
        let pairs = self.skeletons.iter().flat_map(|a| other.skeletons.iter().map(move |b| (a, b)));
        let near = pairs.map(|(a, b)| alike(a.as_bytes(), b.as_bytes())).fold(0.0, f64::max);
        if self.same_sound(other) {
            return near.max(0.9);
        }
        // Within one script the other readings tell more.
        let counts = if self.shape.arabic == other.shape.arabic { 0.75 } else { 1.0 };
        counts * near.max(self.as_heard(other))
    }

    fn same_sound(&self, other: &Self) -> bool {
        self.sounds
            .iter()
            .any(|(a, _)| a.chars().nth(1).is_some() && other.sounds.iter().any(|(b, _)| a == b))
    }

    fn as_heard(&self, other: &Self) -> f64 {
        let pairs = self.sounds.iter().flat_map(|(_, a)| other.sounds.iter().map(move |(_, b)| (a, b)));
        pairs.map(|(a, b)| dice(a, b, HEARD)).fold(0.0, f64::max)
    }
}

/// Returns the transcriptions of a Latin word; none of an Arabic one or a number.
fn heard(word: &str) -> Vec<String> {
    if is_arabic(word) || word.bytes().all(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let mut heard = in_arabic(word).to_vec();
    heard.dedup();
    heard
}

/// Returns the ways in which a word may sound, as [`sound`] writes them; none for a number.
pub(super) fn sounds(word: &str) -> Vec<String> {
    sounds_of(word, &heard(word))
}

fn sounds_of(word: &str, heard: &[String]) -> Vec<String> {
    let mut all: Vec<String> = if is_arabic(word) {
        vec![sound(&light(word))]
    } else {
        heard.iter().map(|heard| sound(heard)).collect()
    };
    all.retain(|it| !it.is_empty());
    all.dedup();
    all
}

/// Returns whether `long` begins with `short`, of four letters at least.
fn begins(long: &str, short: &str) -> bool {
    short.chars().nth(3).is_some() && long.starts_with(short)
}

/// Returns the similarity of two skeletons. Two consonants are shared by many words and prove little; of four
/// and more, one may differ, be missing or be added.
fn alike(a: &[u8], b: &[u8]) -> f64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if a == b {
        return match a.len() {
            2 => 0.45,
            3 => 0.8,
            _ => 0.95,
        };
    }
    if short.len() < 4 || long.len() - short.len() > 1 {
        return 0.0;
    }
    let same_start = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let same_end = short.iter().rev().zip(long.iter().rev()).take_while(|(a, b)| a == b).count();
    if same_start + same_end + 1 >= long.len() { 0.6 } else { 0.0 }
}
