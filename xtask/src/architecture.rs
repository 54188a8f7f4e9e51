//! `docs/change/architecture.md`, `docs/change/mechanisms.md`, `docs/change/adding.md` and the pages in
//! `docs/change/walks` against the tree: the tables of nouns, of files to open and of crates, the steps, and
//! the names and paths in the text.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;

use anyhow::Context;

/// Facts of the tree that the pages are compared with.
#[derive(Default)]
pub(crate) struct Tree {
    /// Folders right under the sources of each crate.
    folders: BTreeMap<String, BTreeSet<String>>,
    /// Path of every file and folder in `crates`, from there; of those in `xtask/src`, from the root.
    paths: BTreeSet<String>,
    /// Words of the sources and the migrations, without comments.
    words: HashSet<String>,
}

/// Crates whose folders are nouns: the columns of that table.
const OF_NOUNS: [&str; 3] = ["domain", "adapter-http", "adapter-postgres"];

impl Tree {
    /// Reads the tree of the checkout at `root` with these packages.
    pub(crate) fn read(root: &Path, members: &[String]) -> anyhow::Result<Self> {
        let mut tree = Self::default();
        for member in members {
            let folder = if member == "xtask" { root.join(member) } else { root.join("crates").join(member) };
            let mut folders = BTreeSet::new();
            for entry in
                fs::read_dir(folder.join("src")).with_context(|| format!("the sources of {member}"))?
            {
                let entry = entry?;
                if entry.file_type()?.is_dir() {
                    folders.insert(entry.file_name().to_string_lossy().into_owned());
                }
            }
            tree.folders.insert(member.clone(), folders);
        }
        for folder in ["crates", "xtask/src", "migrations"] {
            let place = match folder {
                "crates" => Some(""),
                "xtask/src" => Some("xtask/src/"),
                _ => None,
            };
            tree.walk(&root.join(folder), place)?;
        }
        Ok(tree)
    }

    /// Walks a folder; `place` is the prefix of its paths, `None` if they are not listed.
    fn walk(&mut self, folder: &Path, place: Option<&str>) -> anyhow::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            let place = place.map(|place| format!("{place}{name}"));
            if entry.file_type()?.is_dir() {
                self.walk(&path, place.as_ref().map(|place| format!("{place}/")).as_deref())?;
            } else if path.extension().is_some_and(|extension| extension == "rs" || extension == "sql") {
                let text = fs::read_to_string(&path)?;
                let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
                let words = lines.flat_map(|line| line.split(|letter: char| !is_of_word(letter)));
                self.words.extend(words.map(str::to_owned));
            }
            self.paths.extend(place);
        }
        Ok(())
    }

    fn has(&self, path: &str) -> bool {
        self.paths.contains(path.trim_end_matches('/'))
    }
}

/// Reads the pages about the tree, joined into one.
pub(crate) fn page(root: &Path) -> anyhow::Result<String> {
    let pages = root.join("docs/change");
    let mut paths = vec![pages.join("architecture.md"), pages.join("mechanisms.md")];
    for entry in fs::read_dir(pages.join("walks")).context("the folder docs/change/walks")? {
        paths.push(entry?.path());
    }
    let mut joined = String::new();
    for path in paths {
        let page = fs::read_to_string(&path).with_context(|| format!("reading {}", path.display()))?;
        joined.push_str(&page);
        joined.push('\n');
    }
    Ok(joined)
}

/// Lists what the page says wrongly of the tree or leaves out, a line for each.
pub(crate) fn faults(page: &str, tree: &Tree) -> Vec<String> {
    let mut faults = nouns(&table(page, "noun"), tree);
    faults.extend(files(&table(page, "crate and its files"), tree));
    faults.extend(crates(&table(page, "crate"), tree));
    let gone = names(page).filter(|name| !last_word(name).is_some_and(|word| tree.words.contains(word)));
    faults.extend(gone.map(|name| format!("the sources have no `{name}`")));
    let missing = paths(page).filter(|path| !tree.has(path));
    faults.extend(missing.map(|path| format!("there is no `{path}`")));
    faults.sort();
    faults.dedup();
    faults
}

