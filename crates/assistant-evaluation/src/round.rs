//! A round: many conversations side by side, over one system of the business's, scored when all have ended.

use std::{collections::HashMap, sync::Arc, time::Duration};

use futures_util::{StreamExt as _, stream};
use tokio::time::{Instant, interval};

use crate::{
    judge::{self, Catalogue, Violation},
    options::Model,
    person::Person,
    play::{Ended, play},
    sandbox::Sandbox,
    scenario::{Scenario, System},
    state::State,
    wire::text,
};

/// Time that events and states may take to follow the conversation.
const SETTLES: Duration = Duration::from_secs(15);
const LOOK_EVERY: Duration = Duration::from_millis(250);

pub(crate) struct Outcome {
    pub(crate) scenario: String,
    pub(crate) theme: &'static str,
    /// Differences from what the scenario demands; empty if it passed.
    pub(crate) missed: Vec<String>,
    pub(crate) violations: Vec<Violation>,
    pub(crate) silent: bool,
    pub(crate) handed_over: bool,
    pub(crate) turns: Vec<TurnFigures>,
    pub(crate) said: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct TurnFigures {
    pub(crate) milliseconds: u64,
    pub(crate) tokens: u64,
}

/// Settings and state of the rounds.
pub(crate) struct Rounds {
    pub(crate) sandbox: Arc<Sandbox>,
    pub(crate) catalogue: Arc<Catalogue>,
    /// Conversations side by side.
    pub(crate) parallel: usize,
    /// Model that plays the customers; `None` for the scenarios' own lines.
    pub(crate) model: Option<Arc<Model>>,
    /// Whether products have descriptions that address a model.
    pub(crate) hostile: bool,
    /// Number of people so far.
    pub(crate) people: usize,
    /// Id of the newest turn so far.
    pub(crate) newest_turn: Option<String>,
}

impl Rounds {
    /// Plays each scenario of that system with that seed, in a freshly opened shop. With `patient` false,
    /// states are read without waiting for them.
    pub(crate) async fn play(
        &mut self,
        system: System,
        scenarios: &[Scenario],
        seed: u64,
        patient: bool,
    ) -> anyhow::Result<Vec<Outcome>> {
        let of_system: Vec<&Scenario> = scenarios.iter().filter(|it| it.system == system).collect();
        if of_system.is_empty() {
            return Ok(Vec::new());
        }
        self.sandbox.furnish(system, self.hostile).await?;
        let mut runs = Vec::new();
        for scenario in of_system {
            let person = Person::of(self.people, scenario.over);
            self.people += 1;
            let letters = scenario.name.bytes();
            let dice = seed ^ letters.fold(7, |sum: u64, byte| sum.wrapping_mul(31) ^ u64::from(byte));
            let (sandbox, model) = (Arc::clone(&self.sandbox), self.model.clone());
            runs.push(play(sandbox, scenario.clone(), person, dice, model));
        }
        let ended: Vec<Ended> = stream::iter(runs).buffer_unordered(self.parallel).collect().await;
        let mut outcomes = Vec::new();
        let patience = Instant::now() + SETTLES;
        let mut figures = HashMap::new();
        for ended in ended {
            outcomes.push(self.outcome(ended, patient.then_some(patience)).await);
        }
        for turn in self.sandbox.turns(self.newest_turn.as_deref()).await?.iter().rev() {
            let count = |field| turn.get(field).and_then(serde_json::Value::as_u64).unwrap_or_default();
            let took = TurnFigures {
                milliseconds: count("milliseconds"),
                tokens: count("readTokens") + count("writtenTokens"),
            };
            let of: &mut Vec<TurnFigures> =
                figures.entry(text(turn, "/conversationId").to_owned()).or_default();
            of.push(took);
            self.newest_turn = Some(text(turn, "/id").to_owned());
        }
        for (outcome, conversation) in &mut outcomes {
            outcome.turns = figures.remove(conversation.as_str()).unwrap_or_default();
        }
        Ok(outcomes.into_iter().map(|(outcome, _)| outcome).collect())
    }

    /// Scores a conversation and returns its id with it: once it is as it must be, or at `until`.
    ///
    /// A state that cannot be read fails that conversation alone: the others' figures stay.
    async fn outcome(&self, ended: Ended, until: Option<Instant>) -> (Outcome, String) {
        let Ended { scenario, person, names, said, silent, error } = ended;
        let mut looks = interval(LOOK_EVERY);
        let (state, mut missed) = loop {
            looks.tick().await;
            let (state, missed) = match State::read(&self.sandbox, &person, &names).await {
                Ok(state) => {
                    let missed = state.missed(&scenario, &said, &names);
                    (state, missed)
                }
                Err(error) => (State::default(), vec![format!("the state could not be read: {error:#}")]),
            };
            if missed.is_empty() || until.is_none_or(|until| Instant::now() > until) {
                break (state, missed);
            }
        };
        missed.extend(error);
        if silent {
            missed.push("the customer was left without an answer".to_owned());
        }
        let conversation =
            state.events.iter().find_map(|event| event.pointer("/data/conversationId")?.as_str());
        let outcome = Outcome {
            theme: scenario.theme,
            missed,
            violations: judge::violations(&self.catalogue, &said, &state, &names),
            silent,
            handed_over: state.handed_over().is_some(),
            turns: Vec::new(),
            said: said.lines(),
            scenario: scenario.name,
        };
        (outcome, conversation.unwrap_or_default().to_owned())
    }
}
