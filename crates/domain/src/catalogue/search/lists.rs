//! The words that say little of what is wanted, read once.

use std::{collections::HashSet, sync::LazyLock};

use crate::text::fold_for_search;

/// These words ask.
static ASKING: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("asking.txt")));
/// These words describe.
static LIGHT: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("light.txt")));
/// Numbers count these.
static UNITS: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("units.txt")));

fn read(list: &str) -> HashSet<String> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).map(fold_for_search).collect()
}

/// Says whether a folded word only says that something is wanted.
pub(super) fn asks(word: &str) -> bool {
    ASKING.contains(word)
}

/// Says whether a folded word says which of a thing and not what it is.
pub(super) fn describes(word: &str) -> bool {
    LIGHT.contains(word)
}

/// Says whether a folded word is what a number counts.
pub(super) fn is_unit(word: &str) -> bool {
    UNITS.contains(word)
}
