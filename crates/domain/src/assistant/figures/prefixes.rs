//! Letters that Arabic writes before a word.

/// Letters that Arabic writes before a word, and that are none of it.
const PREFIXES: &[&str] = &["وب", "و", "ب", "ل", "ف", "ك"];

/// Returns what is left of the word without each of the letters that it may begin with.
pub(super) fn bare(word: &str) -> impl Iterator<Item = &str> {
    PREFIXES.iter().filter_map(move |prefix| word.strip_prefix(prefix))
}