/// Checks that the table of nouns has every folder of their crates, and nothing that does not exist.
fn nouns(table: &[Vec<String>], tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    let Some((header, rows)) = table.split_first() else { return vec!["there is no table of nouns".into()] };
    let columns: Vec<String> = header.iter().map(|title| title.trim_matches('`').to_owned()).collect();
    for name in OF_NOUNS {
        let Some(place) = columns.iter().position(|column| column == name) else {
            faults.push(format!("the table of nouns has no column `{name}`"));
            continue;
        };
        let named: Vec<&str> =
            rows.iter().filter_map(|row| row.get(place)).flat_map(|cell| spans(cell)).collect();
        for folder in tree.folders.get(name).into_iter().flatten() {
            if !named.contains(&format!("{folder}/").as_str()) {
                faults.push(format!("the table of nouns does not name `{folder}/` of {name}"));
            }
        }
        for path in named.iter().filter(|path| !tree.has(&format!("{name}/src/{path}"))) {
            faults.push(format!("the table of nouns names `{path}` of {name}, which is not there"));
        }
    }
    let others = rows.iter().filter_map(|row| row.last()).flat_map(|cell| spans(cell));
    for path in others.filter(|path| !tree.has(path)) {
        faults.push(format!("the table of nouns names `{path}`, which is not there"));
    }
    faults
}

/// Checks that the files to open exist, and that the last row has their number.
fn files(table: &[Vec<String>], tree: &Tree) -> Vec<String> {
    let Some(([header, rows @ ..], told)) = table.split_last().map(|(told, above)| (above, told)) else {
        return vec!["there is no table of files to open".into()];
    };
    let mut faults = Vec::new();
    for (place, way) in header.iter().enumerate().skip(1) {
        let mut count = 0;
        for row in rows {
            let Some((name, cell)) = row.first().and_then(|cell| spans(cell).next()).zip(row.get(place))
            else {
                continue;
            };
            for path in spans(cell) {
                count += 1;
                if !tree.has(&format!("{name}/src/{path}")) {
                    faults.push(format!("the table of files names `{path}` of {name}, which is not there"));
                }
            }
        }
        if told.get(place).is_none_or(|told| *told != count.to_string()) {
            faults.push(format!("the table of files names {count} for {way}, and tells another number"));
        }
    }
    faults
}

/// Checks that every crate has its row, with its folders and what it never does.
fn crates(table: &[Vec<String>], tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    let rows: BTreeMap<&str, &Vec<String>> =
        table.iter().skip(1).filter_map(|row| Some((spans(row.first()?).next()?, row))).collect();
    for (name, folders) in &tree.folders {
        let Some(row) = rows.get(name.as_str()) else {
            faults.push(format!("the table of crates has no row `{name}`"));
            continue;
        };
        if row.get(2).is_none_or(String::is_empty) {
            faults.push(format!("the table of crates does not say what `{name}` never does"));
        }
        if OF_NOUNS.contains(&name.as_str()) {
            continue;
        }
        let named: BTreeSet<&str> = row
            .get(1)
            .into_iter()
            .flat_map(|cell| spans(cell))
            .map(|path| path.trim_end_matches('/'))
            .collect();
        let there: BTreeSet<&str> = folders.iter().map(String::as_str).collect();
        for folder in there.difference(&named) {
            faults.push(format!("the table of crates does not name `{folder}/` of {name}"));
        }
        for folder in named.difference(&there) {
            faults.push(format!("the table of crates names `{folder}/` of {name}, which is not there"));
        }
    }
    let gone = rows.keys().filter(|name| !tree.folders.contains_key(**name));
    faults.extend(gone.map(|name| format!("the table of crates has a row `{name}`, which is no crate")));
    faults
}

/// Checks that the files in the steps of `docs/change/adding.md` exist, and that each section tells how many
/// they are. A file stands behind its crate: "`domain`: `webhooks/event.rs`".
pub(crate) fn steps(page: &str, tree: &Tree) -> Vec<String> {
    let mut faults = Vec::new();
    for section in page.split("\n## ").skip(1) {
        let title = section.lines().next().unwrap_or_default();
        let steps = section.lines().filter(|line| line.starts_with(|letter: char| letter.is_ascii_digit()));
        let (mut count, mut name) = (0, "");
        for span in steps.flat_map(spans) {
            if tree.folders.contains_key(span) {
                name = span;
            }
            let path = match span.rsplit_once('.').map(|(_, ending)| ending) {
                Some("rs") if span.contains("src/") => span.to_owned(),
                Some("rs") => format!("{name}/src/{span}"),
                Some("html") => format!("{name}/templates/{span}"),
                Some("md" | "sql") => String::new(),
                _ => continue,
            };
            count += 1;
            // Only what is of a crate is in the tree.
            let is_elsewhere = path.is_empty() || span.contains('…') || span.starts_with("tests/");
            if !is_elsewhere && !tree.has(&path) {
                faults.push(format!("{title}: there is no `{path}`"));
            }
        }
        if !section.contains(&format!("\n{count} files")) {
            faults.push(format!("{title}: the steps name {count} files, and the text another number"));
        }
    }
    faults
}

