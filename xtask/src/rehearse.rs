//! `cargo xtask rehearse`: rare actions of operators that must be reliable.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

use crate::run::{answer, cargo, run, say};
use crate::workspace::{Workspace, root};

/// What to rehearse.
#[derive(Debug, clap::Subcommand)]
pub(crate) enum Rehearsal {
    /// The release before and this one side by side over one database under load: migrations, forward, back,
    /// forward again. Nothing may be lost, doubled or fail.
    Upgrade(Upgrade),
    /// A base backup and the log archive, restored to a moment; what docs/run/operations.md says of it has to
    /// be so.
    Restore,
}

/// From where and how long.
#[derive(Debug, clap::Args)]
pub(crate) struct Upgrade {
    /// The commit of the release before; without it, that of the newest tag before this commit or, where
    /// there is none, the commit before the newest migration.
    #[arg(long, value_name = "COMMIT")]
    before: Option<String>,
    /// How long it takes in all, besides building.
    #[arg(long, default_value_t = 2)]
    minutes: u64,
    /// How many nodes serve, 1 to 8.
    #[arg(long, default_value_t = 2)]
    nodes: u8,
    /// Build without optimisation: quicker to build, with less load.
    #[arg(long)]
    dev: bool,
}

pub(crate) fn rehearse(rehearsal: &Rehearsal) -> anyhow::Result<()> {
    match rehearsal {
        Rehearsal::Upgrade(upgrade) => rolling(upgrade),
        Rehearsal::Restore => run(cargo()
            .args(["test", "--package", "server", "--test", "end_to_end", "restore::", "--", "--nocapture"])
            .current_dir(root())),
    }
}

fn rolling(upgrade: &Upgrade) -> anyhow::Result<()> {
    let target = Workspace::read()?.target_directory();
    let folder = target.join("rehearse");
    let commit = match &upgrade.before {
        Some(named) => commit_of(named)?,
        None => before()?,
    };
    say(&format!("the release before is {commit}"));
    let source = checkout(&folder, &commit)?;
    let profile: &[&str] = if upgrade.dev { &[] } else { &["--release"] };
    let built_into = folder.join("build");
    run(cargo()
        .args(["build", "--locked", "--package", "server"])
        .args(profile)
        .current_dir(&source)
        .env("CARGO_TARGET_DIR", &built_into))?;
    run(cargo()
        .args(["build", "--package", "server", "--package", "chaos"])
        .args(profile)
        .current_dir(root()))?;
    let name = if upgrade.dev { "debug" } else { "release" };
    run(Command::new(target.join(name).join("chaos"))
        .arg("--before")
        .arg(built_into.join(name).join("messaging-service"))
        .arg("--server")
        .arg(target.join(name).join("messaging-service"))
        .arg("--folder")
        .arg(folder.join("run"))
        .args(["--minutes", &upgrade.minutes.to_string(), "--nodes", &upgrade.nodes.to_string()]))
}

/// Returns the default commit of the release before.
fn before() -> anyhow::Result<String> {
    // A release that was tagged already is not the one before itself.
    let tag = ["describe", "--tags", "--abbrev=0", "HEAD^"];
    let tag = answer(Command::new("git").args(tag).current_dir(root()));
    if let Some(tag) = tag.map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()) {
        say(&format!("{tag} is the newest tag before this commit"));
        return commit_of(&tag);
    }
    say(
        "there is no tag before this commit: what was before the newest migration stands for the release before",
    );
    let added = asked(&["log", "-1", "--diff-filter=A", "--format=%H", "--", "migrations"])?;
    asked(&["rev-parse", "--verify", &format!("{added}^")])
}

fn commit_of(name: &str) -> anyhow::Result<String> {
    asked(&["rev-parse", "--verify", &format!("{name}^{{commit}}")])
}

fn asked(arguments: &[&str]) -> anyhow::Result<String> {
    let said = answer(Command::new("git").args(arguments).current_dir(root()));
    let said = said.with_context(|| format!("git {} failed", arguments.join(" ")))?;
    if said.trim().is_empty() {
        bail!("git {} answers nothing", arguments.join(" "));
    }
    Ok(said.trim().to_owned())
}

/// Checks a commit out beside this one; returns the folder of its source.
fn checkout(folder: &Path, commit: &str) -> anyhow::Result<PathBuf> {
    let source = folder.join("before");
    let git = || {
        let mut git = Command::new("git");
        git.current_dir(root());
        git
    };
    if source.join(".git").exists() {
        run(Command::new("git").args(["checkout", "--quiet", "--detach", commit]).current_dir(&source))?;
    } else {
        std::fs::create_dir_all(folder)?;
        // git still knows a worktree that was deleted by hand.
        run(git().args(["worktree", "prune"]))?;
        run(git().args(["worktree", "add", "--quiet", "--detach"]).arg(&source).arg(commit))?;
    }
    Ok(source)
}
