//! Table of the figures.

use std::{collections::BTreeSet, io::Write as _};

use crate::{
    figures::{Outcome, mean},
    shop::Shop,
};

/// Goals, each a lower bound.
const GOALS: [(&str, f64); 5] = [
    ("recall@20", 0.85),
    ("nDCG@5", 0.80),
    ("nDCG@5 above trigrams alone", 0.10),
    ("absent products, all labelled weak", 0.80),
    ("present products, labelled strong", 0.80),
];
/// Goal in milliseconds for 200 products.
const SPEED: f64 = 5.0;

/// Prints all figures; returns whether each reaches its goal.
pub(crate) fn print(sets: &[(&str, &[Outcome])], milliseconds: Option<f64>) -> bool {
    let mut reached = true;
    for (name, outcomes) in sets {
        say(&format!("{name}: {} questions", outcomes.len()));
        say(&format!("  {:<36} {:>7} {:>7}", "", "figure", "goal"));
        for ((figure, goal), got) in GOALS.iter().zip(figures(outcomes)) {
            // Compared as it is printed.
            let met = (got * 1000.0).round() >= goal * 1000.0;
            reached &= met;
            say(&format!("  {figure:<36} {got:>7.3} {goal:>7.2}{}", if met { "" } else { "  MISSED" }));
        }
        say(&format!(
            "\n  {:<10} {:>9} {:>9} {:>7} {:>9} {:>7}",
            "kind", "questions", "recall@20", "nDCG@5", "trigrams", "strong"
        ));
        for kind in outcomes.iter().map(|it| it.question.kind.as_str()).collect::<BTreeSet<_>>() {
            let of = || outcomes.iter().filter(|it| it.question.kind == kind && it.question.is_present());
            if of().next().is_some() {
                say(&format!(
                    "  {kind:<10} {:>9} {:>9.3} {:>7.3} {:>9.3} {:>7.3}",
                    of().count(),
                    mean(of(), Outcome::recall),
                    mean(of(), Outcome::ndcg),
                    mean(of(), Outcome::ndcg_of_trigrams),
                    mean(of(), |it| f64::from(u8::from(it.is_labelled_strong()))),
                ));
            }
        }
        say("");
    }
    // The time depends on the machine and its other work, so it decides nothing.
    if let Some(milliseconds) = milliseconds {
        say(&format!("  {:<36} {milliseconds:>4.1} ms {SPEED:>4.1} ms", "ranking 200 products"));
    }
    reached
}

/// Returns the figures in the order of [`GOALS`].
fn figures(outcomes: &[Outcome]) -> [f64; 5] {
    let present = || outcomes.iter().filter(|it| it.question.is_present());
    let absent = outcomes.iter().filter(|it| !it.question.is_present());
    let share = |holds: bool| f64::from(u8::from(holds));
    let ndcg = mean(present(), Outcome::ndcg);
    [
        mean(present(), Outcome::recall),
        ndcg,
        ndcg - mean(present(), Outcome::ndcg_of_trigrams),
        mean(absent, |it| share(it.is_all_weak())),
        mean(present(), |it| share(it.is_labelled_strong())),
    ]
}

/// Prints each question that goes wrong, with its first results.
pub(crate) fn mistakes(outcomes: &[Outcome], shop: &Shop) {
    for it in outcomes {
        let wrong = if it.question.is_present() {
            it.recall() < 1.0 || it.ndcg() < 0.8 || !it.is_labelled_strong()
        } else {
            !it.is_all_weak()
        };
        if wrong {
            let first = it.found.iter().zip(&it.strong).take(4);
            let first: Vec<String> = first
                .map(|(id, strong)| format!("{}{}", if *strong { "" } else { "?" }, shop.title(id)))
                .collect();
            say(&format!(
                "{} {}: recall {:.2}, nDCG {:.2}: {}",
                it.question.kind,
                it.question.asked,
                it.recall(),
                it.ndcg(),
                first.join(" | ")
            ));
        }
    }
}

fn say(line: &str) {
    // If the terminal is gone, nobody is left to tell.
    let _gone = writeln!(std::io::stdout(), "{line}");
}
