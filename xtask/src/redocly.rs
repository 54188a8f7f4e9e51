//! The APIs' documents against the rules that redocly recommends.

use std::path::Path;
use std::process::Command;

use anyhow::Context;

use crate::openapi::COMMITTED;
use crate::run::{answer, run, say};
use crate::workspace::root;

const REDOCLY: &str = "2.77.0";

/// Fails for every rule that a document breaks, including those that redocly only warns about. Needs Node;
/// without it nothing is checked, which is said.
pub(crate) fn lint(tools: &Path) -> anyhow::Result<()> {
    if answer(Command::new("npm").arg("--version")).is_none() {
        say("there is no npm here: the documents were not held to redocly's rules");
        return Ok(());
    }
    let folder = tools.join(format!("redocly-{REDOCLY}"));
    let program = folder.join("node_modules/.bin/redocly");
    if !program.exists() {
        say("installing redocly into target/tools, once");
        std::fs::create_dir_all(&folder)?;
        let mut install = Command::new("npm");
        install.args(["install", "--no-audit", "--no-fund", "--save-exact", "--prefix"]).arg(&folder);
        run(install.arg(format!("@redocly/cli@{REDOCLY}")))?;
    }
    let mut lint = Command::new(program);
    lint.args(["lint", "--extends=recommended-strict"]).args(COMMITTED.map(|document| document.file));
    lint.env("REDOCLY_TELEMETRY", "off").env("REDOCLY_SUPPRESS_UPDATE_NOTICE", "true");
    run(lint.current_dir(root())).context("a document breaks a rule of redocly's")
}
