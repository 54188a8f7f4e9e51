//! Result of a run.

use std::{fmt::Write as _, path::Path};

use anyhow::Context;
use bench::figures::aligned;
use serde::Serialize;

/// A count with examples.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Count {
    pub name: &'static str,
    #[serde(rename = "count")]
    pub times: usize,
    /// A few of the counted things, to look for in the logs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub examples: Vec<String>,
}

/// Result of a run.
#[derive(Debug, Default, Serialize)]
pub struct Report {
    /// Seed that repeats the choices of the run.
    pub seed: u64,
    /// Counts of the load and of the failures that were caused.
    pub done: Vec<Count>,
    /// Counts of things that must not happen; each should be zero.
    pub faults: Vec<Count>,
}

/// Most examples kept of a fault.
const EXAMPLES: usize = 5;

impl Report {
    /// Notes a count of something done.
    pub(crate) fn note(&mut self, name: &'static str, count: usize) {
        self.done.push(Count { name, times: count, examples: Vec::new() });
    }

    /// Notes a fault with everything that it was found in.
    pub(crate) fn fault(&mut self, name: &'static str, found: &[String]) {
        let examples = found.iter().take(EXAMPLES).cloned().collect();
        self.faults.push(Count { name, times: found.len(), examples });
    }

    /// Returns whether faults were looked for and none was found.
    pub fn is_faultless(&self) -> bool {
        !self.faults.is_empty() && self.faults.iter().all(|fault| fault.times == 0)
    }

    /// Renders the counts as a table, then examples of each fault.
    pub fn table(&self) -> String {
        let rows: Vec<[String; 3]> = [["", "count", ""].map(str::to_owned)]
            .into_iter()
            .chain(self.done.iter().map(|done| [done.name.to_owned(), done.times.to_string(), String::new()]))
            .chain(self.faults.iter().map(|fault| {
                let verdict = if fault.times == 0 { "holds" } else { "BROKEN" };
                [fault.name.to_owned(), fault.times.to_string(), verdict.to_owned()]
            }))
            .collect();
        let mut text = aligned(&rows);
        for fault in self.faults.iter().filter(|fault| fault.times > 0) {
            let _ = writeln!(text, "{}: {}", fault.name, fault.examples.join("; "));
        }
        let _ = writeln!(text, "seed {}", self.seed);
        text
    }

    /// Writes the report as JSON.
    pub fn write(&self, file: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        std::fs::write(file, text + "\n").with_context(|| format!("writing {}", file.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::Report;

    #[test]
    fn a_run_is_faultless_when_all_was_looked_for_and_nothing_found() {
        let mut report = Report::default();
        assert!(!report.is_faultless(), "nothing was looked for");
        report.fault("doubled", &[]);
        assert!(report.is_faultless());
        report.fault("lost", &["S0000001Z".to_owned()]);
        assert!(!report.is_faultless());
        assert!(report.table().contains("lost: S0000001Z"), "{}", report.table());
    }
}
