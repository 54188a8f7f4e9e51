//! Result of a run.

use crate::checks::{Check, Level};

/// Every check with its outcome.
#[derive(Debug, Clone)]
pub struct Report {
    /// Base that was tried.
    pub base: String,
    /// Name of the system; `None` if it gave none.
    pub name: Option<String>,
    /// Declared capabilities, in the contract's words; `catalog` and `orders` if it declares nothing.
    pub capabilities: Vec<&'static str>,
    /// All checks, in the order of [`crate::checks::all`].
    pub checked: Vec<Checked>,
    /// Facts that are allowed and worth knowing, such as what was left behind.
    pub notes: Vec<String>,
}

/// A check with its outcome.
#[derive(Debug, Clone)]
pub struct Checked {
    pub check: &'static Check,
    pub outcome: Outcome,
}

/// Outcome of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The rule holds as far as it was tried.
    Passed {
        /// Call that showed it first.
        call: String,
    },
    /// The rule is broken.
    Found {
        /// Call that showed it first.
        call: String,
        /// What was wrong.
        detail: String,
        /// Number of repetitions.
        more: usize,
    },
    /// The check was not tried.
    Skipped {
        /// Why not.
        reason: String,
    },
}

impl Report {
    /// Lists the checks that found a fault.
    pub fn findings(&self) -> impl Iterator<Item = &Checked> {
        self.checked.iter().filter(|checked| matches!(checked.outcome, Outcome::Found { .. }))
    }

    /// Counts the broken rules of this level.
    pub fn broken(&self, level: Level) -> usize {
        self.findings().filter(|checked| checked.check.level == level).count()
    }

    /// Returns the exit code: 1 if a rule of level must is broken, else 0. A run that fails has no report;
    /// its code is 2.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.broken(Level::Must) > 0)
    }
}
