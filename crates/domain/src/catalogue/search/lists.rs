//! Words that say little of what is wanted.

use std::{collections::HashSet, sync::LazyLock};

use super::{
    script::in_arabic,
    stem::{is_arabic, light},
    synonyms::Synonyms,
    words::plain,
};
use crate::text::fold_for_search;

static ASKING: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("asking.txt")));
static WISHES: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("wishes.txt")));
static LIGHT: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("light.txt")));
static UNITS: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("units.txt")));
static SERVICE: LazyLock<HashSet<String>> = LazyLock::new(|| {
    let spelled = read(include_str!("service.txt"));
    let stems: Vec<String> =
        spelled.iter().map(|word| light(&plain(word))).filter(|it| is_long(it)).collect();
    spelled.into_iter().chain(stems).collect()
});

fn read(list: &str) -> HashSet<String> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).map(fold_for_search).collect()
}

/// Returns whether a folded word only says that something is wanted.
pub(super) fn asks(word: &str) -> bool {
    let is_listed = |word: &str| ASKING.contains(word) || WISHES.contains(word);
    is_listed(word) || word.strip_prefix('و').is_some_and(|rest| is_long(rest) && is_listed(rest))
}

/// Returns whether what is wanted follows a folded word.
pub(super) fn begins_a_wish(word: &str) -> bool {
    WISHES.contains(word) || word.strip_prefix('و').is_some_and(|rest| WISHES.contains(rest))
}

/// Returns whether a folded word speaks of buying and not of a good: delivery, payment, thanks, a place.
/// What is a good as well, in just this spelling, is one.
pub(super) fn is_of_service(word: &str, synonyms: &Synonyms) -> bool {
    let plain_word = plain(word);
    let is_listed = |word: &str| SERVICE.contains(word);
    if is_listed(word) || is_listed(&plain_word) {
        return synonyms.spelled(word).is_empty();
    }
    if is_arabic(&plain_word) {
        let bare = plain_word.strip_prefix(['ل', 'ب', 'و']).filter(|rest| is_long(rest));
        let has_stem =
            is_listed(&light(&plain_word)) || bare.is_some_and(|it| is_listed(it) || is_listed(&light(it)));
        return has_stem && synonyms.groups(word).is_empty();
    }
    let is_heard =
        in_arabic(&plain_word).iter().any(|heard| is_long(heard) && is_listed(&light(&plain(heard))));
    is_heard && synonyms.groups(word).is_empty()
}

/// Returns whether a folded word tells which one of a thing, and not what it is.
pub(super) fn describes(word: &str) -> bool {
    LIGHT.contains(word)
}

/// Returns whether a folded word is a unit that numbers count.
pub(super) fn is_unit(word: &str) -> bool {
    UNITS.contains(word)
}

fn is_long(word: &str) -> bool {
    word.chars().nth(2).is_some()
}
