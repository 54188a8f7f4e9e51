//! `cargo xtask openapi`: the committed copies of the APIs' documents.

use anyhow::{Context, bail};

use crate::run::{answer, cargo, say};
use crate::workspace::root;

/// A document of an API.
#[derive(Clone, Copy)]
pub(crate) struct Document {
    /// Where it is committed.
    pub(crate) file: &'static str,
    package: &'static str,
    /// The package's example that prints it.
    example: &'static str,
}

/// Ours, and what customers' own systems implement.
pub(crate) const COMMITTED: [Document; 3] = [
    Document { file: "docs/openapi.json", package: "adapter-http", example: "openapi" },
    Document { file: "docs/dashboard-openapi.json", package: "adapter-http", example: "dashboard_openapi" },
    Document {
        file: "docs/custom-system-openapi.json",
        package: "contract-check",
        example: "contract_openapi",
    },
];

/// Writes them anew.
pub(crate) fn write() -> anyhow::Result<()> {
    for document @ Document { file, .. } in COMMITTED {
        let path = root().join(file);
        std::fs::write(&path, document.made()?).with_context(|| format!("writing {}", path.display()))?;
        say(&format!("{file} is written"));
    }
    Ok(())
}

/// Fails when one is not what the code makes.
pub(crate) fn check() -> anyhow::Result<()> {
    say("the APIs' documents");
    for document @ Document { file, .. } in COMMITTED {
        let committed = std::fs::read_to_string(root().join(file)).unwrap_or_default();
        if committed != document.made()? {
            bail!("{file} is stale: `cargo xtask openapi` writes it");
        }
    }
    Ok(())
}

impl Document {
    fn made(self) -> anyhow::Result<String> {
        let mut print = cargo();
        print.args(["run", "--quiet", "-p", self.package, "--example", self.example]).current_dir(root());
        answer(print.stderr(std::process::Stdio::inherit())).context("the document could not be made")
    }
}
