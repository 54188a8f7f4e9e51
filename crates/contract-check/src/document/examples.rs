//! Examples, taken from the page for people.

use serde_json::Value;

pub(super) const PAGE: &str = include_str!("../../../../docs/integrate/custom-system.md");

/// Returns example number `at` (from 0) under a heading of the page; `null` if there is none, which a test
/// finds.
pub(super) fn under(heading: &str, at: usize) -> Value {
    let section = PAGE.split_once(&format!("# {heading}\n")).map_or("", |(_, rest)| rest);
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let section = section.split_once("\n### ").map_or(section, |(section, _)| section);
    let block = blocks(section).get(at).copied().unwrap_or_default();
    serde_json::from_str(block).unwrap_or_default()
}

/// Lists the blocks of JSON in a text.
pub(super) fn blocks(text: &str) -> Vec<&str> {
    let begun = text.split("```json\n").skip(1);
    begun.filter_map(|rest| Some(rest.split_once("\n```")?.0)).collect()
}
