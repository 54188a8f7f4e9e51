//! A crate's `floors.txt`.

use std::collections::{BTreeMap, BTreeSet};

/// Name of the table, beside the crate's `Cargo.toml`.
pub(super) const NAME: &str = "floors.txt";

/// The floors of a crate.
#[derive(Debug)]
pub(super) struct Table {
    /// Line of each name.
    lines: BTreeMap<String, usize>,
    /// Names that stand on a second line.
    again: Vec<(String, usize)>,
}

impl Table {
    /// Reads the names, which spaces part; what follows a `#` is a comment.
    pub(super) fn parse(text: &str) -> Self {
        let mut table = Self { lines: BTreeMap::new(), again: Vec::new() };
        for (number, line) in (1..).zip(text.lines()) {
            let names = line.split('#').next().unwrap_or_default();
            for name in names.split_whitespace() {
                if table.lines.contains_key(name) {
                    table.again.push((name.to_owned(), number));
                } else {
                    table.lines.insert(name.to_owned(), number);
                }
            }
        }
        table
    }

    /// Returns the line of a folder or file, which says how high its floor is.
    pub(super) fn line(&self, name: &str) -> Option<usize> {
        self.lines.get(name).copied()
    }

    /// Lists where the table and the folders and files of `src` differ, each from its line on.
    pub(super) fn faults(&self, tops: &BTreeSet<String>) -> impl Iterator<Item = String> {
        let again = self.again.iter().map(|(name, number)| format!(":{number}: has `{name}` once more"));
        let gone = self.lines.iter().filter(|(name, _)| !tops.contains(*name));
        let gone = gone.map(|(name, number)| format!(":{number}: there is no `{name}` in src"));
        let without = tops.iter().filter(|name| !self.lines.contains_key(*name));
        let without = without.map(|name| format!(": `{name}` stands on no line"));
        again.chain(gone).chain(without)
    }
}
