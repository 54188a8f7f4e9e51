//! `cargo xtask evaluate`: quality of answers, by judged questions and by customers with a concern.

use std::process::Command;

use crate::run::run;
use crate::workspace::{built, root};

/// Crates whose speed is measured: compiled as for release, beside what the tests have built.
const OPTIMISED: [&str; 2] = ["domain", "unicode-normalization"];

const SEARCH: [&str; 2] = ["--bin", "search-evaluation"];

/// What to evaluate. It fails where a figure misses its goal.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Products, by what customers write: `docs/integrate/product-search.md`.
    Search {
        /// Only the questions that the rules are developed with, and each that goes wrong.
        #[arg(long)]
        develop: bool,
    },
    /// The assistant, by customers with a concern: `docs/tools/assistant-evaluation.md`.
    #[command(disable_help_flag = true)]
    Assistant {
        /// Handed to the evaluation as it stands: `--help` lists what it knows.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

pub(crate) fn judge(arguments: &Arguments) -> anyhow::Result<()> {
    match &arguments.what {
        What::Search { develop } => search(*develop),
        What::Assistant { arguments } => assistant(arguments),
    }
}

/// Evaluates the assistant, against the service's program.
fn assistant(arguments: &[String]) -> anyhow::Result<()> {
    let programs = built("build", ["--bin", "messaging-service", "--bin", "assistant-evaluation"])?;
    run(Command::new(programs.join("assistant-evaluation")).args(arguments).current_dir(root()))
}

/// Evaluates the search for products, its speed included.
fn search(develop: bool) -> anyhow::Result<()> {
    let mut arguments = SEARCH.map(str::to_owned).to_vec();
    for package in OPTIMISED {
        for setting in ["opt-level=3", "debug-assertions=false", "overflow-checks=false"] {
            arguments.extend(["--config".to_owned(), format!("profile.dev.package.{package}.{setting}")]);
        }
    }
    let mut evaluation = Command::new(built("build", arguments)?.join("search-evaluation"));
    if develop {
        evaluation.arg("--develop");
    }
    run(evaluation.current_dir(root()))
}

/// Evaluates the quality of the search alone, by the program as the tests have built it.
pub(crate) fn search_untimed() -> anyhow::Result<()> {
    let program = built("build", SEARCH)?.join("search-evaluation");
    run(Command::new(program).arg("--untimed").current_dir(root()))
}
