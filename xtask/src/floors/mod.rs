//! Rules for imports inside the crates: they run down, and few files import each other.
//!
//! A `floors.txt` beside a crate's `Cargo.toml` lists the folders and files right under `src`, a floor a
//! line, ground first: what is on a line imports from the lines above it alone, not from its neighbours.
//! Nobody imports from the root of the crate, which is on no line.

mod circles;
mod table;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::Context;

use self::circles::{Weights, circles, few_cuts};
use self::table::{NAME, Table};
use crate::imports::{Import, ROOTS, Sources};

/// Most files that may import each other in a circle.
const LARGEST: usize = 3;

/// The largest circles of a crate that is not in order yet.
struct Left {
    /// Path of the crate.
    of: &'static str,
    /// Files in the largest circle of files, 0 if none is larger than allowed.
    files: usize,
    /// Folders and files right under `src` in the largest circle that has a folder, 0 if there is none.
    folders: usize,
}

/// Crates that still have circles. A figure only goes down: where a circle shrinks, so does its figure.
const LEFT: &[Left] = &[
    Left { of: "crates/adapter-http", files: 92, folders: 18 },
    Left { of: "crates/domain", files: 150, folders: 24 },
];

/// Lists the faults of the crates at these paths from the root of the checkout, a line for each.
pub(crate) fn faults(root: &Path, crates: &[String]) -> anyhow::Result<Vec<String>> {
    faults_but(root, crates, LEFT)
}

fn faults_but(root: &Path, crates: &[String], left: &[Left]) -> anyhow::Result<Vec<String>> {
    let next = AtomicUsize::new(0);
    // Each thread takes the next crate: parsing them one by one takes twice as long on two cores.
    let work = || {
        let take = || crates.get(next.fetch_add(1, Ordering::Relaxed));
        let told = std::iter::from_fn(take).map(|path| {
            let left = left.iter().find(|left| left.of == path);
            anyhow::Ok((path, faults_of(root, path, left)?))
        });
        told.collect::<anyhow::Result<Vec<_>>>()
    };
    let told = thread::scope(|scope| {
        let count = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let told = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|it| resume_unwind(it)));
        told.collect::<anyhow::Result<Vec<_>>>()
    })?;
    let told: BTreeMap<_, _> = told.into_iter().flatten().collect();
    let gone = left.iter().filter(|left| !told.keys().any(|path| *path == left.of));
    let gone = gone.map(|left| format!("{}: is no crate, and has figures in {}", left.of, file!()));
    let gone: Vec<_> = gone.collect();
    Ok(told.into_values().flatten().chain(gone).collect())
}

fn faults_of(root: &Path, path: &str, left: Option<&Left>) -> anyhow::Result<Vec<String>> {
    let (src, table) = (root.join(path).join("src"), root.join(path).join(NAME));
    let sources = Sources::read_all(&src)?;
    let mut faults = Vec::new();
    if table.exists() {
        let text = fs::read_to_string(&table).with_context(|| table.display().to_string())?;
        let table = Table::parse(&text);
        faults.extend(table.faults(&tops(&src)?).map(|fault| format!("{path}/{NAME}{fault}")));
        let up = sources.iter().flat_map(|it| running_up(it, &table));
        faults.extend(up.map(|fault| format!("{path}/src/{fault}")));
    }
    faults.extend(tied(&sources, left).into_iter().map(|fault| format!("{path}: {fault}")));
    Ok(faults)
}

/// Lists the folders and files right under `src`, files without their ending, roots left out.
fn tops(src: &Path) -> anyhow::Result<BTreeSet<String>> {
    let mut tops = BTreeSet::new();
    for entry in fs::read_dir(src).with_context(|| src.display().to_string())? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.file_type()?.is_dir() {
            tops.insert(name);
        } else if let Some(module) = name.strip_suffix(".rs").filter(|_| !ROOTS.contains(&name.as_str())) {
            tops.insert(module.to_owned());
        }
    }
    Ok(tops)
}

/// Returns the folder or file right under `src` that a file belongs to.
fn top(file: &str) -> &str {
    file.split_once('/').map_or_else(|| file.trim_end_matches(".rs"), |(folder, _)| folder)
}

