//! Texts of the checkout that checks read.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;

/// Reads the files below `folders` whose names have one of these endings, by their paths from `root`.
pub(crate) fn texts(
    root: &Path,
    folders: &[&str],
    endings: &[&str],
) -> anyhow::Result<BTreeMap<String, String>> {
    let mut texts = BTreeMap::new();
    for folder in folders {
        collect(root, folder, endings, &mut texts)?;
    }
    Ok(texts)
}

fn collect(
    root: &Path,
    folder: &str,
    endings: &[&str],
    texts: &mut BTreeMap<String, String>,
) -> anyhow::Result<()> {
    for entry in fs::read_dir(root.join(folder)).with_context(|| format!("the folder {folder}"))? {
        let entry = entry?;
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            collect(root, &path, endings, texts)?;
        } else if path.rsplit_once('.').is_some_and(|(_, ending)| endings.contains(&ending)) {
            texts.insert(path, fs::read_to_string(entry.path())?);
        }
    }
    Ok(())
}
