//! The examples that people read, taken from their page.

use serde_json::Value;

/// The page.
pub(super) const PAGE: &str = include_str!("../../../../docs/custom-system.md");

/// The example at this place under a heading of the page, counted from 0; `null` where there is none, which a test finds.
pub(super) fn under(heading: &str, at: usize) -> Value {
    let section = PAGE.split_once(&format!("# {heading}\n")).map_or("", |(_, rest)| rest);
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let section = section.split_once("\n### ").map_or(section, |(section, _)| section);
    let block = blocks(section).get(at).copied().unwrap_or_default();
    serde_json::from_str(block).unwrap_or_default()
}

/// The blocks of JSON in a text.
pub(super) fn blocks(text: &str) -> Vec<&str> {
    let begun = text.split("```json\n").skip(1);
    begun.filter_map(|rest| Some(rest.split_once("\n```")?.0)).collect()
}
