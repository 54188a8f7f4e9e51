//! The statements that tests have run, against the rules that allow sharding a database by workspace.

mod exceptions;
mod explained;
mod rules;
mod scope;
mod tables;
mod tokens;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, bail};

use self::exceptions::{EXCEPTIONS, Exception, ON_A_CLUSTER};
use crate::{
    run::say,
    workspace::{Workspace, root},
};

use self::tables::Tables;

/// Environment variable with the folder that the tests write the texts to.
pub(crate) const FOLDER_VARIABLE: &str = "MESSAGING_TEST_STATEMENTS";

/// Texts that tests write to a folder, one per file.
pub(crate) struct Recorded(PathBuf);

impl Recorded {
    pub(crate) fn fresh(folder: PathBuf) -> anyhow::Result<Self> {
        if folder.exists() {
            fs::remove_dir_all(&folder).with_context(|| format!("emptying {}", folder.display()))?;
        }
        Ok(Self(folder))
    }

    /// Opens the folder of an earlier run.
    pub(crate) fn at(folder: PathBuf) -> Self {
        Self(folder)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.0
    }

    /// Lists the statements that connections of the store ran.
    pub(crate) fn executed(&self) -> anyhow::Result<Vec<String>> {
        self.texts("executed")
    }

    /// Lists the statements whose plans tests of the store have looked at.
    fn explained(&self) -> anyhow::Result<Vec<String>> {
        self.texts("explained")
    }

    /// Returns the types of each statement's values, in the order of their numbers, as far as a connection
    /// has reported them.
    pub(crate) fn types(&self) -> anyhow::Result<BTreeMap<String, Vec<u32>>> {
        let (executed, types) = (self.0.join("executed"), self.0.join("types"));
        let mut found = BTreeMap::new();
        if !executed.exists() {
            return Ok(found);
        }
        for entry in fs::read_dir(&executed)? {
            let entry = entry?;
            let Ok(numbers) = fs::read_to_string(types.join(entry.file_name())) else { continue };
            let numbers = numbers.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
            found.insert(fs::read_to_string(entry.path())?, numbers);
        }
        Ok(found)
    }

    fn texts(&self, kind: &str) -> anyhow::Result<Vec<String>> {
        let folder = self.0.join(kind);
        if !folder.exists() {
            return Ok(Vec::new());
        }
        let mut texts = fs::read_dir(&folder)?
            .map(|entry| fs::read_to_string(entry?.path()))
            .collect::<Result<Vec<_>, _>>()
            .with_context(|| format!("reading {}", folder.display()))?;
        texts.sort();
        Ok(texts)
    }
}

/// Folder to which `cargo xtask test` has the texts written, within that of the build.
pub(crate) const FOLDER: &str = "statements";

/// Which statements to judge.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The folder that the tests were told to leave them in (`MESSAGING_TEST_STATEMENTS`); without it, that
    /// of the last `cargo xtask test`.
    #[arg(long)]
    folder: Option<PathBuf>,
    /// Not all tests were run: an exception that no statement needs is no fault then.
    #[arg(long)]
    partial: bool,
}

/// Judges the statements of an earlier run.
pub(crate) fn judge_left(arguments: &Arguments) -> anyhow::Result<()> {
    let folder = match &arguments.folder {
        Some(folder) => folder.clone(),
        None => Workspace::read()?.target_directory().join(FOLDER),
    };
    judge(&Recorded::at(folder), !arguments.partial)
}

/// Judges the statements that were run. After `all` tests an unused exception is a fault as well.
///
/// # Errors
/// If a statement breaks a rule, or none was run at all.
pub(crate) fn judge(recorded: &Recorded, all: bool) -> anyhow::Result<()> {
    let executed = recorded.executed()?;
    if executed.is_empty() && all {
        bail!("no test has left a statement in {}", recorded.folder().display());
    }
    let tables = Tables::of(&root().join("migrations"))?;
    let mut faults = faults(&executed, &tables, EXCEPTIONS, all);
    let there = executed.iter().map(|text| (text, on_a_cluster(text)));
    let there: Vec<String> = there.filter(|(text, there)| *text != there).map(|(_, there)| there).collect();
    faults.extend(self::faults(&there, &tables, ON_A_CLUSTER, all));
    if all {
        // Some tests alone run statements that others explain.
        let explained = recorded.explained()?;
        faults.extend(explained::faults(&executed, &explained, &tables, explained::EXCEPTIONS));
    }
    if faults.is_empty() {
        let kept = "statements were run, keep the rules for sharding, and have plans that were looked at";
        say(&format!("{} {kept}", executed.len()));
        return Ok(());
    }
    say(&faults.join("\n"));
    bail!(
        "{} faults in {} statements (xtask/src/statements: rules.rs, explained.rs)",
        faults.len(),
        executed.len()
    )
}

/// Returns the reason why a statement need not run on one node.
pub(crate) fn reason(text: &str) -> Option<&'static str> {
    excepted(&collapsed(text), EXCEPTIONS)
}

/// Returns the reason of the exception that a text begins like.
fn excepted(text: &str, exceptions: &[Exception]) -> Option<&'static str> {
    let excepts = |exception: &&Exception| exception.1.iter().any(|beginning| text.starts_with(beginning));
    exceptions.iter().find(excepts).map(|(reason, _)| *reason)
}

/// Returns whether a text reads or changes rows.
fn is_judged(text: &str) -> bool {
    tokens::read(text).first().is_some_and(rules::begins_statement)
}

fn faults(texts: &[String], tables: &Tables, exceptions: &[Exception], all: bool) -> Vec<String> {
    let mut left: BTreeMap<&str, bool> =
        exceptions.iter().flat_map(|(_, beginnings)| *beginnings).map(|text| (*text, false)).collect();
    let mut told = Vec::new();
    for text in texts {
        let faults = rules::faults(text, tables);
        if faults.is_empty() {
            continue;
        }
        let text = collapsed(text);
        let excepted = left.iter_mut().filter(|(beginning, _)| text.starts_with(**beginning));
        if excepted.map(|(_, needed)| *needed = true).count() == 0 {
            let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
            told.push(format!("{}: {}", beginning(&text), faults.join("; ")));
        }
    }
    let unneeded = left.iter().filter(|(_, needed)| all && !**needed);
    told.extend(unneeded.map(|(beginning, _)| format!("{beginning}: is excepted for nothing")));
    told
}

/// Collapses white space to one space between words.
fn collapsed(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Selects the texts that read or change rows of a table. Tests run others, of which one ends its own
/// connection.
pub(crate) fn of_tables(texts: Vec<String>) -> anyhow::Result<Vec<String>> {
    let tables = Tables::of(&root().join("migrations"))?;
    let is_of_one = |text: &String| is_judged(text) && tables.are_named(&tokens::read(text));
    Ok(texts.into_iter().filter(is_of_one).collect())
}

/// Returns the form that a cluster is given, of a statement with a form of its own for one server.
pub(crate) fn on_a_cluster(text: &str) -> String {
    match reason(text) {
        Some(exceptions::FOR_ONE_SERVER) => text.replace("IS NOT DISTINCT FROM", "="),
        _ => text.to_owned(),
    }
}

/// Returns enough of a statement to recognize it.
pub(crate) fn beginning(text: &str) -> String {
    collapsed(text).chars().take(160).collect()
}

#[cfg(test)]
mod tests;
