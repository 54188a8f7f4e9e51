//! What the sources cite against `docs/`: each page is there, with the heading that is named.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::texts::texts;

const FOLDERS: [&str; 4] = ["crates", "migrations", "tests", "xtask"];
/// The tests of this file contain faults on purpose.
const ITSELF: &str = "xtask/src/citations.rs";
/// Sources outside of the repository: `docs/run/networks.md` and `docs/use/rest-api.md` stand for them.
const ELSEWHERE: [&str; 2] = ["Graph API reference", "REST API v1"];

/// Pages and headings that can be cited.
struct Pages {
    /// Headings of each page, by its path.
    headings: BTreeMap<String, BTreeSet<String>>,
}

/// Lists the broken citations in the checkout at `root`, a line for each.
pub(crate) fn faults(root: &Path) -> anyhow::Result<Vec<String>> {
    let pages = Pages::of(&texts(root, &["docs"], &["md"])?);
    let mut sources = texts(root, &FOLDERS, &["rs", "sql"])?;
    sources.remove(ITSELF);
    Ok(sources.iter().flat_map(|(path, source)| faults_of(path, source, &pages)).collect())
}

impl Pages {
    fn of(pages: &BTreeMap<String, String>) -> Self {
        Self { headings: pages.iter().map(|(path, page)| (path.clone(), headings(page))).collect() }
    }

    /// Lists what is missing: the page, or what is named `after` it.
    fn missing(&self, page: &str, after: &str) -> Vec<String> {
        let Some(headings) = self.headings.get(page) else { return vec![format!("there is no {page}")] };
        let Some(named) = after.strip_prefix(", ") else { return Vec::new() };
        let Some(heading) = named.strip_prefix('"').and_then(|rest| rest.split('"').next()) else {
            return Vec::new();
        };
        let is_there = headings.contains(heading);
        if is_there { Vec::new() } else { vec![format!("{page} has no heading \"{heading}\"")] }
    }
}

/// Returns the headings of a page; a line of a code example may begin like one.
fn headings(page: &str) -> BTreeSet<String> {
    let mut is_code = false;
    let mut headings = BTreeSet::new();
    for line in page.lines() {
        is_code ^= line.starts_with("```");
        if !is_code && let Some((_, heading)) = line.split_once("# ").filter(|(mark, _)| is_mark(mark)) {
            headings.insert(heading.trim().to_owned());
        }
    }
    headings
}

/// Returns whether a text is the beginning of a heading's mark: nothing but `#`.
fn is_mark(text: &str) -> bool {
    text.chars().all(|letter| letter == '#')
}

/// Lists the broken citations of a source, a line for each.
fn faults_of(path: &str, source: &str, pages: &Pages) -> Vec<String> {
    let (text, starts) = flat(source);
    let from = |at: usize| text.get(at..).unwrap_or_default();
    let mut faults: Vec<(usize, String)> = Vec::new();
    for (at, _) in text.match_indices("docs/") {
        if let Some(page) = page(from(at)) {
            let missing = pages.missing(&page, from(at + page.len()));
            faults.extend(missing.into_iter().map(|fault| (at, fault)));
        }
    }
    for name in ELSEWHERE {
        let cited = text.match_indices(name);
        faults.extend(cited.map(|(at, _)| (at, format!("the {name} is not in docs/"))));
    }
    for (at, word) in text.match_indices("decision") {
        let rest = from(at + word.len());
        let rest = rest.strip_prefix('s').unwrap_or(rest);
        let is_numbered =
            rest.strip_prefix(' ').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if is_numbered || rest.starts_with(" of the REST API") {
            faults.push((at, "a decision is cited without its page".to_owned()));
        }
    }
    faults.sort();
    let line = |at: usize| starts.partition_point(|start| *start <= at);
    faults.into_iter().map(|(at, fault)| format!("{path}:{}: {fault}", line(at))).collect()
}

fn page(text: &str) -> Option<String> {
    let is_of_path = |letter: char| letter.is_ascii_alphanumeric() || "-_./".contains(letter);
    let path = text.split(|letter| !is_of_path(letter)).next()?;
    path.rsplit_once(".md").map(|(path, _)| format!("{path}.md"))
}

/// Joins the source to one line without comment marks, with the offset of each line: a citation may continue
/// on the next line.
fn flat(source: &str) -> (String, Vec<usize>) {
    let (mut text, mut starts) = (String::new(), Vec::new());
    for line in source.lines().map(str::trim) {
        starts.push(text.len());
        let marked = ["//!", "///", "//", "--"].into_iter().find_map(|mark| line.strip_prefix(mark));
        text.push_str(marked.unwrap_or(line).trim_start());
        text.push(' ');
    }
    (text, starts)
}

#[cfg(test)]
mod tests {
    use super::{BTreeMap, Pages, faults, faults_of, headings};
    use crate::workspace::root;

    #[test]
    fn whatever_the_sources_cite_can_be_opened() {
        assert_eq!(faults(root()).unwrap(), Vec::<String>::new());
    }

    fn pages() -> Pages {
        let page = |path: &str, page: &str| (path.to_owned(), page.to_owned());
        Pages::of(&BTreeMap::from([
            page("docs/parcels.md", "# Parcels\n\nThey go out.\n\n## How large, at most\n"),
            page("docs/far/README.md", "# Far away\n"),
        ]))
    }

    #[test]
    fn a_source_that_cites_what_is_there_has_no_fault() {
        let source = "\
//! Parcels (`docs/parcels.md`), as docs/far/README.md. tells of them (docs/parcels.md, 7).
/// The largest (docs/parcels.md, \"How large, at most\"; docs/far/README.md,
/// \"Far away\"); 9 of them.
const PAGE: &str = include_str!(\"../docs/parcels.md\"); // A caller of the REST API, by a decision of ours.
";
        assert_eq!(faults_of("a.rs", source, &pages()), Vec::<String>::new());
    }

    #[test]
    fn a_citation_that_leads_nowhere_is_told_with_its_line() {
        for (source, fault) in [
            ("// See docs/letters.md.", "1: there is no docs/letters.md"),
            ("fn f() {}\n-- (docs/parcels.md, \"Sizes\")", "2: docs/parcels.md has no heading \"Sizes\""),
            ("/// (docs/parcels.md,\n/// \"Sizes\")", "1: docs/parcels.md has no heading \"Sizes\""),
            ("\n//! (Graph API\n//! reference, F.1)", "2: the Graph API reference is not in docs/"),
            ("// (REST API v1, Limits)", "1: the REST API v1 is not in docs/"),
            ("// By decision 9 of the REST API.", "1: a decision is cited without its page"),
            ("// (decisions\n// 11 and 12)", "1: a decision is cited without its page"),
            ("// A decision of the\n// REST API.", "1: a decision is cited without its page"),
        ] {
            assert_eq!(faults_of("a.rs", source, &pages()), [format!("a.rs:{fault}")], "{source}");
        }
    }

    #[test]
    fn a_comment_in_an_example_is_no_heading() {
        let page = "# One\n\n```sh\n# Two\n```\n\n### Three # four\n\nA line with # five.\n";
        assert_eq!(headings(page).into_iter().collect::<Vec<_>>(), ["One", "Three # four"]);
    }
}
