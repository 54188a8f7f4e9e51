//! Report for scripts.

use serde_json::{Value, json as value};

use super::in_words;
use crate::checks::Level;
use crate::report::{Checked, Outcome, Report};

/// Formats a report as one JSON object.
pub fn json(report: &Report) -> Value {
    value!({
        "base": report.base,
        "name": report.name,
        "capabilities": report.capabilities,
        "must": report.broken(Level::Must),
        "should": report.broken(Level::Should),
        "exitCode": report.exit_code(),
        "checks": report.checked.iter().map(checked).collect::<Vec<_>>(),
        "notes": report.notes,
    })
}

fn checked(Checked { check, outcome }: &Checked) -> Value {
    let (outcome, call, detail, fix) = match outcome {
        Outcome::Passed { call } => ("passed", Some(call), None, None),
        Outcome::Found { call, detail, more } => {
            ("found", Some(call), Some(in_words(detail, *more)), Some(check.fix))
        }
        Outcome::Skipped { reason } => ("skipped", None, Some(reason.clone()), None),
    };
    value!({
        "id": check.id,
        "level": check.level,
        "rule": check.rule,
        "outcome": outcome,
        "call": call,
        "detail": detail,
        "fix": fix,
    })
}
