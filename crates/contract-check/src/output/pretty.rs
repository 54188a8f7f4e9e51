//! Report for people.

use std::fmt::Write as _;

use super::in_words;
use crate::checks::Level;
use crate::report::{Outcome, Report};

/// Most skipped checks named for one reason; if there are more, they are counted.
const FEW: usize = 4;

/// Formats a report in lines: faults first, then what was not tried, then the sum.
pub fn pretty(report: &Report) -> String {
    let mut text = String::new();
    let name = report.name.as_deref().unwrap_or("a system without a name");
    let capabilities = report.capabilities.join(", ");
    // Writing to a string cannot fail.
    let _ = writeln!(text, "{name} at {}: {capabilities}\n", report.base);
    for checked in report.findings() {
        let Outcome::Found { call, detail, more } = &checked.outcome else { continue };
        let check = checked.check;
        let level = match check.level {
            Level::Must => "MUST",
            Level::Should => "should",
        };
        let found = in_words(detail, *more);
        let _ = writeln!(text, "{level:<6} {}  {}", check.id, check.rule);
        let _ = writeln!(text, "       call   {call}\n       found  {found}\n       fix    {}\n", check.fix);
    }
    for (reason, ids) in skipped(report) {
        let which = if ids.len() > FEW { format!("{} checks", ids.len()) } else { ids.join(", ") };
        let _ = writeln!(text, "skip   {which}  {reason}");
    }
    for note in &report.notes {
        let _ = writeln!(text, "note   {note}");
    }
    let passed =
        report.checked.iter().filter(|checked| matches!(checked.outcome, Outcome::Passed { .. })).count();
    let skipped = report.checked.len() - passed - report.findings().count();
    let (must, should) = (report.broken(Level::Must), report.broken(Level::Should));
    let _ = write!(text, "\n{passed} passed, {must} must be mended, {should} should be, {skipped} not tried");
    text
}

/// Groups the skipped checks by their reasons, in the order of the report.
fn skipped(report: &Report) -> Vec<(&str, Vec<&str>)> {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for checked in &report.checked {
        let Outcome::Skipped { reason } = &checked.outcome else { continue };
        match groups.iter_mut().find(|(other, _)| other == reason) {
            Some((_, ids)) => ids.push(checked.check.id),
            None => groups.push((reason, vec![checked.check.id])),
        }
    }
    groups
}
