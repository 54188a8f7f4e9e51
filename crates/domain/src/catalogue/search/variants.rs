//! Other ways to ask a shop whose own search compares letter by letter.

use super::{
    Synonyms,
    script::in_arabic,
    stem::{is_arabic, light, singulars},
    words::content,
};

/// How many more ways a shop is asked.
pub const MAX_VARIANTS_ASKED: usize = 3;

/// Up to three other ways to ask for `asked`, the likeliest first, none of them what was asked. They are parts of words
/// where letters at the ends are spelled in several ways, since such a search finds what holds the part.
pub fn variants(asked: &str, synonyms: &Synonyms) -> Vec<String> {
    let mut words = content(asked);
    words.retain(|word| word.chars().count() >= 2 && !word.bytes().all(|byte| byte.is_ascii_digit()));
    // Arabic says what a thing is first, and then which.
    let ways: Vec<Vec<String>> = words.iter().map(|word| ways(word, synonyms)).collect();
    let most = ways.iter().map(Vec::len).max().unwrap_or_default();
    let by_turns = (0..most).flat_map(|turn| ways.iter().filter_map(move |ways| ways.get(turn)));
    let mut variants: Vec<String> = Vec::new();
    for way in by_turns {
        if way.chars().count() >= 2 && way != asked.trim() && !variants.contains(way) {
            variants.push(way.clone());
        }
        if variants.len() == MAX_VARIANTS_ASKED {
            break;
        }
    }
    variants
}

/// The ways to write one word, the likeliest first.
fn ways(word: &str, synonyms: &Synonyms) -> Vec<String> {
    let mut ways = Vec::new();
    let synonyms = synonyms.of(word);
    if is_arabic(word) {
        ways.extend(singulars(word).into_iter().take(1));
        ways.push(part(&light(word)));
        ways.extend(
            synonyms.iter().map(|other| if is_arabic(other) { part(&light(other)) } else { other.clone() }),
        );
        ways.extend(confused(word).map(|other| part(&light(&other))));
    } else {
        ways.extend(synonyms.iter().filter(|other| is_arabic(other)).map(|other| part(other)));
        ways.extend(in_arabic(word));
        ways.push(light(word));
    }
    ways
}

/// A word without the alef that may have a hamza, and without the last letter that may be ة or ى.
fn part(word: &str) -> String {
    let long = |rest: &&str| rest.chars().count() >= 3;
    let bare = word.strip_prefix('ا').filter(long).unwrap_or(word);
    bare.strip_suffix(['ه', 'ي']).filter(long).unwrap_or(bare).to_owned()
}

/// The word with the other of two letters that sound the same here.
fn confused(word: &str) -> Option<String> {
    let other = |c| match c {
        'ض' => 'ظ',
        'ظ' => 'ض',
        c => c,
    };
    word.contains(['ض', 'ظ']).then(|| word.chars().map(other).collect())
}