/// Imports of a crate with the paths of both files.
fn named(sources: &Sources) -> impl Iterator<Item = (&str, &str, &Import)> {
    let file = |index: usize| sources.files.get(index).map_or("", String::as_str);
    sources.imports.iter().map(move |import| (file(import.from), file(import.to), import))
}

/// Counts the imports between files that have different names, by their names.
fn weights(sources: &Sources, name: fn(&str) -> &str) -> Weights<&str> {
    let mut weights = Weights::new();
    let arrows = named(sources).map(|(from, to, _)| (name(from), name(to)));
    arrows.filter(|(from, to)| from != to).for_each(|arrow| *weights.entry(arrow).or_default() += 1);
    weights
}

/// Lists the imports that do not run down.
fn running_up(sources: &Sources, table: &Table) -> Vec<String> {
    let mut faults = Vec::new();
    let imports = named(sources).filter(|(from, to, _)| top(from) != top(to) && !ROOTS.contains(from));
    for (from, to, Import { name, line, .. }) in imports {
        let (lower, upper) = (table.line(top(from)), table.line(top(to)));
        let how = match (lower, upper) {
            _ if ROOTS.contains(&to) => "which is the root, and imported by nobody".to_owned(),
            (Some(lower), Some(upper)) if lower < upper => {
                format!(
                    "which is above: `{}` stands on line {lower} of {NAME}, `{}` on {upper}",
                    top(from),
                    top(to)
                )
            }
            (Some(lower), Some(upper)) if lower == upper => {
                format!("which is beside: `{}` and `{}` stand on line {lower} of {NAME}", top(from), top(to))
            }
            // One of them on no line is a fault of the table.
            _ => continue,
        };
        faults.push(format!("{from}:{line}: imports `{name}` of {to}, {how}"));
    }
    faults
}

/// Lists the circles of files and folders that are too large, and figures of `left` that are out of date.
fn tied(sources: &[Sources], left: Option<&Left>) -> Vec<String> {
    let mut faults = Vec::new();
    let (mut files, mut folders) = (0, 0);
    let (allowed_files, allowed_folders) =
        left.map_or((LARGEST, 0), |left| (left.files.max(LARGEST), left.folders));
    for sources in sources {
        for circle in circles(&weights(sources, |file| file)) {
            files = files.max(circle.len());
            if circle.len() > allowed_files {
                faults.push(told("files", &circle, sources, |file| file));
            }
        }
        let is_folder = |name: &&str| sources.files.iter().any(|file| file.starts_with(&format!("{name}/")));
        for circle in circles(&weights(sources, top)).iter().filter(|it| it.iter().any(is_folder)) {
            folders = folders.max(circle.len());
            if circle.len() > allowed_folders {
                faults.push(told("folders", circle, sources, top));
            }
        }
    }
    let files = if files > LARGEST { files } else { 0 };
    if let Some(left) = left.filter(|left| files < left.files || folders < left.folders) {
        let (was_files, was_folders) = (left.files, left.folders);
        faults.push(format!(
            "its largest circles are of {files} files and {folders} folders, and {} still has {was_files} and \
             {was_folders}",
            file!()
        ));
    }
    faults
}

/// Describes a circle with a few imports that tie it.
fn told(what: &str, circle: &BTreeSet<&str>, sources: &Sources, name: fn(&str) -> &str) -> String {
    let cuts = few_cuts(circle, &weights(sources, name));
    let mut ties: BTreeMap<_, Vec<_>> = cuts.into_iter().map(|arrow| (arrow, Vec::new())).collect();
    for (from, to, import) in named(sources) {
        if let Some(ties) = ties.get_mut(&(name(from), name(to))) {
            ties.push(format!("\n    {from}:{} `{}` of {to}", import.line, import.name));
        }
    }
    let names: Vec<_> = circle.iter().copied().collect();
    let ties: Vec<_> = ties.into_values().flatten().collect();
    format!(
        "{} {what} import each other in a circle: {}; not so without{}",
        names.len(),
        names.join(", "),
        ties.concat()
    )
}
