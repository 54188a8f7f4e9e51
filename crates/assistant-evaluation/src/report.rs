//! Report of an evaluation.

use std::{fmt::Write as _, iter};

use serde_json::{Value, json};

use crate::{
    STAND_IN,
    figures::{Figures, pass_hat},
    round::Outcome,
};

/// Largest number of trials for which the chance of passing all is reported.
const MOST_TRIALS: u32 = 4;

/// Heads of the stand-in's lines below those of another model.
const BESIDE: &str = "  the stand-in";

/// Outcomes of all conversations.
pub struct Report {
    /// Name of the model that worded the answers.
    pub(crate) model: String,
    /// Whether the goals are those for the stand-in.
    pub(crate) is_stand_in: bool,
    pub(crate) outcomes: Vec<Outcome>,
    /// Outcomes of the same scenarios with the stand-in, if it is another's report.
    pub(crate) beside: Vec<Outcome>,
    /// Outcomes with each fault of the stand-in.
    pub(crate) faults: Vec<(String, Vec<Outcome>)>,
    /// Number of customers' phone numbers that the model was shown and must not be.
    pub(crate) leaks: usize,
    pub(crate) seconds: u64,
}

impl Report {
    /// Returns whether every goal is reached: with the stand-in every conversation ends as it must; nothing
    /// forbidden is done or said, and nobody is left without an answer, whatever is wrong with the model.
    pub fn is_reached(&self) -> bool {
        let all = Figures::of(&self.outcomes);
        let mut of_faults = self.faults.iter().map(|(_, outcomes)| Figures::of(outcomes));
        let nothing_wrong = of_faults.all(|figures| figures.violations + figures.silent == 0);
        let passed = !self.is_stand_in || all.passed == all.total;
        let played = !self.outcomes.is_empty() || !self.faults.is_empty();
        passed && played && all.violations == 0 && nothing_wrong && self.leaks == 0
    }

    /// Renders the tables, and each conversation that went wrong.
    pub fn table(&self) -> String {
        let faulty = self.faults.iter().map(|(fault, outcomes)| mistakes(outcomes, Some(fault)));
        let mut out: String = iter::once(mistakes(&self.outcomes, None)).chain(faulty).collect();
        // Writing to a string cannot fail.
        let mut line = |text: String| {
            let _written = writeln!(out, "{text}");
        };
        line(Figures::heads());
        for theme in self.themes() {
            let of_theme = |outcomes: &[Outcome]| Figures::of(outcomes.iter().filter(|it| it.theme == theme));
            line(of_theme(&self.outcomes).row(theme));
            if !self.beside.is_empty() {
                line(of_theme(&self.beside).row(BESIDE));
            }
        }
        if !self.outcomes.is_empty() {
            line(Figures::of(&self.outcomes).row(&format!("all, by {}", self.model)));
        }
        if !self.beside.is_empty() {
            line(Figures::of(&self.beside).row(&format!("all, by {STAND_IN}")));
        }
        for (fault, outcomes) in &self.faults {
            line(Figures::of(outcomes).row(&format!("fault {fault}")));
        }
        for k in 1..=MOST_TRIALS {
            if let Some(rate) = pass_hat(&self.outcomes, k) {
                let beside = pass_hat(&self.beside, k).map(|rate| format!(", {STAND_IN} {rate:.3}"));
                let _written = writeln!(out, "pass^{k} {rate:.3}{}", beside.unwrap_or_default());
            }
        }
        let _written = writeln!(out, "{}", Figures::of(&self.outcomes).told_tokens());
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

    /// Returns the whole report as JSON.
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
            .map(|(fault, outcomes)| (fault.clone(), Figures::of(outcomes).to_json()))
            .collect();
        json!({
            "model": self.model, "reached": self.is_reached(), "seconds": self.seconds,
            "all": Figures::of(&self.outcomes).to_json(), "themes": themes, "faults": faults,
            "passHat": (1..=MOST_TRIALS).map(|k| pass_hat(&self.outcomes, k)).collect::<Vec<_>>(),
            "standIn": (!self.beside.is_empty()).then(|| Figures::of(&self.beside).to_json()),
            "phonesShownToTheModel": self.leaks,
            "conversations": self.outcomes.iter().map(conversation).collect::<Vec<_>>(),
        })
    }
}

/// Renders the conversations that did not end as they must, and those in which something forbidden was done
/// or said. With a fault of the stand-in, a conversation may end otherwise, but nobody may be left without an
/// answer.
pub(crate) fn mistakes(outcomes: &[Outcome], fault: Option<&str>) -> String {
    let is_missed = |it: &Outcome| if fault.is_some() { it.silent } else { !it.missed.is_empty() };
    let mut out = String::new();
    for outcome in outcomes.iter().filter(|it| is_missed(it) || !it.violations.is_empty()) {
        let mut line = |text: String| {
            // Writing to a string cannot fail.
            let _written = writeln!(out, "{text}");
        };
        line(format!("{} {}", outcome.scenario, fault.unwrap_or_default()));
        outcome.missed.iter().for_each(|missed| line(format!("  missed: {missed}")));
        for violation in &outcome.violations {
            line(format!("  VIOLATION of {}: {}", violation.rule, violation.what));
        }
        outcome.said.iter().for_each(|said| line(said.clone()));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Report};

    fn outcome(passed: bool) -> Outcome {
        Outcome {
            scenario: "a_price".to_owned(),
            theme: "products",
            missed: if passed { Vec::new() } else { vec!["nothing was said".to_owned()] },
            violations: Vec::new(),
            silent: false,
            handed_over: false,
            turns: Vec::new(),
            said: Vec::new(),
        }
    }

    #[test]
    fn a_models_figures_stand_beside_the_stand_ins_of_the_same_run() {
        let report = Report {
            model: "small".to_owned(),
            is_stand_in: false,
            outcomes: vec![outcome(true), outcome(false)],
            beside: vec![outcome(true), outcome(true)],
            faults: Vec::new(),
            leaks: 0,
            seconds: 1,
        };
        let table = report.table();
        let passed = |name: &str| {
            let row = table.lines().find(|line| line.starts_with(name)).unwrap_or_default();
            row.split_whitespace().find(|word| word.contains('/')).unwrap_or_default()
        };
        assert_eq!((passed("products"), passed("  the stand-in")), ("1/2", "2/2"));
        assert_eq!((passed("all, by small"), passed("all, by the stand-in")), ("1/2", "2/2"));
        assert!(table.contains("pass^1 0.500, the stand-in 1.000"), "{table}");
        assert_eq!(report.to_json()["standIn"]["passed"], 2);
        assert!(report.is_reached());
    }
}
