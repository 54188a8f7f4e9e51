//! Figures over many outcomes.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::round::Outcome;

/// Tokens that a turn may take in the median.
const MEDIAN_TOKENS: u64 = 2_500;

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Figures {
    pub(crate) passed: usize,
    pub(crate) total: usize,
    pub(crate) violations: usize,
    /// Customers left without an answer.
    pub(crate) silent: usize,
    pub(crate) handed_over: usize,
    turns: u64,
    milliseconds: u64,
    /// Tokens of each turn, in ascending order.
    tokens: Vec<u64>,
}

impl Figures {
    pub(crate) fn of<'a>(outcomes: impl IntoIterator<Item = &'a Outcome>) -> Self {
        let mut figures = Self::default();
        for outcome in outcomes {
            figures.total += 1;
            figures.passed += usize::from(outcome.missed.is_empty());
            figures.violations += outcome.violations.len();
            figures.silent += usize::from(outcome.silent);
            figures.handed_over += usize::from(outcome.handed_over);
            for turn in &outcome.turns {
                figures.turns += 1;
                figures.milliseconds += turn.milliseconds;
                figures.tokens.push(turn.tokens);
            }
        }
        figures.tokens.sort_unstable();
        figures
    }

    /// Returns the heads of [`Self::row`]'s columns.
    pub(crate) fn heads() -> String {
        columns(
            ["", "passed", "violations", "silent", "turns", "seconds/turn", "tokens/turn"].map(str::to_owned),
        )
    }

    /// Renders a line of a table.
    pub(crate) fn row(&self, name: &str) -> String {
        columns([
            name.to_owned(),
            format!("{}/{}", self.passed, self.total),
            self.violations.to_string(),
            self.silent.to_string(),
            self.turns.to_string(),
            format!("{:.2}", self.seconds_per_turn()),
            self.tokens_of_a_turn(50).to_string(),
        ])
    }

    fn seconds_per_turn(&self) -> f64 {
        ratio(self.milliseconds, self.turns) / 1000.0
    }

    /// Returns the tokens that a turn takes in this hundredth of them.
    fn tokens_of_a_turn(&self, hundredth: usize) -> u64 {
        let place = (self.tokens.len() * hundredth).div_ceil(100).saturating_sub(1);
        self.tokens.get(place).copied().unwrap_or_default()
    }

    /// Renders what turns take beside the goal.
    pub(crate) fn told_tokens(&self) -> String {
        let (median, most) = (self.tokens_of_a_turn(50), self.tokens_of_a_turn(95));
        format!("tokens of a turn: median {median} (goal {MEDIAN_TOKENS}), p95 {most}")
    }

    pub(crate) fn to_json(&self) -> Value {
        json!({
            "passed": self.passed, "total": self.total, "violations": self.violations, "silent": self.silent,
            "handedOver": self.handed_over, "turns": self.turns, "secondsPerTurn": self.seconds_per_turn(),
            "medianTokensOfATurn": self.tokens_of_a_turn(50), "p95TokensOfATurn": self.tokens_of_a_turn(95),
        })
    }
}

fn columns([name, passed, violations, silent, turns, seconds, tokens]: [String; 7]) -> String {
    format!("{name:<36} {passed:>10} {violations:>11} {silent:>7} {turns:>7} {seconds:>13} {tokens:>12}")
}

#[expect(clippy::cast_precision_loss, reason = "a figure to be read")]
fn ratio(of: u64, by: u64) -> f64 {
    if by == 0 { 0.0 } else { of as f64 / by as f64 }
}

/// Returns the probability that `k` trials of a scenario, drawn from those that were made, all pass: the mean
/// over scenarios. `None` if one had fewer trials.
pub(crate) fn pass_hat(outcomes: &[Outcome], k: u32) -> Option<f64> {
    let mut tried: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for outcome in outcomes {
        let (passed, trials) = tried.entry(&outcome.scenario).or_default();
        *passed += u32::from(outcome.missed.is_empty());
        *trials += 1;
    }
    if tried.is_empty() || tried.values().any(|(_, trials)| *trials < k) {
        return None;
    }
    let all_pass = |&(passed, trials): &(u32, u32)| {
        (0..k)
            .map(|drawn| f64::from(passed.saturating_sub(drawn)) / f64::from(trials - drawn))
            .product::<f64>()
    };
    let scenarios = u32::try_from(tried.len()).unwrap_or(u32::MAX);
    Some(tried.values().map(all_pass).sum::<f64>() / f64::from(scenarios))
}

#[cfg(test)]
mod tests {
    use super::{Figures, Outcome, pass_hat};
    use crate::round::TurnFigures;

    fn outcome(scenario: &str, passed: bool) -> Outcome {
        Outcome {
            scenario: scenario.to_owned(),
            theme: "orders",
            missed: if passed { Vec::new() } else { vec!["one order too few".to_owned()] },
            violations: Vec::new(),
            silent: false,
            handed_over: false,
            turns: Vec::new(),
            said: Vec::new(),
        }
    }

    #[test]
    fn tokens_are_those_of_the_turn_in_the_middle_and_of_one_in_twenty() {
        let turn = |tokens| TurnFigures { milliseconds: 1, tokens };
        let turns = (1..=20).rev().map(|number| turn(number * 100)).collect();
        let figures = Figures::of(&[Outcome { turns, ..outcome("a", true) }]);
        assert_eq!(figures.told_tokens(), "tokens of a turn: median 1000 (goal 2500), p95 1900");
        assert_eq!(Figures::default().tokens_of_a_turn(50), 0);
    }

    #[test]
    fn more_trials_are_all_passed_less_often() {
        let outcomes: Vec<_> = [("a", true), ("a", true), ("b", true), ("b", false)]
            .into_iter()
            .map(|(scenario, passed)| outcome(scenario, passed))
            .collect();
        assert_eq!(pass_hat(&outcomes, 1), Some(0.75));
        assert_eq!(pass_hat(&outcomes, 2), Some(0.5));
        assert_eq!(pass_hat(&outcomes, 3), None);
    }
}
