//! Names the state of the migrations, which are compiled in.

use std::{
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::Path,
};

const FOLDER: &str = "../../migrations";

fn main() -> io::Result<()> {
    let mut hasher = DefaultHasher::new();
    hash(Path::new(FOLDER), &mut hasher)?;
    println!("cargo::rerun-if-changed={FOLDER}");
    println!("cargo::rustc-env=MIGRATIONS_HASH={:016x}", hasher.finish());
    Ok(())
}

fn hash(folder: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    for path in entries {
        path.hash(hasher);
        if path.is_dir() { hash(&path, hasher)? } else { fs::read(&path)?.hash(hasher) }
    }
    Ok(())
}
