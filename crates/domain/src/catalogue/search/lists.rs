//! Words that say little of what is wanted.

use std::{collections::HashSet, sync::LazyLock};

use crate::text::fold_for_search;

static ASKING: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("asking.txt")));
static LIGHT: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("light.txt")));
static UNITS: LazyLock<HashSet<String>> = LazyLock::new(|| read(include_str!("units.txt")));

fn read(list: &str) -> HashSet<String> {
    let lines = list.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).map(fold_for_search).collect()
}

/// Returns whether a folded word only says that something is wanted.
pub(super) fn asks(word: &str) -> bool {
    ASKING.contains(word)
}

/// Returns whether a folded word tells which one of a thing, and not what it is.
pub(super) fn describes(word: &str) -> bool {
    LIGHT.contains(word)
}

/// Returns whether a folded word is a unit that numbers count.
pub(super) fn is_unit(word: &str) -> bool {
    UNITS.contains(word)
}
