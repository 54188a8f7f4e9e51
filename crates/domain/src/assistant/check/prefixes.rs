//! Letters that Arabic writes before a word.

/// Letters that Arabic writes before a word, and that are none of it.
pub(super) const PREFIXES: &[&str] = &["وب", "و", "ب", "ل", "ف", "ك"];

pub(super) fn bare(word: &str) -> impl Iterator<Item = &str> {
    PREFIXES.iter().filter_map(move |prefix| word.strip_prefix(prefix))
}
