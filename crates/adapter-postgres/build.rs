//! Compiles the migrations in, and names their state.

use std::{
    env,
    fmt::Write,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
};

const FOLDER: &str = "../../migrations";

fn main() -> io::Result<()> {
    let root = fs::canonicalize(FOLDER)?;
    let mut hasher = DefaultHasher::new();
    hash(Path::new(FOLDER), &mut hasher)?;
    println!("cargo::rerun-if-changed={FOLDER}");
    println!("cargo::rustc-env=MIGRATIONS_HASH={:016x}", hasher.finish());
    #[expect(clippy::disallowed_methods, reason = "where cargo has what is made at a build")]
    let made = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(made.join("migrations.rs"), migrations(&root)?)
}

fn hash(folder: &Path, hasher: &mut DefaultHasher) -> io::Result<()> {
    for path in entries(folder)? {
        path.hash(hasher);
        if path.is_dir() { hash(&path, hasher)? } else { fs::read(&path)?.hash(hasher) }
    }
    Ok(())
}

fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    Ok(entries)
}

/// Returns the list of migrations as Rust source.
fn migrations(root: &Path) -> io::Result<String> {
    let mut list = String::from("&[\n");
    for folder in entries(root)?.into_iter().filter(|path| path.is_dir()) {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let version = name.split('_').next().unwrap_or_default();
        let about = fs::read_to_string(folder.join("metadata.toml")).unwrap_or_default();
        let in_transaction = !about.replace(' ', "").contains("run_in_transaction=false");
        let _ = writeln!(
            list,
            "Migration {{ version: {version:?}, in_transaction: {in_transaction}, text: include_str!({:?}) }},",
            folder.join("up.sql").display().to_string()
        );
    }
    list.push(']');
    Ok(list)
}
