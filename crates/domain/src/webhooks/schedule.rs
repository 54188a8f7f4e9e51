//! Schedule of a delivery's attempts (docs/use/webhooks.md, "Answer it").

use std::time::Duration;

use time::OffsetDateTime;

/// Attempts at a delivery in all, the first included: doubling gaps spread them over about an hour.
pub const ATTEMPTS: u32 = 7;
/// Longest gap between two attempts, and the most of an answer's `Retry-After` that is heeded.
const LONGEST_GAP: Duration = Duration::from_mins(32);

/// Reason why an attempt failed. None of its words come from the receiver.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// Answer other than 2xx.
    #[error("the answer was status {status}")]
    Status {
        status: u16,
        /// Wait that the `Retry-After` of a 429 or 503 asks for.
        retry_after: Option<Duration>,
    },
    /// No status of an answer in time.
    #[error("no answer within 10 seconds")]
    Timeout,
    /// No answer, because of the name, the connection, TLS, or a forbidden address.
    #[error("{0}")]
    Call(String),
    /// Attempt that could not be made because the stored delivery cannot be read; no fault of the receiver.
    #[error("what was stored of this delivery cannot be read")]
    Unreadable,
}

impl Failure {
    /// Returns the status of the answer, if there was one.
    pub const fn status(&self) -> Option<u16> {
        match self {
            Self::Status { status, .. } => Some(*status),
            Self::Timeout | Self::Call(_) | Self::Unreadable => None,
        }
    }
}

/// Status of a 2xx answer, or the failure.
pub type AttemptOutcome = Result<u16, Failure>;

/// Step that follows from an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextStep {
    Delivered,
    RetryAt(OffsetDateTime),
    Failed,
}

/// Decides what follows from attempt number `attempt` (from 1) that ended at `now`; `jitter` is from 0 to 1.
/// A 410 is final; the `Retry-After` of a 429 or 503 can only lengthen the gap.
pub fn next_step(attempt: u32, outcome: &AttemptOutcome, now: OffsetDateTime, jitter: f64) -> NextStep {
    let failure = match outcome {
        Ok(_) => return NextStep::Delivered,
        Err(Failure::Status { status: 410, .. }) => return NextStep::Failed,
        Err(failure) => failure,
    };
    if attempt >= ATTEMPTS {
        return NextStep::Failed;
    }
    let gap = Duration::from_mins(1 << (attempt.clamp(1, 6) - 1));
    let asked = match failure {
        Failure::Status { status: 429 | 503, retry_after } => {
            retry_after.unwrap_or_default().min(LONGEST_GAP)
        }
        _ => Duration::ZERO,
    };
    let jittered = gap.mul_f64(1.0 + 0.1 * jitter.clamp(0.0, 1.0));
    NextStep::RetryAt(now + jittered.max(asked))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use time::{OffsetDateTime, ext::NumericalDuration, macros::datetime};

    use super::{AttemptOutcome, Failure, NextStep, next_step};

    const NOW: OffsetDateTime = datetime!(2026-11-21 10:00 UTC);

    fn status(status: u16, retry_after_secs: Option<u64>) -> AttemptOutcome {
        Err(Failure::Status { status, retry_after: retry_after_secs.map(Duration::from_secs) })
    }

    #[test]
    fn seven_attempts_with_doubling_gaps() {
        let gaps = [1, 2, 4, 8, 16, 32];
        for (attempt, minutes) in (1..).zip(gaps) {
            let wanted = NextStep::RetryAt(NOW + i64::from(minutes).minutes());
            assert_eq!(next_step(attempt, &status(500, None), NOW, 0.0), wanted, "{attempt}");
        }
        assert_eq!(next_step(7, &status(500, None), NOW, 0.0), NextStep::Failed);
        assert_eq!(next_step(8, &Err(Failure::Timeout), NOW, 0.0), NextStep::Failed);
    }

    #[test]
    fn jitter_lengthens_a_gap_by_a_tenth_at_most() {
        let longest = NextStep::RetryAt(NOW + 66.seconds());
        for jitter in [1.0, 7.0] {
            assert_eq!(next_step(1, &Err(Failure::Timeout), NOW, jitter), longest);
        }
    }

    #[test]
    fn gone_is_final_at_once_and_any_2xx_delivers() {
        assert_eq!(next_step(1, &status(410, None), NOW, 0.0), NextStep::Failed);
        for code in [200, 201, 204, 299] {
            assert_eq!(next_step(1, &Ok(code), NOW, 0.0), NextStep::Delivered);
        }
    }

    #[test]
    fn retry_after_only_lengthens_and_only_from_429_and_503() {
        for (outcome, seconds) in [
            (status(429, Some(600)), 600),
            (status(503, Some(5)), 60),
            (status(503, Some(86_400)), 32 * 60),
            (status(500, Some(600)), 60),
        ] {
            assert_eq!(
                next_step(1, &outcome, NOW, 0.0),
                NextStep::RetryAt(NOW + i64::from(seconds).seconds())
            );
        }
    }
}
