//! Words that say little of what is wanted.

use std::{borrow::Cow, collections::HashSet, sync::LazyLock};

use crate::{language::plain_letter, text::fold_for_search};

static ASKING: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("asking.txt")));
static WISHES: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("wishes.txt")));
static LIGHT: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("light.txt")));
static UNITS: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("units.txt")));

/// Reads words between white space; `#` begins a remark.
pub(super) fn read(list: &str) -> HashSet<String> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines
        .flat_map(str::split_whitespace)
        .map(|word| plain_letters(&fold_for_search(word)).into_owned())
        .collect()
}

/// Writes a word with the letters of an Arabic keyboard, as many who write Kurdish do.
fn plain_letters(word: &str) -> Cow<'_, str> {
    if word.chars().all(|c| plain_letter(c) == c) {
        Cow::Borrowed(word)
    } else {
        Cow::Owned(word.chars().map(plain_letter).collect())
    }
}

/// Returns whether a folded word only says that something is wanted.
pub(super) fn asks(word: &str) -> bool {
    let word = plain_letters(word);
    let is_listed = |word: &str| ASKING.contains(word) || WISHES.contains(word);
    is_listed(&word) || word.strip_prefix('و').is_some_and(|rest| is_long(rest) && is_listed(rest))
}

/// Returns whether what is wanted follows a folded word.
pub(super) fn begins_a_wish(word: &str) -> bool {
    let word = plain_letters(word);
    WISHES.contains(&*word) || word.strip_prefix('و').is_some_and(|rest| WISHES.contains(rest))
}

/// Returns whether a folded word tells which one of a thing, and not what it is.
pub(super) fn describes(word: &str) -> bool {
    LIGHT.contains(&*plain_letters(word))
}

/// Returns whether a folded word is a unit that numbers count.
pub(super) fn is_unit(word: &str) -> bool {
    UNITS.contains(&*plain_letters(word))
}

/// Returns whether a word has three letters or more.
pub(super) fn is_long(word: &str) -> bool {
    word.chars().nth(2).is_some()
}
