//! What came of a run.

use crate::checks::{Check, Level};

/// Every check with its outcome.
#[derive(Debug, Clone)]
pub struct Report {
    /// The base that was tried.
    pub base: String,
    /// What the system calls itself, where it says so.
    pub name: Option<String>,
    /// What it declares, in the contract's words; `catalog` and `orders` where it declares nothing.
    pub capabilities: Vec<&'static str>,
    /// All checks, in the order of [`crate::checks::all`].
    pub checked: Vec<Checked>,
    /// What is allowed and worth knowing, such as what was left behind.
    pub notes: Vec<String>,
}

/// A check and what came of it.
#[derive(Debug, Clone)]
pub struct Checked {
    /// The check.
    pub check: &'static Check,
    /// What came of it.
    pub outcome: Outcome,
}

/// What came of a check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The rule holds as far as it was tried.
    Passed {
        /// The call that showed it first.
        call: String,
    },
    /// The rule is broken.
    Found {
        /// The call that showed it first.
        call: String,
        /// What was wrong.
        detail: String,
        /// How often it was seen again.
        more: usize,
    },
    /// It was not tried.
    Skipped {
        /// Why.
        reason: String,
    },
}

impl Report {
    /// The checks that found something.
    pub fn findings(&self) -> impl Iterator<Item = &Checked> {
        self.checked.iter().filter(|checked| matches!(checked.outcome, Outcome::Found { .. }))
    }

    /// How many rules of this level are broken.
    pub fn broken(&self, level: Level) -> usize {
        self.findings().filter(|checked| checked.check.level == level).count()
    }

    /// 0 where no rule that must hold is broken, else 1. What could not be run has no report: 2.
    pub fn exit_code(&self) -> u8 {
        u8::from(self.broken(Level::Must) > 0)
    }
}
