//! Failures of the store: logged once, and followed by growing pauses.

use std::time::Duration;

use domain::errors::StoreError;

/// First pause after a failure; each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Failures of one piece of work since it last went well.
pub(super) struct Outage {
    doing: &'static str,
    pause: Option<Duration>,
}

impl Outage {
    /// Makes an outage without failures; `doing` names the work in the log.
    pub(super) fn new(doing: &'static str) -> Self {
        Self { doing, pause: None }
    }

    /// Notes a failure and returns the pause before the next try. Only the first failure is logged.
    pub(super) fn failed(&mut self, error: &StoreError) -> Duration {
        if self.pause.is_none() {
            tracing::warn!(%error, doing = self.doing, "the store fails; it is tried again, without further words");
        }
        let pause = self.pause.map_or(FIRST_PAUSE, |last| (2 * last).min(LONGEST_PAUSE));
        self.pause = Some(pause);
        pause
    }

    /// Ends the outage.
    pub(super) fn over(&mut self) {
        if self.pause.take().is_some() {
            tracing::info!(doing = self.doing, "the store works again");
        }
    }
}

#[cfg(test)]
mod tests {
    use domain::errors::StoreError;

    use super::Outage;

    #[test]
    fn pauses_double_to_half_a_minute_and_start_over_after_a_success() {
        let mut outage = Outage::new("testing");
        let mut failed = || outage.failed(&StoreError::Stale).as_secs();
        let pauses: Vec<u64> = (0..7).map(|_| failed()).collect();
        assert_eq!(pauses, [1, 2, 4, 8, 16, 30, 30]);
        outage.over();
        assert_eq!(outage.failed(&StoreError::Stale).as_secs(), 1);
    }
}
