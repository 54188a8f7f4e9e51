//! `chaos --minutes N`: run by `cargo xtask chaos`, which builds the programs that it tests.

use std::{path::PathBuf, process::ExitCode, time::Duration};

use bench::say::say;
use chaos::Options;
use clap::Parser;

#[derive(Debug, Parser)]
struct Arguments {
    /// For how long things fail.
    #[arg(long, default_value_t = 5)]
    minutes: u64,
    /// How many nodes serve.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=8))]
    nodes: u8,
    /// Repeats the choices of an earlier run; without it, one is made up and printed.
    #[arg(long)]
    seed: Option<u64>,
    /// Leaves the disk alone, where file systems may not be mounted.
    #[arg(long)]
    no_disk: bool,
    /// The service's program, built for release.
    #[arg(long, default_value = "target/release/messaging-service")]
    server: PathBuf,
    /// The program of the release before: nothing fails then, and nodes are upgraded from it, rolled back,
    /// and upgraded again.
    #[arg(long)]
    before: Option<PathBuf>,
    /// Where the database, the nodes' logs and people's files are kept.
    #[arg(long, default_value = "target/chaos")]
    folder: PathBuf,
    /// Also write the report to this file.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> ExitCode {
    match perform(Arguments::parse()).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            say(&format!("chaos: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

async fn perform(arguments: Arguments) -> anyhow::Result<bool> {
    let options = Options {
        server: std::path::absolute(&arguments.server)?,
        before: arguments.before.as_deref().map(std::path::absolute).transpose()?,
        folder: std::path::absolute(&arguments.folder)?,
        length: Duration::from_secs(60 * arguments.minutes),
        nodes: arguments.nodes.into(),
        seed: arguments.seed.unwrap_or_else(|| fastrand::u64(..)),
        disk: !arguments.no_disk && arguments.before.is_none(),
        faketime: chaos::faketime().filter(|_| arguments.before.is_none()),
    };
    say(&format!("seed {}", options.seed));
    if options.faketime.is_none() && options.before.is_none() {
        say("no clock jumps: libfaketime is not installed");
    }
    let report = chaos::run(&options).await?;
    say(&report.table());
    if let Some(file) = &arguments.json {
        report.write(file)?;
    }
    Ok(report.is_faultless())
}
