//! What a machine can see of how the sources are written: how docs begin, how long their lines are, where modules stand.

use std::fs;
use std::path::Path;

use anyhow::Context;

/// Longest line of a doc comment, in characters, as `rustfmt.toml` has it for code.
const LONGEST: usize = 110;
/// Beginnings of a doc that name no thing and no act.
const BEGINNINGS: [&str; 13] = [
    "It ",
    "They ",
    "Those ",
    "So many",
    "So long",
    "So often",
    "At most so ",
    "There are so ",
    "The same",
    "Says ",
    "Shows what it shows",
    "…",
    "When.",
];
const FOLDERS: [&str; 3] = ["crates", "tests", "xtask"];
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
                faults.extend(faults_of(&source).into_iter().map(|(line, fault)| format!("{path}:{line}: {fault}")));
            }
        }
    }
    // Files in `tests` of a crate are programs, and what they share stands in folders beside them.
    let programs = folder.ends_with("/tests");
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

#[cfg(test)]
mod tests {
    use super::{LONGEST, faults_of};

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
}
