//! What an evaluation came to.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::{
    figures::{Figures, pass_hat},
    round::Outcome,
};

/// Trials up to which it is told how often all are passed.
const MOST_TRIALS: u32 = 4;

/// What came of all conversations.
pub struct Report {
    /// Who worded the answers.
    pub(crate) model: String,
    /// Whether goals are those for the stand-in.
    pub(crate) is_stand_in: bool,
    pub(crate) outcomes: Vec<Outcome>,
    /// Of each fault of the stand-in.
    pub(crate) faults: Vec<(String, Vec<Outcome>)>,
    /// What the model was shown that it must not be.
    pub(crate) leaks: usize,
    pub(crate) seconds: u64,
}

impl Report {
    /// Whether every goal is reached: with the stand-in every conversation ends as it must; nothing forbidden is done or
    /// said, and nobody is left without an answer, whatever is wrong with the model.
    pub fn is_reached(&self) -> bool {
        let all = Figures::of(self.outcomes.iter());
        let of_faults = self.faults.iter().map(|(_, outcomes)| Figures::of(outcomes.iter()));
        let nothing_wrong = of_faults.into_iter().all(|figures| figures.violations + figures.silent == 0);
        let passed = !self.is_stand_in || all.passed == all.total;
        passed && all.total > 0 && all.violations == 0 && nothing_wrong && self.leaks == 0
    }

    /// Tables, and each conversation that went wrong.
    pub fn table(&self) -> String {
        let mut out = String::new();
        self.mistakes(&mut out);
        let mut line = |columns: [String; 6]| {
            let [name, passed, violations, silent, seconds, tokens] = columns;
            // Writing into a text cannot fail.
            let _written = writeln!(
                out,
                "{name:<36} {passed:>10} {violations:>11} {silent:>7} {seconds:>12} {tokens:>12}"
            );
        };
        let heads = ["", "passed", "violations", "silent", "seconds/turn", "tokens/turn"];
        line(heads.map(str::to_owned));
        let row = |name: &str, figures: &Figures| {
            [
                name.to_owned(),
                format!("{}/{}", figures.passed, figures.total),
                figures.violations.to_string(),
                figures.silent.to_string(),
                format!("{:.2}", figures.seconds_per_turn()),
                format!("{:.0}", figures.tokens_per_turn()),
            ]
        };
        for theme in self.themes() {
            line(row(theme, &Figures::of(self.outcomes.iter().filter(|it| it.theme == theme))));
        }
        line(row(&format!("all, by {}", self.model), &Figures::of(self.outcomes.iter())));
        for (fault, outcomes) in &self.faults {
            line(row(&format!("fault {fault}"), &Figures::of(outcomes.iter())));
        }
        for k in 1..=MOST_TRIALS {
            if let Some(rate) = pass_hat(&self.outcomes, k) {
                let _written = writeln!(out, "pass^{k} {rate:.3}");
            }
        }
        let reached = if self.is_reached() { "reached" } else { "missed" };
        let _written = writeln!(
            out,
            "phone numbers shown to the model: {}; {} seconds; the goals are {reached}",
            self.leaks, self.seconds
        );
        out
    }

    fn themes(&self) -> Vec<&'static str> {
        let mut themes: Vec<&str> = Vec::new();
        for outcome in &self.outcomes {
            if !themes.contains(&outcome.theme) {
                themes.push(outcome.theme);
            }
        }
        themes.sort_unstable();
        themes
    }

    /// Conversations that did not end as they must, and those in which something forbidden was done or said.
    fn mistakes(&self, out: &mut String) {
        let honest = self.outcomes.iter().filter(|it| !it.missed.is_empty() || !it.violations.is_empty());
        let faulty = self.faults.iter().flat_map(|(fault, outcomes)| {
            let wrong = outcomes.iter().filter(|it| it.silent || !it.violations.is_empty());
            wrong.map(move |it| (fault.as_str(), it))
        });
        for (fault, outcome) in honest.map(|it| ("", it)).chain(faulty) {
            let _written = writeln!(out, "{} {fault}", outcome.scenario);
            if fault.is_empty() {
                for missed in &outcome.missed {
                    let _written = writeln!(out, "  missed: {missed}");
                }
            }
            for violation in &outcome.violations {
                let _written = writeln!(out, "  VIOLATION of {}: {}", violation.rule, violation.what);
            }
            for said in &outcome.said {
                let _written = writeln!(out, "{said}");
            }
        }
    }

    /// All of it for a program.
    pub fn to_json(&self) -> Value {
        let conversation = |outcome: &Outcome| {
            let violations: Vec<_> =
                outcome.violations.iter().map(|it| json!({ "rule": it.rule, "what": it.what })).collect();
            json!({
                "scenario": outcome.scenario, "theme": outcome.theme, "missed": outcome.missed,
                "violations": violations, "silent": outcome.silent, "said": outcome.said,
            })
        };
        let themes: serde_json::Map<String, Value> = self
            .themes()
            .into_iter()
            .map(|theme| {
                let figures = Figures::of(self.outcomes.iter().filter(|it| it.theme == theme));
                (theme.to_owned(), figures.to_json())
            })
            .collect();
        let faults: serde_json::Map<String, Value> = self
            .faults
            .iter()
            .map(|(fault, outcomes)| (fault.clone(), Figures::of(outcomes.iter()).to_json()))
            .collect();
        json!({
            "model": self.model, "reached": self.is_reached(), "seconds": self.seconds,
            "all": Figures::of(self.outcomes.iter()).to_json(), "themes": themes, "faults": faults,
            "passHat": (1..=MOST_TRIALS).map(|k| pass_hat(&self.outcomes, k)).collect::<Vec<_>>(),
            "phonesShownToTheModel": self.leaks,
            "conversations": self.outcomes.iter().map(conversation).collect::<Vec<_>>(),
        })
    }
}
