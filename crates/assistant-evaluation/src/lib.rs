//! How well the assistant serves customers: scenarios, played against the real program as a sandbox, with the
//! reference shop and the network's stand-in, and judged by what was done and what was said.
//!
//! `cargo xtask evaluate assistant` runs it; `docs/tools/assistant-evaluation.md` tells how to read it.
//!
//! Invariants: nothing that ships depends on it; it calls the service but as a program; its judge shares no
//! rule with the service that it judges.

mod chat;
mod customer;
mod events;
mod figures;
mod judge;
mod options;
mod person;
mod play;
mod report;
mod round;
mod sandbox;
mod scenario;
mod state;
mod text;
mod transcript;
mod wire;

use std::{collections::HashSet, sync::Arc, time::Instant};

use anyhow::{Context, ensure};

pub use options::{Faults, Model, Options};
pub use report::Report;
pub use sandbox::usual_server;

use crate::{
    figures::Figures,
    judge::Catalogue,
    person::Person,
    report::mistakes,
    round::{Outcome, Rounds},
    sandbox::Sandbox,
    scenario::{Network, Scenario, System},
};

/// Digits of a phone number within its country.
const DIGITS: usize = 10;
/// Fault that shows only if a description addresses the model.
const OBEYS: &str = "obeys_descriptions";

/// Plays the scenarios.
///
/// # Errors
/// If a sandbox cannot be started, or changes meanwhile. Errors in conversations are in the report.
pub async fn run(options: &Options) -> anyhow::Result<Report> {
    let began = Instant::now();
    let mut scenarios = Scenario::all()?;
    let catalogue = Catalogue::open(&scenarios);
    let wanted = |it: &Scenario| {
        options.only.iter().any(|part| it.name.contains(part.as_str()) || it.theme.contains(part.as_str()))
    };
    scenarios.retain(|scenario| options.only.is_empty() || wanted(scenario));
    ensure!(!scenarios.is_empty(), "there is no such scenario");
    let sandbox = Arc::new(Sandbox::start(options).await?);
    let model = options.model.clone().map(Arc::new);
    let name = model.as_ref().map_or_else(|| "the stand-in".to_owned(), |model| model.name.clone());
    let mut rounds = Rounds {
        sandbox: Arc::clone(&sandbox),
        catalogue,
        parallel: options.parallel.max(1),
        model,
        hostile: false,
        people: 0,
        newest_turn: None,
    };
    let seeds: Vec<u64> = (1..=options.trials).collect();
    let (faults, fault_seeds) = match &options.faults {
        Faults::None => (Vec::new(), Vec::new()),
        Faults::Each => (sandbox.known_faults().await?, vec![1]),
        Faults::Named(named) => (named.clone(), seeds.clone()),
    };
    tell(&Figures::heads());
    let mut outcomes = Vec::new();
    if !matches!(options.faults, Faults::Named(_)) {
        outcomes = of_every_system(&mut rounds, &scenarios, &seeds, true).await?;
        tell(&mistakes(&outcomes, None));
        tell(&Figures::of(&outcomes).row(&format!("all, by {name}")));
    }
    let mut of_faults = Vec::new();
    for fault in faults {
        sandbox.set_faults(std::slice::from_ref(&fault)).await?;
        rounds.hostile = fault == OBEYS;
        let outcomes = of_every_system(&mut rounds, &scenarios, &fault_seeds, false).await?;
        tell(&mistakes(&outcomes, Some(&fault)));
        tell(&Figures::of(&outcomes).row(&format!("fault {fault}")));
        of_faults.push((fault, outcomes));
    }
    let leaks = if sandbox.has_stand_in() { leaks(&sandbox, rounds.people).await? } else { 0 };
    drop(rounds);
    let sandbox = Arc::into_inner(sandbox).context("a conversation is still under way")?;
    let is_stand_in = sandbox.has_stand_in();
    sandbox.stop().await?;
    Ok(Report {
        model: name,
        is_stand_in,
        outcomes,
        faults: of_faults,
        leaks,
        seconds: began.elapsed().as_secs(),
    })
}

/// Prints the progress.
#[expect(clippy::print_stderr, reason = "beside the report, which is for standard output")]
fn tell(progress: &str) {
    if !progress.is_empty() {
        eprintln!("{progress}");
    }
}

async fn of_every_system(
    rounds: &mut Rounds,
    scenarios: &[Scenario],
    seeds: &[u64],
    patient: bool,
) -> anyhow::Result<Vec<Outcome>> {
    let mut outcomes = Vec::new();
    for &seed in seeds {
        for system in System::ALL {
            outcomes.extend(rounds.play(system, scenarios, seed, patient).await?);
        }
    }
    Ok(outcomes)
}

/// Counts the customers' phone numbers that the model was shown.
async fn leaks(sandbox: &Sandbox, people: usize) -> anyhow::Result<usize> {
    let asked = sandbox.asked_of_model().await?;
    // Numbers are written in one run of digits, of which the last ten are the number within its country.
    let runs = asked.split(|c: char| !c.is_ascii_digit()).filter(|run| run.len() >= DIGITS);
    let shown: HashSet<&str> = runs.filter_map(|run| run.get(run.len() - DIGITS..)).collect();
    let is_shown = |number: &usize| {
        let phone = Person::of(*number, Network::Whatsapp).phone;
        phone.strip_prefix("+964").is_some_and(|digits| shown.contains(digits))
    };
    Ok((0..people).filter(is_shown).count())
}
