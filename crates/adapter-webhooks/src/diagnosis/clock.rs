//! Comparison of a signature's time with the receiver's clock.

use super::Finding;
use crate::signature::TOLERANCE;

const HALF_HOUR: u64 = 1_800;
/// Largest offset from UTC of a time zone, in seconds.
const FURTHEST: u64 = 14 * 3_600;

/// Lists what is wrong with a signature made at `signed_at` and judged `at`.
pub(super) fn findings(signed_at: i64, at: i64) -> Vec<Finding> {
    let tolerance = TOLERANCE.as_secs();
    let seconds = at.abs_diff(signed_at);
    if seconds <= tolerance {
        return Vec::new();
    }
    if (at / 1_000).abs_diff(signed_at) <= tolerance {
        return vec![Finding::ClockInMilliseconds];
    }
    let mut findings =
        vec![if signed_at < at { Finding::TooOld { seconds } } else { Finding::TooNew { seconds } }];
    let half_hours = (seconds + HALF_HOUR / 2) / HALF_HOUR;
    // To the minute: a delivery that is merely late is seldom late by that.
    if seconds <= FURTHEST + 60 && seconds.abs_diff(half_hours * HALF_HOUR) <= 60 {
        let half = if half_hours % 2 == 1 { ".5" } else { "" };
        findings.push(Finding::TimeZone { hours: format!("{}{half}", half_hours / 2) });
    }
    findings
}
