//! Measured figures, each with its goal.

use std::path::Path;

use anyhow::Context;
use comfy_table::{Table, presets::NOTHING};
use serde::Serialize;

/// What a figure should be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Goal {
    AtLeast(f64),
    AtMost(f64),
    /// Lower bound of the ratio to the reference.
    RatioAtLeast(f64),
    /// Upper bound of the ratio to the reference.
    RatioAtMost(f64),
}

/// A figure, in the form that every bench writes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    pub name: String,
    pub value: f64,
    pub unit: &'static str,
    /// Value that it is compared with, in the same unit.
    pub reference: Option<f64>,
    /// Value divided by the reference.
    pub ratio: Option<f64>,
    /// Goal in words.
    pub goal: Option<String>,
    /// Whether the goal is met; `None` without a goal.
    pub holds: Option<bool>,
}

/// All figures of a run.
#[derive(Debug, Default, Serialize)]
pub struct Figures {
    figures: Vec<Figure>,
}

impl Figures {
    /// Adds a figure.
    pub fn note(
        &mut self,
        name: impl Into<String>,
        (value, unit): (f64, &'static str),
        reference: Option<f64>,
        goal: Option<Goal>,
    ) {
        let ratio = reference.map(|reference| value / reference);
        let holds = goal.map(|goal| goal.holds(value, ratio));
        let goal = goal.map(|goal| goal.text(unit));
        self.figures.push(Figure { name: name.into(), value, unit, reference, ratio, goal, holds });
    }

    /// Renders the figures as a table, with those that have a goal marked.
    pub fn table(&self) -> String {
        let mut rows = vec![["figure", "value", "reference", "ratio", "goal", ""].map(str::to_owned)];
        rows.extend(self.figures.iter().map(|figure| {
            [
                figure.name.clone(),
                format!("{} {}", short(figure.value), figure.unit),
                figure.reference.map(short).unwrap_or_default(),
                figure.ratio.map(|ratio| format!("{ratio:.2}")).unwrap_or_default(),
                figure.goal.clone().unwrap_or_default(),
                figure.holds.map_or("", |holds| if holds { "holds" } else { "MISSED" }).to_owned(),
            ]
        }));
        aligned(&rows)
    }

    /// Writes `{ "figures": [...] }`.
    pub fn write(&self, file: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        std::fs::write(file, text + "\n").with_context(|| format!("writing {}", file.display()))
    }
}

impl Goal {
    fn holds(self, value: f64, ratio: Option<f64>) -> bool {
        match self {
            Self::AtLeast(least) => value >= least,
            Self::AtMost(most) => value <= most,
            Self::RatioAtLeast(least) => ratio.is_some_and(|ratio| ratio >= least),
            Self::RatioAtMost(most) => ratio.is_some_and(|ratio| ratio <= most),
        }
    }

    fn text(self, unit: &str) -> String {
        match self {
            Self::AtLeast(least) => format!("≥ {least} {unit}"),
            Self::AtMost(most) => format!("≤ {most} {unit}"),
            Self::RatioAtLeast(least) => format!("ratio ≥ {least}"),
            Self::RatioAtMost(most) => format!("ratio ≤ {most}"),
        }
    }
}

/// Formats a figure with the digits that matter.
pub fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.3}"),
    }
}

/// Renders a table whose columns are as wide as their widest cell.
pub fn aligned<const N: usize>(rows: &[[String; N]]) -> String {
    let mut table = Table::new();
    table.load_style(NOTHING).add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.trim_fmt() + "\n"
}

#[cfg(test)]
mod tests {
    use super::{Figures, Goal};

    #[test]
    fn a_goal_is_held_against_the_value_or_the_ratio_as_it_says() {
        for (goal, value, reference, text, holds) in [
            (Goal::AtLeast(10.0), 10.0, None, "≥ 10 ms", true),
            (Goal::AtLeast(10.0), 9.9, None, "≥ 10 ms", false),
            (Goal::AtMost(10.0), 10.0, None, "≤ 10 ms", true),
            (Goal::AtMost(10.0), 10.1, None, "≤ 10 ms", false),
            (Goal::RatioAtLeast(0.5), 50.0, Some(100.0), "ratio ≥ 0.5", true),
            (Goal::RatioAtLeast(0.5), 49.0, Some(100.0), "ratio ≥ 0.5", false),
            (Goal::RatioAtMost(1.3), 1.4, Some(1.0), "ratio ≤ 1.3", false),
            (Goal::RatioAtMost(1.3), 1.4, None, "ratio ≤ 1.3", false),
        ] {
            let mut figures = Figures::default();
            figures.note("a figure", (value, "ms"), reference, Some(goal));
            let figure = &figures.figures[0];
            assert_eq!((figure.goal.as_deref(), figure.holds), (Some(text), Some(holds)));
        }
    }

    #[test]
    fn what_has_no_goal_neither_holds_nor_misses() {
        let mut figures = Figures::default();
        figures.note("resident", (21.5, "MiB"), None, None);
        assert_eq!(
            serde_json::to_value(&figures).unwrap(),
            serde_json::json!({ "figures": [{
                "name": "resident", "value": 21.5, "unit": "MiB", "reference": null, "ratio": null,
                "goal": null, "holds": null,
            }] })
        );
        assert!(figures.table().ends_with("resident  21.5 MiB\n"), "{}", figures.table());
    }
}
