//! What a machine can see of how the sources are written: how docs begin, how long their lines are, where
//! modules stand.

use std::fs;
use std::path::Path;

use anyhow::Context;

/// Longest line of a doc comment, in characters, as `rustfmt.toml` has it for code.
const LONGEST: usize = 110;
/// Beginnings of a doc that name no thing and no act.
const BEGINNINGS: [&str; 11] = [
    "It ",
    "They ",
    "So many",
    "So long",
    "So often",
    "At most so ",
    "There are so ",
    "Says ",
    "Shows what it shows",
    "…",
    "When.",
];
const FOLDERS: [&str; 3] = ["crates", "tests", "xtask"];
/// Sources whose public items have docs, but for methods: the core, which everything else is read against.
const DOCUMENTED: &str = "crates/domain/src/";
const ITEMS: [&str; 8] = ["struct ", "enum ", "trait ", "fn ", "async fn ", "const fn ", "const ", "type "];
/// Its constants and tests are made of faults.
const ITSELF: &str = "xtask/src/words.rs";

/// One line for each fault in the checkout at `root`.
pub(crate) fn faults(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    for folder in FOLDERS {
        collect(root, folder, &mut faults)?;
    }
    faults.sort();
    Ok(faults)
}

/// Collects the faults below a folder; returns whether it holds a module.
fn collect(root: &Path, folder: &str, faults: &mut Vec<String>) -> anyhow::Result<bool> {
    let (mut files, mut modules) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(root.join(folder)).with_context(|| format!("the folder {folder}"))? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = format!("{folder}/{name}");
        if entry.file_type()?.is_dir() {
            if name != "node_modules" && collect(root, &path, faults)? {
                modules.push(name);
            }
        } else if let Some(name) = name.strip_suffix(".rs") {
            files.push(name.to_owned());
            if path != ITSELF {
                let source = fs::read_to_string(entry.path())?;
                let mut found = faults_of(&source);
                if path.starts_with(DOCUMENTED) {
                    found.extend(without_docs(&source));
                }
                faults.extend(found.into_iter().map(|(line, fault)| format!("{path}:{line}: {fault}")));
            }
        }
    }
    // Files in `tests` of a crate are programs, and what they share stands in folders beside them.
    let programs = folder == "tests" || folder.ends_with("/tests");
    let split = files.iter().filter(|name| !programs && modules.contains(name));
    faults.extend(split.map(|name| format!("{folder}/{name}.rs: belongs into {folder}/{name}/mod.rs")));
    Ok(!files.is_empty())
}

/// Faults of a source with the numbers of their lines.
fn faults_of(source: &str) -> Vec<(usize, String)> {
    let mut faults = Vec::new();
    let mut in_doc = false;
    for (number, line) in (1..).zip(source.lines()) {
        let text = line.trim_start();
        let Some(doc) = text.strip_prefix("///").or_else(|| text.strip_prefix("//!")) else {
            in_doc = false;
            continue;
        };
        if line.chars().count() > LONGEST {
            faults.push((number, format!("a line of a doc is longer than {LONGEST} characters")));
        }
        let begins = !std::mem::replace(&mut in_doc, true);
        let doc = doc.trim_start();
        if let Some(beginning) = BEGINNINGS.iter().find(|beginning| begins && doc.starts_with(*beginning)) {
            faults.push((number, format!("a doc begins with \"{}\"", beginning.trim_end())));
        }
    }
    faults
}

/// Public items of a source that have no doc, with the numbers of their lines.
fn without_docs(source: &str) -> Vec<(usize, String)> {
    let mut faults = Vec::new();
    let mut documented = false;
    let product = source.split("#[cfg(test)]").next().unwrap_or_default();
    for (number, line) in (1..).zip(product.lines()) {
        if line.starts_with("///") {
            documented = true;
        } else if !line.starts_with([' ', '#', ')']) {
            let item =
                line.strip_prefix("pub ").filter(|item| ITEMS.iter().any(|kind| item.starts_with(kind)));
            if let Some(item) = item.filter(|_| !documented) {
                faults.push((number, format!("no doc: {item}")));
            }
            documented = false;
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, faults_of, without_docs};

    #[test]
    fn docs_that_begin_with_no_thing_and_no_act_and_lines_that_are_too_long_are_told() {
        let long = "x".repeat(LONGEST);
        for (source, line) in [
            ("/// So many are handled at once.\nconst BATCH: u8 = 1;", Some(1)),
            ("/// Largest batch.\n/// It is handled at once.", None),
            ("// It is a comment.", None),
            ("    /// It says who.\n    pub who: Who,", Some(1)),
            ("/// A name.\nname: String,\n/// They are others.\nothers: Others,", Some(3)),
            (&format!("/// Largest.\n/// {long}"), Some(2)),
            (&format!("// {long}"), None),
            ("//! They hold.", Some(1)),
        ] {
            let told = faults_of(source);
            assert_eq!(told.first().map(|(line, _)| *line), line, "{source}: {told:?}");
        }
    }
    #[test]
    fn public_items_without_a_doc_are_told_whatever_attributes_they_have() {
        for (source, line) in [
            ("/// A name.\n#[derive(\n    Debug,\n)]\npub struct Name(String);", None),
            ("#[derive(Debug)]\npub struct Name(String);", Some(2)),
            ("/// A name.\npub struct Name(String);\npub fn name() {}", Some(3)),
            ("impl Name {\n    pub fn as_str(&self) -> &str { &self.0 }\n}", None),
            ("pub mod name;\npub use name::Name;\npub(crate) fn name() {}", None),
            ("/// A name.\n\npub const LONGEST: usize = 1;", Some(3)),
            ("#[cfg(test)]\nmod tests {}\npub fn name() {}", None),
        ] {
            assert_eq!(without_docs(source).first().map(|(line, _)| *line), line, "{source}");
        }
    }
}
