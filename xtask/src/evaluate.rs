//! `cargo xtask evaluate`: how good an answer is, by judged questions.

use clap::ValueEnum;

use crate::run::{cargo, run};
use crate::workspace::root;

/// What has to be fast for a figure of time, and is compiled as for release, beside what the tests have built.
const OPTIMISED: [&str; 2] = ["domain", "unicode-normalization"];

/// What to evaluate. It fails where a figure misses its goal.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[arg(value_enum)]
    what: What,
    /// Only the questions that the rules are developed with, and each that goes wrong.
    #[arg(long)]
    develop: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    /// Products, by what customers write: `docs/product-search.md`.
    Search,
}

pub(crate) fn judge(arguments: &Arguments) -> anyhow::Result<()> {
    let What::Search = arguments.what;
    products(arguments.develop)
}

/// The evaluation of the search for products.
pub(crate) fn products(develop: bool) -> anyhow::Result<()> {
    let mut evaluation = cargo();
    evaluation.args(["run", "--quiet", "-p", "search-evaluation"]).current_dir(root());
    for package in OPTIMISED {
        for setting in ["opt-level=3", "debug-assertions=false", "overflow-checks=false"] {
            evaluation.arg("--config").arg(format!("profile.dev.package.{package}.{setting}"));
        }
    }
    if develop {
        evaluation.args(["--", "--develop"]);
    }
    run(&mut evaluation)
}
