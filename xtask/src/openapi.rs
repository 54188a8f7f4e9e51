//! `cargo xtask openapi`: the committed copies of the APIs' documents.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::run::{answer, say};
use crate::workspace::{built, root};

#[derive(Clone, Copy)]
pub(crate) struct Document {
    /// Path of the committed copy.
    pub(crate) file: &'static str,
    /// Example that prints it.
    example: &'static str,
}

/// Documents of our API, and of the one that customers' own systems implement.
pub(crate) const COMMITTED: [Document; 2] = [
    Document { file: "docs/openapi.json", example: "openapi" },
    Document { file: "docs/custom-system-openapi.json", example: "contract_openapi" },
];

/// Writes all documents again.
pub(crate) fn write() -> anyhow::Result<()> {
    let programs = build()?;
    for document @ Document { file, .. } in COMMITTED {
        let path = root().join(file);
        let made = document.made(&programs)?;
        std::fs::write(&path, made).with_context(|| format!("writing {}", path.display()))?;
        say(&format!("{file} is written"));
    }
    Ok(())
}

/// Fails if a document differs from what the code generates.
pub(crate) fn check() -> anyhow::Result<()> {
    say("the APIs' documents");
    let programs = build()?;
    for document @ Document { file, .. } in COMMITTED {
        let committed = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        if committed != document.made(&programs)? {
            bail!("{file} is stale: `cargo xtask openapi` writes it");
        }
    }
    Ok(())
}

/// Builds the examples that print the documents; returns their folder.
fn build() -> anyhow::Result<PathBuf> {
    let examples = COMMITTED.into_iter().flat_map(|document| ["--example", document.example]);
    Ok(built("build", examples)?.join("examples"))
}

impl Document {
    fn made(self, programs: &Path) -> anyhow::Result<String> {
        answer(Command::new(programs.join(self.example)).stderr(std::process::Stdio::inherit()))
            .with_context(|| format!("{} could not be made", self.file))
    }
}
