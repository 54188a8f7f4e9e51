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

use self::circles::{Arrows, circles};
use self::table::{NAME, Table};
use crate::imports::{Import, ROOTS, Sources};

/// Most files that may import each other in a circle.
const LARGEST: usize = 3;

/// Lists the faults of the crates at these paths from the root of the checkout, a line for each.
pub(crate) fn faults(root: &Path, crates: &[String]) -> anyhow::Result<Vec<String>> {
    let next = AtomicUsize::new(0);
    // Each thread takes the next crate: parsing them one by one takes twice as long on two cores.
    let work = || {
        let take = || crates.get(next.fetch_add(1, Ordering::Relaxed));
        let told = std::iter::from_fn(take).map(|path| anyhow::Ok((path, faults_of(root, path)?)));
        told.collect::<anyhow::Result<Vec<_>>>()
    };
    let told = thread::scope(|scope| {
        let count = thread::available_parallelism().map_or(1, usize::from);
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(work)).collect();
        let told = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|it| resume_unwind(it)));
        told.collect::<anyhow::Result<Vec<_>>>()
    })?;
    let told: BTreeMap<_, _> = told.into_iter().flatten().collect();
    Ok(told.into_values().flatten().collect())
}

fn faults_of(root: &Path, path: &str) -> anyhow::Result<Vec<String>> {
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
    faults.extend(tied(&sources).into_iter().map(|fault| format!("{path}: {fault}")));
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

/// Returns the pairs of names of which files import each other.
fn arrows(sources: &Sources, name: fn(&str) -> &str) -> Arrows<&str> {
    let arrows = named(sources).map(|(from, to, _)| (name(from), name(to)));
    arrows.filter(|(from, to)| from != to).collect()
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

/// Lists the circles of files and folders that are too large.
fn tied(sources: &[Sources]) -> Vec<String> {
    let mut faults = Vec::new();
    for sources in sources {
        let circles_of_files = circles(&arrows(sources, |file| file));
        for circle in circles_of_files.iter().filter(|circle| circle.len() > LARGEST) {
            faults.push(told("files", circle, sources, |file| file));
        }
        let is_folder = |name: &&str| sources.files.iter().any(|file| file.starts_with(&format!("{name}/")));
        let circles_of_tops = circles(&arrows(sources, top));
        for circle in circles_of_tops.iter().filter(|circle| circle.iter().any(is_folder)) {
            faults.push(told("folders", circle, sources, top));
        }
    }
    faults
}

/// Describes a circle with the imports inside it.
fn told(what: &str, circle: &BTreeSet<&str>, sources: &Sources, name: fn(&str) -> &str) -> String {
    let inside =
        |from, to| name(from) != name(to) && circle.contains(name(from)) && circle.contains(name(to));
    let imports = named(sources).filter(|(from, to, _)| inside(from, to));
    let imports: BTreeSet<_> =
        imports.map(|(from, to, it)| format!("\n    {from}:{} `{}` of {to}", it.line, it.name)).collect();
    let (count, names) = (circle.len(), circle.iter().copied().collect::<Vec<_>>().join(", "));
    let imports: String = imports.into_iter().collect();
    format!("{count} {what} import each other in a circle: {names}{imports}")
}
