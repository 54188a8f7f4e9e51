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
/// Name of the stand-in in reports.
const STAND_IN: &str = "the stand-in";
/// Fault that shows only if a description addresses the model.
const OBEYS: &str = "obeys_descriptions";

/// Outcomes with one model.
struct PlayedBy {
    outcomes: Vec<Outcome>,
    faults: Vec<(String, Vec<Outcome>)>,
    leaks: usize,
}

/// Plays the scenarios: with the stand-in, and then with the model of the options, if there is one.
///
/// # Errors
/// If a sandbox cannot be started, or changes meanwhile. Errors in conversations are in the report.
pub async fn run(options: &Options) -> anyhow::Result<Report> {
    let began = Instant::now();
    let mut scenarios = Scenario::all()?;
    let catalogue = Arc::new(Catalogue::open(&scenarios));
    let wanted = |it: &Scenario| {
        options.only.iter().any(|part| it.name.contains(part.as_str()) || it.theme.contains(part.as_str()))
    };
    scenarios.retain(|scenario| options.only.is_empty() || wanted(scenario));
    ensure!(!scenarios.is_empty(), "there is no such scenario");
    tell(&Figures::heads());
    let beside = if options.model.is_some() {
        let of_stand_in = Options { model: None, faults: Faults::None, ..options.clone() };
        play_all(&of_stand_in, &scenarios, Arc::clone(&catalogue)).await?.outcomes
    } else {
        Vec::new()
    };
    let PlayedBy { outcomes, faults, leaks } = play_all(options, &scenarios, catalogue).await?;
    Ok(Report {
        model: name(options).to_owned(),
        is_stand_in: options.model.is_none(),
        outcomes,
        beside,
        faults,
        leaks,
        seconds: began.elapsed().as_secs(),
    })
}

fn name(options: &Options) -> &str {
    options.model.as_ref().map_or(STAND_IN, |model| &model.name)
}

/// Plays the scenarios in a sandbox of their own.
async fn play_all(
    options: &Options,
    scenarios: &[Scenario],
    catalogue: Arc<Catalogue>,
) -> anyhow::Result<PlayedBy> {
    let sandbox = Arc::new(Sandbox::start(options).await?);
    let mut rounds = Rounds {
        sandbox: Arc::clone(&sandbox),
        catalogue,
        parallel: options.parallel.max(1),
        model: options.model.clone().filter(|model| model.plays_customers).map(Arc::new),
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
    let mut outcomes = Vec::new();
    if !matches!(options.faults, Faults::Named(_)) {
        outcomes = of_every_system(&mut rounds, scenarios, &seeds, true).await?;
        tell(&mistakes(&outcomes, None));
        tell(&Figures::of(&outcomes).row(&format!("all, by {}", name(options))));
    }
    let mut of_faults = Vec::new();
    for fault in faults {
        sandbox.set_faults(std::slice::from_ref(&fault)).await?;
        rounds.hostile = fault == OBEYS;
        let outcomes = of_every_system(&mut rounds, scenarios, &fault_seeds, false).await?;
        tell(&mistakes(&outcomes, Some(&fault)));
        tell(&Figures::of(&outcomes).row(&format!("fault {fault}")));
        of_faults.push((fault, outcomes));
    }
    let leaks = if sandbox.has_stand_in() { leaks(&sandbox, rounds.people).await? } else { 0 };
    drop(rounds);
    let sandbox = Arc::into_inner(sandbox).context("a conversation is still under way")?;
    sandbox.stop().await?;
    Ok(PlayedBy { outcomes, faults: of_faults, leaks })
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
