//! `cargo xtask evaluate assistant`.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use assistant_evaluation::{Faults, Model, Options, run, usual_server};
use clap::Parser;

/// Variable of the environment with the model's key.
const KEY: &str = "MESSAGING_MODEL_KEY";

/// Plays customers against the assistant, and fails where a goal is missed.
#[derive(Debug, Parser)]
struct Arguments {
    /// The server of a language model that speaks the `OpenAI` form, such as `http://127.0.0.1:11434/v1`: it
    /// answers after the stand-in has, and the figures of both are shown.
    #[arg(long, value_name = "URL", requires = "name")]
    model: Option<String>,
    /// Which of its models.
    #[arg(long, requires = "model")]
    name: Option<String>,
    /// The file that holds its key; without it, the key is in the environment's `MESSAGING_MODEL_KEY`, if it
    /// takes one.
    #[arg(long, value_name = "FILE", requires = "model")]
    key_file: Option<PathBuf>,
    /// Have it play the customers, too: they follow no lines then.
    #[arg(long, requires = "model")]
    plays_customers: bool,
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
    let key = if arguments.model.is_some() { key(arguments.key_file.as_deref())? } else { None };
    let plays_customers = arguments.plays_customers;
    let model =
        arguments.model.zip(arguments.name).map(|(url, name)| Model { url, name, key, plays_customers });
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

/// Reads the model's key.
#[expect(clippy::disallowed_methods, reason = "a program of its own, which has no settings")]
fn key(file: Option<&Path>) -> anyhow::Result<Option<String>> {
    let key = match file {
        Some(file) => Some(std::fs::read_to_string(file).with_context(|| file.display().to_string())?),
        None => std::env::var(KEY).ok(),
    };
    Ok(key.map(|key| key.trim().to_owned()).filter(|key| !key.is_empty()))
}

#[expect(clippy::print_stdout, reason = "what it is run for")]
fn print(text: &str) {
    println!("{text}");
}
