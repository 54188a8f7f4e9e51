//! Other questions to a shop whose own search compares letter by letter.

use super::{
    lists::{describes, is_unit},
    script::in_arabic,
    stem::{is_arabic, light, plural, singulars},
    synonyms::Synonyms,
    words::{content_unparted, is_arabic_in_latin, plain, question},
};

/// Most variants that a shop is asked.
pub const MAX_VARIANTS_ASKED: usize = 3;

/// Returns up to three other ways to ask for `asked`, likeliest first. Words whose first or last letters have
/// several spellings are cut to the part between, since such a search finds whatever holds the part.
pub fn variants(asked: &str, synonyms: &Synonyms) -> Vec<String> {
    let words = telling(content_unparted(asked));
    let mut ways: Vec<Vec<String>> = words.iter().map(|word| ways(word, synonyms)).collect();
    // Two words may be one, or have a synonym together.
    for pair in words.windows(2) {
        let others = synonyms.of(&pair.concat());
        if !others.is_empty() {
            ways.insert(0, others.iter().map(|other| as_titled(other)).collect());
        }
    }
    let asked_first = question(asked);
    let mut variants: Vec<String> = Vec::new();
    let most = ways.iter().map(Vec::len).max().unwrap_or_default();
    // Each word once before any a second time: Arabic says what a thing is first, and then which.
    let by_turns = (0..most).flat_map(|turn| ways.iter().filter_map(move |ways| ways.get(turn)));
    for way in by_turns {
        // What is asked already is found by its part as well.
        let asked_already = *way == asked_first || variants.iter().any(|other| other == way);
        if way.chars().nth(1).is_some() && way != asked.trim() && !asked_already {
            variants.push(way.clone());
        }
        if variants.len() == MAX_VARIANTS_ASKED {
            break;
        }
    }
    variants
}

/// Keeps the words that a title is likely to have; numbers and units only if there is nothing else.
fn telling(words: Vec<String>) -> Vec<String> {
    let number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let tells = |word: &&String| {
        !describes(word) && !is_unit(without_digits(word)) && !number(word) && word.chars().nth(1).is_some()
    };
    let telling: Vec<String> = words.iter().filter(tells).cloned().collect();
    if telling.is_empty() { words } else { telling }
}

fn without_digits(word: &str) -> &str {
    word.trim_start_matches(|c: char| c.is_ascii_digit())
}

/// Lists the ways to write one word, likeliest first.
fn ways(word: &str, synonyms: &Synonyms) -> Vec<String> {
    let others = synonyms.of_likely(word);
    let mut ways: Vec<String> = Vec::new();
    if word.bytes().all(|byte| byte.is_ascii_digit()) {
        ways.push(word.to_owned());
        ways.push(eastern(word));
    } else if is_arabic(word) {
        let plain = plain(word);
        let own = part(&light(&plain));
        let (arabic, latin): (Vec<&String>, Vec<&String>) = others.iter().partition(|other| is_arabic(other));
        // The first of a group is what titles most often say.
        let known = synonyms.first(word).filter(|first| is_arabic(first));
        if let Some(likely) = known.or_else(|| arabic.first().map(|first| first.as_str())) {
            ways.push(part(likely));
            ways.extend(plural(likely));
        } else {
            ways.extend(singulars(&plain).first().map(|one| part(one)));
        }
        // As the customer wrote it, in case the letters tell words apart.
        ways.push(part(&light(word)));
        ways.push(own.clone());
        ways.extend(arabic.iter().map(|other| part(other)));
        ways.extend(confused(&plain).map(|other| part(&light(&other))));
        ways.extend(latin.iter().take(1).map(|other| in_any_case(other)));
        ways.extend(ends(&own));
        ways.extend(plural(&plain));
    } else if word.contains(|c: char| c.is_ascii_digit()) && !is_arabic_in_latin(word) {
        ways.push(word.to_uppercase());
        ways.extend(others.iter().map(|other| as_titled(other)));
        ways.push(word.trim_end_matches(|c: char| c.is_ascii_digit()).to_uppercase());
    } else {
        let [all, bare] = in_arabic(word);
        let arabic: Vec<&String> = others.iter().filter(|other| is_arabic(other)).collect();
        ways.extend(arabic.first().map(|other| part(other)));
        if word.is_ascii() && !is_arabic_in_latin(word) {
            ways.push(in_any_case(&light(word)));
        }
        ways.extend(arabic.first().and_then(|first| plural(first)));
        ways.extend(arabic.iter().skip(1).map(|other| part(other)));
        ways.push(part(&bare));
        ways.push(part(&all));
        ways.extend(ends(&part(&bare)));
    }
    let mut seen = std::collections::HashSet::new();
    ways.retain(|way| seen.insert(way.clone()));
    ways
}

fn as_titled(word: &str) -> String {
    if is_arabic(word) { part(word) } else { in_any_case(word) }
}

/// Returns a Latin word so that either case finds it: without its first letter, often a capital; a short
/// word, likely an abbreviation, in capitals.
fn in_any_case(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next();
    if word.chars().nth(3).is_some() && first.is_some_and(|c| c.is_ascii_alphabetic()) {
        letters.as_str().to_owned()
    } else {
        word.to_uppercase()
    }
}

/// Returns the last and the first three letters of a word: if one part has a slip, the other may have none.
fn ends(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    if letters.len() < 4 {
        return Vec::new();
    }
    let of = |part: Option<&[char]>| part.map(|part| part.iter().collect::<String>());
    [of(letters.get(letters.len() - 3..)), of(letters.get(..3))].into_iter().flatten().collect()
}

/// Returns a word without an initial alef, which may have a hamza, and without a last letter that may be ة,
/// ى, ء or silent.
fn part(word: &str) -> String {
    let long = |rest: &&str| rest.chars().nth(2).is_some();
    let bare = word.strip_prefix('ا').filter(long).unwrap_or(word);
    bare.strip_suffix(['ه', 'ي', 'ا']).filter(long).unwrap_or(bare).to_owned()
}

fn eastern(number: &str) -> String {
    let digit = |c: char| c.to_digit(10).and_then(|value| char::from_u32(0x660 + value)).unwrap_or(c);
    number.chars().map(digit).collect()
}

/// Replaces each of two letters that sound alike in Iraq by the other; `None` if the word has neither.
fn confused(word: &str) -> Option<String> {
    let other = |c| match c {
        'ض' => 'ظ',
        'ظ' => 'ض',
        c => c,
    };
    word.contains(['ض', 'ظ']).then(|| word.chars().map(other).collect())
}
