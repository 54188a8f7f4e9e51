//! What a machine can see of how the sources are written: how docs begin, how long their lines are, where
//! modules stand.

use std::collections::BTreeMap;
use std::path::Path;

use crate::texts::texts;

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
/// Languages of what docs show in a block. Rust is not among them: no check runs code that stands in docs.
const SHOWN: [&str; 4] = ["text", "json", "sql", "http"];
const FOLDERS: [&str; 3] = ["crates", "tests", "xtask"];
/// Sources whose public items have docs, but for methods: the core, which everything else is read against.
const DOCUMENTED: &str = "crates/domain/src/";
const ITEMS: [&str; 8] = ["struct ", "enum ", "trait ", "fn ", "async fn ", "const fn ", "const ", "type "];
/// Its constants and tests are made of faults.
const ITSELF: &str = "xtask/src/words.rs";

/// Lists the faults in the checkout at `root`, a line for each.
pub(crate) fn faults(root: &Path) -> anyhow::Result<Vec<String>> {
    let sources = texts(root, &FOLDERS, &["rs"])?;
    let mut faults = split(&sources);
    for (path, source) in sources.iter().filter(|(path, _)| *path != ITSELF) {
        let mut found = faults_of(source);
        if path.starts_with(DOCUMENTED) {
            found.extend(without_docs(source));
        }
        faults.extend(found.into_iter().map(|(line, fault)| format!("{path}:{line}: {fault}")));
    }
    Ok(faults)
}

/// Lists modules that stand beside the folder of the modules below them. Files of a folder `tests` are
/// programs, and what they share stands in folders beside them.
fn split(sources: &BTreeMap<String, String>) -> Vec<String> {
    let modules = sources.keys().filter_map(|path| path.strip_suffix(".rs"));
    let split = modules.filter(|module| {
        let below = format!("{module}/");
        let is_program = module.rsplit('/').nth(1) == Some("tests");
        !is_program && sources.range(below.clone()..).next().is_some_and(|(path, _)| path.starts_with(&below))
    });
    split.map(|module| format!("{module}.rs: belongs into {module}/mod.rs")).collect()
}

/// Faults of a source with the numbers of their lines.
fn faults_of(source: &str) -> Vec<(usize, String)> {
    let mut faults = Vec::new();
    let (mut in_doc, mut in_block) = (false, false);
    for (number, line) in (1..).zip(source.lines()) {
        let text = line.trim_start();
        let Some(doc) = text.strip_prefix("///").or_else(|| text.strip_prefix("//!")) else {
            (in_doc, in_block) = (false, false);
            continue;
        };
        if line.chars().count() > LONGEST {
            faults.push((number, format!("a line of a doc is longer than {LONGEST} characters")));
        }
        let begins = !std::mem::replace(&mut in_doc, true);
        let doc = doc.trim_start();
        if let Some(language) = doc.strip_prefix("```") {
            in_block = !in_block;
            if in_block && !SHOWN.contains(&language) {
                faults.push((
                    number,
                    format!("a block of a doc is none of {}: a test shows code", SHOWN.join(", ")),
                ));
            }
        }
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
    use super::{LONGEST, faults_of, split, without_docs};

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
            ("/// A sum.\n/// ```\n/// assert_eq!(1 + 1, 2);\n/// ```", Some(2)),
            ("/// A sum.\n/// ```text\n/// 1 + 1\n/// ```\n/// Twice.", None),
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
    #[test]
    fn a_module_beside_the_folder_of_its_modules_is_told_and_a_program_of_tests_is_not() {
        let paths = ["src/a.rs", "src/a/b.rs", "src/ab.rs", "src/c/mod.rs", "tests/d.rs", "tests/d/e.rs"];
        let sources = paths.into_iter().map(|path| (path.to_owned(), String::new())).collect();
        assert_eq!(split(&sources), ["src/a.rs: belongs into src/a/mod.rs"]);
    }
}
