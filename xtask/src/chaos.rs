//! `cargo xtask chaos`: builds the service for release and the program that tests it, and runs that.

use std::path::PathBuf;
use std::process::Command;

use crate::run::{cargo, run};
use crate::workspace::{Workspace, root};

/// How long and how hard. `docs/tools/chaos.md` says how to read what is printed.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// For how long things fail.
    #[arg(long, default_value_t = 5)]
    minutes: u64,
    /// How many nodes serve, 1 to 8.
    #[arg(long, default_value_t = 2)]
    nodes: u8,
    /// Repeats the choices of an earlier run; without it, one is made up and printed.
    #[arg(long)]
    seed: Option<u64>,
    /// Leaves the disk alone, where file systems may not be mounted.
    #[arg(long)]
    no_disk: bool,
    /// Also write the report to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

pub(crate) fn rage(arguments: &Arguments) -> anyhow::Result<()> {
    run(cargo().args(["build", "--release", "-p", "server", "-p", "chaos"]).current_dir(root()))?;
    let target = Workspace::read()?.target_directory();
    let mut chaos = Command::new(target.join("release/chaos"));
    chaos.arg("--server").arg(target.join("release/messaging-service"));
    chaos.arg("--folder").arg(target.join("chaos"));
    chaos.args(["--minutes", &arguments.minutes.to_string(), "--nodes", &arguments.nodes.to_string()]);
    if let Some(seed) = arguments.seed {
        chaos.args(["--seed", &seed.to_string()]);
    }
    if arguments.no_disk {
        chaos.arg("--no-disk");
    }
    if let Some(file) = &arguments.json {
        chaos.arg("--json").arg(file);
    }
    run(&mut chaos)
}
