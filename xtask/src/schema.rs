//! `cargo xtask schema`: the tables as Diesel's macros name them.
//!
//! A test of `adapter-postgres` compares the file with the migrations.

use anyhow::Context;

use crate::run::{answer, cargo, say};
use crate::workspace::root;

const FILE: &str = "crates/adapter-postgres/src/schema.rs";

/// Writes the file again.
pub(crate) fn write() -> anyhow::Result<()> {
    let mut print = cargo();
    print.args(["run", "--quiet", "-p", "adapter-postgres", "--features", "testing", "--example", "schema"]);
    let made = answer(print.current_dir(root()).stderr(std::process::Stdio::inherit()));
    std::fs::write(root().join(FILE), made.context("the schema could not be read")?)
        .with_context(|| format!("writing {FILE}"))?;
    say(&format!("{FILE} is written"));
    Ok(())
}
