//! The ways to write one word, or a name of several.

use std::collections::HashSet;

use super::{
    asked::Word,
    script::{in_arabic, in_latin, readings, sound},
    stem::{is_arabic, light, plural, singulars},
    synonyms::{Group, Member, Sort, Synonyms},
    words::{is_arabic_in_latin, plain},
};

/// A way to ask for a word.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Way {
    pub(super) text: String,
    /// How likely it finds more than the others do.
    pub(super) worth: f64,
}

/// What the ways of a word are worth, the likeliest first; the last holds for all after it. A name has two
/// scripts, a good has synonyms, and what says only which of a good finds too much and too little.
const NAME: &[f64] = &[10.0, 9.5, 6.0, 4.0];
const GOOD: &[f64] = &[10.0, 7.5, 5.0, 4.0, 3.0];
/// What the broken plural of a good is worth: it may stand in the titles of sets.
const PLURAL: f64 = 5.6;
const WHICH: &[f64] = &[5.5, 3.5, 2.0];
const UNKNOWN: &[f64] = &[8.5, 8.0, 6.0, 4.0];
const NUMBER: &[f64] = &[2.0, 1.0];

/// Lists the ways to write a name of several words that is known.
pub(super) fn of_several(words: &[Word], groups: &[&Group]) -> Vec<Way> {
    let joined: String = words.iter().map(|word| word.text.as_str()).collect();
    let apart: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    let own = longest(&apart.join(" ")).to_owned();
    of_known(&joined, Some(&own), groups)
}

/// Lists the ways to write a number.
pub(super) fn of_number(number: &str) -> Vec<Way> {
    let digit = |c: char| c.to_digit(10).and_then(|value| char::from_u32(0x660 + value)).unwrap_or(c);
    weighed([number.to_owned(), number.chars().map(digit).collect()], NUMBER)
}

/// Lists the ways to write one word, likeliest first.
pub(super) fn of_word(word: &str, synonyms: &Synonyms) -> Vec<Way> {
    let groups = synonyms.likely_groups(word);
    if !groups.is_empty() {
        return of_known(word, None, &groups);
    }
    let is_digit = |c: char| c.is_ascii_digit();
    if word.contains(is_digit) && !is_arabic_in_latin(word) {
        return of_model(word, synonyms);
    }
    if let Some((meant, groups)) = synonyms.likely(word) {
        let mut ways = of_known(word, Some(meant), &groups);
        // It may be no slip.
        ways.extend(
            weighed(unknown(word), UNKNOWN).into_iter().map(|way| Way { worth: way.worth - 2.0, ..way }),
        );
        return ways;
    }
    weighed(unknown(word), UNKNOWN)
}

/// Lists the ways to write letters with a number: `a54`, `iphone15`.
fn of_model(word: &str, synonyms: &Synonyms) -> Vec<Way> {
    let letters = word.trim_matches(|c: char| c.is_ascii_digit());
    if letters.chars().nth(2).is_some() && letters.chars().all(char::is_alphabetic) {
        return of_word(letters, synonyms);
    }
    weighed([word.to_uppercase(), word.to_owned()], UNKNOWN)
}

/// Lists the ways to write a word of some groups; `meant` is what stands for it in titles, if not its own
/// stem.
fn of_known(word: &str, meant: Option<&str>, groups: &[&Group]) -> Vec<Way> {
    let members = || groups.iter().flat_map(|group| &group.members);
    let (arabic, latin): (Vec<&Member>, Vec<&Member>) = members().partition(|member| member.is_arabic());
    let sort = groups.first().map_or(Sort::Good, |group| group.sort);
    let plain_word = plain(word);
    let stem = light(&plain_word);
    // The broken plural of a member finds less than its singular.
    let is_plural =
        meant.is_none() && !members().any(|member| light(&plain(&member.words.replace(' ', ""))) == stem);
    let own = if let Some(meant) = meant {
        is_arabic(meant).then(|| part(meant))
    } else if is_arabic(&plain_word) {
        Some(if sort == Sort::Name { part(&plain_word) } else { part(&stem) })
    } else {
        arabic.iter().find(|member| sounds_as(&plain_word, member)).map(|member| as_titled(member))
    };
    let (own, late) = if is_arabic(&plain_word) && is_plural { (None, own) } else { (own, None) };
    let mut arabic = arabic.into_iter();
    let head = arabic.next();
    let mut ways: Vec<String> = Vec::new();
    if sort == Sort::Name {
        let foreign = latin.first().map(|member| as_named(member));
        if is_arabic(&plain_word) {
            ways.extend(foreign);
            ways.extend(head.map(as_named));
            ways.extend(own.or(late));
        } else {
            ways.extend(head.map(as_named));
            ways.extend(foreign);
        }
        ways.extend(arabic.map(as_named));
        ways.extend(latin.iter().skip(1).map(|member| as_named(member)));
    } else {
        ways.extend(head.map(as_titled));
        ways.extend(own);
        // As the customer wrote it, in case the letters tell words apart.
        if is_arabic(word) && word != plain_word {
            ways.push(part(&light(word)));
        }
        ways.extend(arabic.next().map(as_titled));
        let is_english = !is_arabic(&plain_word) && !is_arabic_in_latin(word);
        ways.extend(is_english.then(|| in_any_case(&light(word))));
        ways.extend(arabic.map(as_titled));
        ways.extend(late);
        ways.extend(latin.first().map(|member| as_titled(member)));
    }
    let worth = match sort {
        Sort::Name => NAME,
        Sort::Good => GOOD,
        Sort::Which => WHICH,
    };
    let plural = head.filter(|_| sort == Sort::Good).and_then(|member| plural(&member.words));
    let mut ways = weighed(ways, worth);
    ways.extend(plural.map(|text| Way { text, worth: PLURAL }));
    ways
}

