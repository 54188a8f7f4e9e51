//! `cargo xtask openapi`: the committed copy of the API's document.

use anyhow::{Context, bail};

use crate::run::{answer, cargo, say};
use crate::workspace::root;

const COMMITTED: &str = "docs/openapi.json";

/// Writes it anew.
pub(crate) fn write() -> anyhow::Result<()> {
    let path = root().join(COMMITTED);
    std::fs::write(&path, made()?).with_context(|| format!("writing {}", path.display()))?;
    say(&format!("{COMMITTED} is written"));
    Ok(())
}

/// Fails when it is not what the code makes.
pub(crate) fn check() -> anyhow::Result<()> {
    say("the API's document");
    let committed = std::fs::read_to_string(root().join(COMMITTED)).unwrap_or_default();
    if committed != made()? {
        bail!("{COMMITTED} is stale: `cargo xtask openapi` writes it");
    }
    Ok(())
}

fn made() -> anyhow::Result<String> {
    let mut print = cargo();
    print.args(["run", "--quiet", "-p", "adapter-http", "--example", "openapi"]).current_dir(root());
    answer(print.stderr(std::process::Stdio::inherit())).context("the document could not be made")
}
