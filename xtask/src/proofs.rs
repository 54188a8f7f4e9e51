//! `docs/run/assistant.md` and `docs/change/contributing.md` against the tests that they name: each rule of
//! the assistant is proven by existing tests.

use std::{collections::HashSet, path::Path};

use crate::texts::texts;

/// Number of the assistant's rules.
const RULES: usize = 14;

/// Collects the names of all tests in the checkout at `root`.
pub(crate) fn tests(root: &Path) -> anyhow::Result<HashSet<String>> {
    let sources = texts(root, &["crates", "tests"], &["rs"])?;
    Ok(sources.values().flat_map(|source| of(source)).collect())
}

/// Lists the functions of a source right below an attribute that makes them tests.
fn of(source: &str) -> Vec<String> {
    let mut is_test = false;
    let mut names = Vec::new();
    for line in source.lines().map(str::trim_start) {
        if line.starts_with("#[") {
            is_test |= line.split([']', '(']).next().is_some_and(|attribute| attribute.ends_with("test"));
            continue;
        }
        let line = line.strip_prefix("async ").unwrap_or(line);
        if let Some((name, _)) = line.strip_prefix("fn ").and_then(|rest| rest.split_once('('))
            && is_test
        {
            names.push(name.to_owned());
        }
        is_test = false;
    }
    names
}

/// Lists the rules that the page leaves out or proves by nothing, and the missing tests that it names, a line
/// for each.
pub(crate) fn faults(page: &str, tests: &HashSet<String>) -> Vec<String> {
    let mut faults = Vec::new();
    for rule in (1..=RULES).map(|number| format!("R{number}")) {
        let row = page.lines().find(|line| line.starts_with(&format!("| {rule} |")));
        let Some(proof) = row.and_then(|row| row.split('|').nth(3)) else {
            faults.push(format!("there is no row for {rule}"));
            continue;
        };
        let named: Vec<&str> = proof.split('`').skip(1).step_by(2).collect();
        if named.is_empty() {
            faults.push(format!("{rule} names no test"));
        }
        let gone = named.into_iter().filter(|name| !tests.contains(*name));
        faults.extend(gone.map(|name| format!("{rule}: there is no test `{name}`")));
    }
    faults
}

/// Lists the missing tests that a page names, a line for each. A name of four or more words in small letters
/// is a test's.
pub(crate) fn gone(page: &str, tests: &HashSet<String>) -> Vec<String> {
    let is_part = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '_';
    let named = page.split('`').skip(1).step_by(2);
    let named = named.filter(|name| name.chars().all(is_part) && name.matches('_').count() >= 3);
    let gone = named.filter(|name| !tests.contains(*name));
    gone.map(|name| format!("there is no test `{name}`")).collect()
}

#[cfg(test)]
mod tests {
    use super::{RULES, faults, gone, of};

    #[test]
    fn a_test_that_a_page_names_and_is_gone_is_told() {
        let tests = ["every_event_is_told".to_owned()].into();
        let page = "| `webhooks/event.rs` | compiler: `an_event`, `event_types!`; `every_event_is_told` |";
        assert_eq!(gone(page, &tests), Vec::<String>::new());
        let page = page.replace("is_told", "was_told");
        assert_eq!(gone(&page, &tests), ["there is no test `every_event_was_told`"]);
    }

    #[test]
    fn tests_are_told_from_what_only_helps_them() {
        let source = "#[test]\nfn one() {}\nfn helper() {}\n    #[tokio::test]\n    #[expect(x)]\n    async fn two() {}\n\
                      #[expect(clippy::x, reason = \"test support\")]\nfn three() {}\n";
        assert_eq!(of(source), ["one", "two"]);
    }

    #[test]
    fn a_rule_without_a_row_or_a_test_and_a_test_that_is_gone_are_told() {
        let row = |number: usize, proof: &str| format!("| R{number} | rule | {proof} |\n");
        let tests = ["one".to_owned(), "two".to_owned()].into();
        let whole: String = (1..=RULES).map(|number| row(number, "`one`, `two`")).collect();
        assert_eq!(faults(&whole, &tests), Vec::<String>::new());
        let broken =
            whole.replace(&row(3, "`one`, `two`"), "").replace(&row(5, "`one`, `two`"), &row(5, "words"));
        let broken = broken.replace(&row(9, "`one`, `two`"), &row(9, "`one`, `three`"));
        let told = ["there is no row for R3", "R5 names no test", "R9: there is no test `three`"];
        assert_eq!(faults(&broken, &tests), told);
    }
}