/// Lists the ways to write a word of which nothing is known.
fn unknown(word: &str) -> Vec<String> {
    if is_arabic(word) {
        let plain = plain(word);
        let own = part(&light(&plain));
        let mut ways: Vec<String> = singulars(&plain).first().map(|one| part(one)).into_iter().collect();
        // As the customer wrote it, in case the letters tell words apart.
        ways.push(part(&light(word)));
        ways.push(own.clone());
        ways.extend(confused(&plain).map(|other| part(&light(&other))));
        ways.extend(in_latin(&plain));
        ways.extend(ends(&own));
        ways.extend(plural(&plain));
        return ways;
    }
    let [all, bare] = in_arabic(word);
    let mut ways = Vec::new();
    if word.is_ascii() && !is_arabic_in_latin(word) {
        ways.push(in_any_case(&light(word)));
    }
    ways.push(part(&bare));
    ways.push(part(&all));
    ways.extend(ends(&part(&bare)));
    ways
}

fn weighed(ways: impl IntoIterator<Item = String>, worth: &[f64]) -> Vec<Way> {
    let mut seen = HashSet::new();
    let ways = ways.into_iter().filter(|way| seen.insert(way.clone()));
    let last = worth.last().copied().unwrap_or_default();
    ways.zip(worth.iter().copied().chain(std::iter::repeat(last)))
        .map(|(text, worth)| Way { text, worth })
        .collect()
}

/// Returns whether a Latin word may be a member in Arabic letters.
fn sounds_as(word: &str, member: &Member) -> bool {
    let theirs = sound(&light(&plain(&member.words.replace(' ', ""))));
    readings(word).iter().any(|reading| sound(&light(&plain(reading))) == theirs)
}

/// Returns what finds a member in titles.
fn as_titled(member: &Member) -> String {
    let word = longest(&member.written);
    if member.is_arabic() { part(word) } else { in_any_case(word) }
}

/// Returns what finds a name in titles: of a short one, without its ends nothing would be left that tells it.
fn as_named(member: &Member) -> String {
    let word = longest(&member.written);
    if word.chars().nth(4).is_none() { word.to_owned() } else { as_titled(member) }
}

/// Returns the longest of several words, which is likeliest written in one way; all if each is short.
fn longest(words: &str) -> &str {
    // Of equal ones, the first.
    let longest = words.split_whitespace().rev().max_by_key(|word| word.chars().count());
    longest.filter(|word| word.chars().nth(3).is_some()).unwrap_or(words)
}

/// Returns a Latin word so that either case finds it: without its first letter, often a capital; a short
/// word, likely an abbreviation, in capitals.
fn in_any_case(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next();
    let is_shouted = word.chars().all(|c| !c.is_lowercase());
    if word.chars().nth(3).is_some() && first.is_some_and(|c| c.is_ascii_alphabetic()) && !is_shouted {
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
    let bare = word.strip_prefix(['ا', 'أ', 'إ', 'آ']).filter(long).unwrap_or(word);
    bare.strip_suffix(['ه', 'ة', 'ي', 'ى', 'ا', 'ء']).filter(long).unwrap_or(bare).to_owned()
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
