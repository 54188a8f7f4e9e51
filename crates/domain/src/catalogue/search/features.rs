//! A word as the three readings see it, and how near two words are to each.

use super::{
    script::in_arabic,
    skeleton::skeletons,
    stem::{is_arabic, light, root, singulars},
    words::plain,
};

/// Trigrams that are less alike than this are so by chance.
const ALIKE: f64 = 0.4;

/// As [`ALIKE`], of a word that is heard in the other script.
const HEARD: f64 = 0.5;
/// What two readings together count.
const BOTH: f64 = 0.7;

/// How near two words are, from 0 to 1, in each reading.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Near {
    pub(super) stem: f64,
    pub(super) trigrams: f64,
    pub(super) skeleton: f64,
}

impl Near {
    /// How near altogether: two readings that each see something see more than one.
    pub(super) fn best(self) -> f64 {
        let both = if self.trigrams > 0.0 && self.skeleton > 0.0 {
            (self.trigrams + self.skeleton) * BOTH
        } else {
            0.0
        };
        self.stem.max(self.trigrams).max(self.skeleton).max(both).min(1.0)
    }

    pub(super) const fn scaled(self, by: f64) -> Self {
        Self { stem: self.stem * by, trigrams: self.trigrams * by, skeleton: self.skeleton * by }
    }

    pub(super) const fn or(self, other: Self) -> Self {
        Self {
            stem: self.stem.max(other.stem),
            trigrams: self.trigrams.max(other.trigrams),
            skeleton: self.skeleton.max(other.skeleton),
        }
    }
}

/// Sorted.
type Trigrams = Vec<[char; 3]>;

/// A word in its readings.
pub(super) struct Features {
    word: String,
    light: String,
    root: String,
    /// What it may be the broken plural of.
    singulars: Vec<String>,
    skeletons: Vec<String>,
    trigrams: Trigrams,
    /// Of a Latin word as it is heard.
    heard: Vec<Trigrams>,
    number: bool,
    arabic: bool,
}

impl Features {
    pub(super) fn of(word: &str) -> Self {
        let word = &plain(word);
        let number = word.bytes().all(|byte| byte.is_ascii_digit());
        let heard = if is_arabic(word) || number { Vec::new() } else { in_arabic(word).to_vec() };
        Self {
            light: light(word),
            root: root(word),
            singulars: singulars(word),
            skeletons: skeletons(word),
            trigrams: trigrams(&light(word)),
            heard: heard.iter().map(|word| trigrams(&light(word))).collect(),
            number,
            arabic: is_arabic(word),
            word: word.to_owned(),
        }
    }

    /// How near it is to `other`. Numbers are the same or are not.
    pub(super) fn near(&self, other: &Self) -> Near {
        if self.number || other.number {
            return if self.word == other.word {
                Near { stem: 1.0, trigrams: 1.0, skeleton: 1.0 }
            } else {
                Near::default()
            };
        }
        Near {
            stem: self.by_stem(other),
            trigrams: self.by_trigrams(other),
            skeleton: self.by_skeleton(other),
        }
    }

    fn by_stem(&self, other: &Self) -> f64 {
        if self.word == other.word {
            1.0
        } else if self.light == other.light {
            0.95
        } else if (!self.root.is_empty() && self.root == other.root)
            || self.is_plural_of(other)
            || other.is_plural_of(self)
        {
            0.8
        } else if begins(&self.light, &other.light) || begins(&other.light, &self.light) {
            0.6
        } else {
            0.0
        }
    }

    /// Whether it may be the broken plural of `one`; a hamza at the end is lost in many.
    fn is_plural_of(&self, one: &Self) -> bool {
        let bare = one.light.strip_suffix('ي').unwrap_or(&one.light);
        self.singulars.iter().any(|it| it == bare)
    }

    fn by_trigrams(&self, other: &Self) -> f64 {
        let dice = dice(&self.trigrams, &other.trigrams);
        if dice < ALIKE { 0.0 } else { dice }
    }

    fn by_skeleton(&self, other: &Self) -> f64 {
        let same_script = self.arabic == other.arabic;
        let pairs = self.skeletons.iter().flat_map(|a| other.skeletons.iter().map(move |b| (a, b)));
        let near = pairs.map(|(a, b)| alike(a.as_bytes(), b.as_bytes())).fold(0.0, f64::max);
        // Within one script the other readings tell more.
        if same_script { near * 0.75 } else { near.max(self.as_heard(other)) }
    }

    /// How alike two words sound of which one is Latin.
    fn as_heard(&self, other: &Self) -> f64 {
        let theirs = other.heard.iter().map(|heard| dice(heard, &self.trigrams));
        let alike =
            self.heard.iter().map(|heard| dice(heard, &other.trigrams)).chain(theirs).fold(0.0, f64::max);
        if alike < HEARD { 0.0 } else { alike }
    }
}

fn trigrams(word: &str) -> Trigrams {
    let padded: Vec<char> = std::iter::once(' ').chain(word.chars()).chain([' ']).collect();
    let mut trigrams: Trigrams = padded.windows(3).filter_map(|three| three.try_into().ok()).collect();
    trigrams.sort_unstable();
    trigrams
}

/// Of all trigrams of two words, how many they share, from 0 to 1.
fn dice(a: &[[char; 3]], b: &[[char; 3]]) -> f64 {
    let (mut shared, mut rest) = (0_u32, b);
    for gram in a {
        let skip = rest.partition_point(|it| it < gram);
        rest = rest.get(skip..).unwrap_or_default();
        if rest.first() == Some(gram) {
            shared += 1;
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    let all = u32::try_from(a.len() + b.len()).unwrap_or(u32::MAX);
    2.0 * f64::from(shared) / f64::from(all.max(1))
}

/// Whether `long` begins with a `short` that is long enough to say something.
fn begins(long: &str, short: &str) -> bool {
    short.chars().count() >= 4 && long.starts_with(short)
}

/// Two consonants are shared by many words, and do not tell by themselves; of four and more one may be another, missing
/// or one too many.
fn alike(a: &[u8], b: &[u8]) -> f64 {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if a == b {
        return if a.len() == 2 { 0.45 } else { 0.95 };
    }
    if short.len() < 4 || long.len() - short.len() > 1 {
        return 0.0;
    }
    let same_start = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let same_end = short.iter().rev().zip(long.iter().rev()).take_while(|(a, b)| a == b).count();
    if same_start + same_end + 1 >= long.len() { 0.6 } else { 0.0 }
}
