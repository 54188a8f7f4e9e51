//! `cargo xtask openapi`: the committed copies of the APIs' documents.

use anyhow::{Context, bail};

use crate::run::{answer, cargo, say};
use crate::workspace::root;

/// Where each is committed, and the example of `adapter-http` that prints it.
pub(crate) const COMMITTED: [(&str, &str); 2] =
    [("docs/openapi.json", "openapi"), ("docs/dashboard-openapi.json", "dashboard_openapi")];

/// Writes them anew.
pub(crate) fn write() -> anyhow::Result<()> {
    for (file, example) in COMMITTED {
        let path = root().join(file);
        std::fs::write(&path, made(example)?).with_context(|| format!("writing {}", path.display()))?;
        say(&format!("{file} is written"));
    }
    Ok(())
}

/// Fails when one is not what the code makes.
pub(crate) fn check() -> anyhow::Result<()> {
    say("the APIs' documents");
    for (file, example) in COMMITTED {
        let committed = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        if committed != made(example)? {
            bail!("{file} is stale: `cargo xtask openapi` writes it");
        }
    }
    Ok(())
}

fn made(example: &str) -> anyhow::Result<String> {
    let mut print = cargo();
    print.args(["run", "--quiet", "-p", "adapter-http", "--example", example]).current_dir(root());
    answer(print.stderr(std::process::Stdio::inherit())).context("the document could not be made")
}
