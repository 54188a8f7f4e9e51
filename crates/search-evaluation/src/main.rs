//! Quality of the product search: judged questions over the reference shop's catalogue, by its byte-wise
//! search.
//!
//! `cargo xtask evaluate search` runs it. `docs/integrate/product-search.md` says what each figure is.
//!
//! Invariants: nothing that ships depends on it; it judges what [`domain::catalogue::search`] does and
//! decides nothing of it.

mod baseline;
mod figures;
mod judgement;
mod report;
mod shop;
mod speed;

use std::process::ExitCode;

use clap::Parser;
use domain::catalogue::search::Synonyms;

use crate::{figures::Outcome, judgement::Question, shop::Shop};

/// Questions that the rules were developed with.
const DEVELOPED: &str = include_str!("../queries/developed.tsv");
/// Questions that were looked at only when the rules were done.
const HELD_OUT: &str = include_str!("../queries/held-out.tsv");

/// Prints each figure beside its goal, and fails below one.
#[derive(Debug, Parser)]
struct Arguments {
    /// Only the questions that the rules are developed with, and each that goes wrong.
    #[arg(long)]
    develop: bool,
    /// Without the time of ranking, of which a program without optimisation tells nothing.
    #[arg(long)]
    untimed: bool,
}

fn main() -> anyhow::Result<ExitCode> {
    let arguments = Arguments::parse();
    let shop = Shop::open()?;
    let synonyms = Synonyms::shipped();
    let answered = |file| -> anyhow::Result<Vec<Outcome>> {
        let questions = Question::read(file, &shop)?;
        Ok(questions.into_iter().map(|question| figures::ask(question, &shop, &synonyms)).collect())
    };
    let developed = answered(DEVELOPED)?;
    let milliseconds = (!arguments.untimed).then(|| speed::of_200_products(&shop, &synonyms));
    if arguments.develop {
        report::mistakes(&developed, &shop);
        return Ok(code(report::print(&[("developed", &developed)], milliseconds)));
    }
    let held_out = answered(HELD_OUT)?;
    let all: Vec<Outcome> = developed.iter().chain(&held_out).cloned().collect();
    let sets: [(&str, &[Outcome]); 3] = [("developed", &developed), ("held out", &held_out), ("all", &all)];
    Ok(code(report::print(&sets, milliseconds)))
}

const fn code(reached: bool) -> ExitCode {
    if reached { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
