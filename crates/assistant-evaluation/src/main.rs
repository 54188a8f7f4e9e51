//! `cargo xtask evaluate assistant`.

use std::{path::PathBuf, process::ExitCode};

use assistant_evaluation::{Faults, Model, Options, run, usual_server};
use clap::Parser;

/// Plays customers against the assistant, and fails where a goal is missed.
#[derive(Debug, Parser)]
struct Arguments {
    /// The server of a language model that speaks the `OpenAI` form; without it the stand-in answers.
    #[arg(long, value_name = "URL", requires = "name")]
    model: Option<String>,
    /// Which of its models.
    #[arg(long, requires = "model")]
    name: Option<String>,
    /// The file that holds its key.
    #[arg(long, value_name = "FILE", requires = "model")]
    key_file: Option<PathBuf>,
    /// How often each scenario is played: 5 times, 4 times with a model, and once with a fault.
    #[arg(long)]
    trials: Option<u64>,
    /// Leave the faults of the stand-in out.
    #[arg(long)]
    no_faults: bool,
    /// Only with this fault of the stand-in switched on, as often as `--trials` says; may be repeated.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["no_faults", "model"])]
    fault: Vec<String>,
    /// Only scenarios whose name or theme holds this; may be repeated.
    #[arg(long)]
    only: Vec<String>,
    /// Conversations side by side.
    #[arg(long, default_value_t = 40)]
    parallel: usize,
    /// Write all figures and conversations there, too.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The service's program; it is beside this one where cargo has built both.
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let model = arguments.model.zip(arguments.name).map(|(url, name)| Model {
        url,
        name,
        key_file: arguments.key_file,
    });
    let usual_trials = match (&model, arguments.fault.is_empty()) {
        (_, false) => 1,
        (Some(_), true) => 4,
        (None, true) => 5,
    };
    let faults = match arguments.fault {
        named if !named.is_empty() => Faults::Named(named),
        _ if model.is_some() || arguments.no_faults => Faults::None,
        _ => Faults::Each,
    };
    let options = Options {
        server: arguments.server.map_or_else(usual_server, Ok)?,
        database_url: None,
        faults,
        model,
        trials: arguments.trials.unwrap_or(usual_trials),
        only: arguments.only,
        parallel: arguments.parallel,
    };
    let report = run(&options).await?;
    print(&report.table());
    if let Some(file) = arguments.json {
        std::fs::write(file, format!("{:#}\n", report.to_json()))?;
    }
    Ok(if report.is_reached() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[expect(clippy::print_stdout, reason = "what it is run for")]
fn print(text: &str) {
    println!("{text}");
}
