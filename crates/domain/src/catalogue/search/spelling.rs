//! Similarity of two words in spelling, and slips.

/// Three neighbouring letters each, sorted.
pub(super) type Trigrams = Vec<[char; 3]>;

pub(super) fn trigrams(word: &str) -> Trigrams {
    let padded: Vec<char> = std::iter::once(' ').chain(word.chars()).chain([' ']).collect();
    let mut trigrams: Trigrams = padded.windows(3).filter_map(|three| three.try_into().ok()).collect();
    trigrams.sort_unstable();
    trigrams
}

/// Returns the Dice coefficient of two words' trigrams, from 0 to 1; 0 if below `least`.
pub(super) fn dice(a: &[[char; 3]], b: &[[char; 3]], least: f64) -> f64 {
    let count = |number: usize| f64::from(u32::try_from(number).unwrap_or(u32::MAX));
    let all = count((a.len() + b.len()).max(1));
    if 2.0 * count(a.len().min(b.len())) / all < least {
        return 0.0;
    }
    let (mut a, mut b) = (a, b);
    let mut shared = 0_u32;
    while let ([x, rest_a @ ..], [y, rest_b @ ..]) = (a, b) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => a = rest_a,
            std::cmp::Ordering::Greater => b = rest_b,
            std::cmp::Ordering::Equal => {
                shared += 1;
                (a, b) = (rest_a, rest_b);
            }
        }
    }
    let dice = 2.0 * f64::from(shared) / all;
    if dice < least { 0.0 } else { dice }
}

/// Returns a bit set of a word's letters. Words that differ in one letter differ in two bits at most.
pub(super) fn letters(word: &str) -> u64 {
    word.chars().fold(0, |set, c| set | 1 << (u32::from(c) % 64))
}

/// Returns the similarity of two words of which one may be a slip of the other: a letter added, missing,
/// replaced, or swapped with the next. Words of one or two letters have too many neighbours and get 0.
pub(super) fn slips(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let shorter = a.len().min(b.len());
    let most = match shorter {
        0..=2 => return 0.0,
        3..=6 => 1,
        _ => 2,
    };
    if a.len().abs_diff(b.len()) > most {
        return 0.0;
    }
    let near = match (distance(&a, &b), shorter) {
        (0, _) => 1.0,
        (1, 3) => 0.45,
        (1, 4) => 0.62,
        (1, 5) => 0.75,
        (1, _) => 0.85,
        (2, 7..) => 0.65,
        _ => 0.0,
    };
    // The first letter is seldom wrong.
    if a.first() == b.first() { near } else { near * 0.85 }
}

/// Counts the slips between two words (optimal string alignment).
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX / 2);
    let mut previous = None;
    for (row, x) in a.iter().enumerate() {
        let mut this = vec![row + 1];
        let mut left = None;
        for (column, y) in b.iter().enumerate() {
            let mut fewest = (at(&last, column) + usize::from(x != y))
                .min(at(&last, column + 1) + 1)
                .min(at(&this, column) + 1);
            if previous == Some(y) && left == Some(x) && column > 0 {
                fewest = fewest.min(at(&before, column - 1) + 1);
            }
            this.push(fewest);
            left = Some(y);
        }
        before = std::mem::replace(&mut last, this);
        previous = Some(x);
    }
    at(&last, b.len())
}