/// Returns the cells of the table whose first title is `title`, header first.
fn table(page: &str, title: &str) -> Vec<Vec<String>> {
    let cells = |line: &str| -> Vec<String> {
        let line = line.trim().trim_start_matches('|');
        line.strip_suffix('|').unwrap_or(line).split('|').map(|cell| cell.trim().to_owned()).collect()
    };
    let lines = page.lines().skip_while(|line| !line.starts_with(&format!("| {title} |")));
    let rows = lines.take_while(|line| line.starts_with('|')).map(cells);
    rows.filter(|row| !row.iter().all(|cell| cell.chars().all(|letter| letter == '-'))).collect()
}

/// Returns the texts between backticks.
fn spans(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

/// Returns the names of types, modules, functions and tables in the text.
fn names(page: &str) -> impl Iterator<Item = &str> {
    let prose = page.lines().filter(|line| !line.starts_with('|'));
    prose.flat_map(spans).filter(|span| {
        let name = span.trim_end_matches("()").trim_end_matches('!');
        let is_path = name.split("::").all(|part| !part.is_empty() && part.chars().all(is_of_word_or_hyphen));
        let is_type = name.starts_with(|letter: char| letter.is_ascii_uppercase())
            && name.chars().any(|letter| letter.is_ascii_lowercase());
        is_path && (name.contains("::") || name.contains('_') || is_type)
    })
}

/// Returns the full paths of sources in the text and the tables, such as `domain/src/lib.rs`.
fn paths(page: &str) -> impl Iterator<Item = &str> {
    let is_of_path = |letter: char| is_of_word_or_hyphen(letter) || letter == '.' || letter == '/';
    page.lines().flat_map(spans).filter(move |span| span.contains("/src/") && span.chars().all(is_of_path))
}

fn last_word(name: &str) -> Option<&str> {
    name.trim_end_matches("()").trim_end_matches('!').rsplit("::").next()
}

fn is_of_word(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || letter == '_'
}

/// Returns whether a letter belongs to a word or to a crate's name, which has hyphens.
fn is_of_word_or_hyphen(letter: char) -> bool {
    is_of_word(letter) || letter == '-'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Workspace, root};

    #[test]
    fn the_pages_say_what_is_there() {
        let tree = Tree::read(root(), &Workspace::read().unwrap().members()).unwrap();
        assert_eq!(faults(&page(root()).unwrap(), &tree), Vec::<String>::new());
        let adding = fs::read_to_string(root().join("docs/change/adding.md")).unwrap();
        assert_eq!(steps(&adding, &tree), Vec::<String>::new());
    }

    #[test]
    fn a_step_whose_file_is_gone_and_a_wrong_number_of_files_are_faults() {
        let page = "# Adding\n\n## A parcel\n\n4 files. Test: `a_parcel_is_sold`.\n\n\
                    1. `tests/parcels.rs`: first\n\
                    2. `adapter-http`: `dashboard/goods.rs`: shows it, never `delivery.log`\n\
                    3. `adapter-mail`: `lib.rs`, `parcels.md`\n\n`gone.rs` is no step.\n";
        assert_eq!(steps(page, &tree()), Vec::<String>::new());
        for (was, is, fault) in [
            ("goods.rs", "parcels.rs", "A parcel: there is no `adapter-http/src/dashboard/parcels.rs`"),
            ("4 files", "5 files", "A parcel: the steps name 4 files, and the text another number"),
        ] {
            assert_eq!(steps(&page.replace(was, is), &tree()), [fault], "{is}");
        }
    }

    const PAGE: &str = "\
A `Recorder` writes to `delivery_log`, by `shop::sell()`; `POST /v1` and `now` are no names.
Words are in `adapter-mail/src/text/a.rs`.

| noun | `domain` | `adapter-http` | `adapter-postgres` | other crates |
|---|---|---|---|---|
| goods | `goods/` | `dashboard/goods.rs` | `goods/` | `adapter-mail/src/lib.rs` |
| *none* | | `dashboard/` | | |

| crate and its files | a sale |
|---|---|
| `adapter-mail` | `lib.rs`, `text/a.rs` |
| *files* | 2 |

| crate | folders | what it never does |
|---|---|---|
| `domain` | nouns | I/O |
| `adapter-http` | nouns | rules |
| `adapter-postgres` | nouns | deciding |
| `adapter-mail` | `text/` | waiting |
";

    fn tree() -> Tree {
        let folders = [
            ("domain", &["goods"][..]),
            ("adapter-http", &["dashboard"]),
            ("adapter-postgres", &["goods"]),
            ("adapter-mail", &["text"]),
        ];
        let files =
            ["adapter-http/src/dashboard/goods.rs", "adapter-mail/src/lib.rs", "adapter-mail/src/text/a.rs"];
        let mut tree = Tree::default();
        for (name, folders) in folders {
            tree.paths.extend(folders.iter().map(|folder| format!("{name}/src/{folder}")));
            tree.folders.insert(name.to_owned(), folders.iter().map(|&folder| folder.to_owned()).collect());
        }
        tree.paths.extend(files.map(str::to_owned));
        tree.words.extend(["Recorder", "delivery_log", "sell"].map(str::to_owned));
        tree
    }

    #[test]
    fn a_page_that_says_what_is_there_has_no_fault() {
        assert_eq!(faults(PAGE, &tree()), Vec::<String>::new());
    }

    #[test]
    fn a_folder_and_a_crate_that_no_table_names_are_faults() {
        let mut tree = tree();
        tree.folders.get_mut("domain").unwrap().insert("parcels".to_owned());
        tree.folders.get_mut("adapter-mail").unwrap().insert("queue".to_owned());
        tree.folders.insert("adapter-parcels".to_owned(), BTreeSet::new());
        assert_eq!(
            faults(PAGE, &tree),
            [
                "the table of crates does not name `queue/` of adapter-mail",
                "the table of crates has no row `adapter-parcels`",
                "the table of nouns does not name `parcels/` of domain",
            ]
        );
    }

    #[test]
    fn what_a_page_names_and_is_not_there_is_a_fault() {
        for (was, is, fault) in [
            (
                "dashboard/goods.rs",
                "dashboard/parcels.rs",
                "the table of nouns names `dashboard/parcels.rs` of adapter-http, which is not there",
            ),
            (
                "adapter-mail/src/lib.rs",
                "adapter-post",
                "the table of nouns names `adapter-post`, which is not there",
            ),
            (
                "| `text/` |",
                "| `text/`, `queue/` |",
                "the table of crates names `queue/` of adapter-mail, which is not there",
            ),
            (
                "| waiting |",
                "| waiting |\n| `gone` | | all |",
                "the table of crates has a row `gone`, which is no crate",
            ),
            ("| waiting |", "| |", "the table of crates does not say what `adapter-mail` never does"),
            ("`Recorder`", "`Writer`", "the sources have no `Writer`"),
            ("`delivery_log`", "`delivery_book`", "the sources have no `delivery_book`"),
            ("`shop::sell()`", "`shop::buy()`", "the sources have no `shop::buy()`"),
            (
                "in `adapter-mail/src/text/a.rs`",
                "in `adapter-mail/src/text/b.rs`",
                "there is no `adapter-mail/src/text/b.rs`",
            ),
            (
                "`adapter-http` | `adapter-postgres` | other",
                "`adapter-http` | `store` | other",
                "the table of nouns has no column `adapter-postgres`",
            ),
            ("| noun |", "| thing |", "there is no table of nouns"),
            (
                "`text/a.rs`",
                "`text/b.rs`",
                "the table of files names `text/b.rs` of adapter-mail, which is not there",
            ),
            ("| 2 |", "| 3 |", "the table of files names 2 for a sale, and tells another number"),
            ("| crate and its files |", "| files |", "there is no table of files to open"),
        ] {
            assert_eq!(faults(&PAGE.replace(was, is), &tree()), [fault], "{is}");
        }
    }
}
