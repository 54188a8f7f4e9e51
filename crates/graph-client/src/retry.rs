//! Short retries of what was certainly not sent.

use std::time::Duration;

use async_trait::async_trait;
use ring::rand::{SecureRandom as _, SystemRandom};

/// Number and pauses of the tries of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Number of tries, the first included.
    pub attempts: u32,
    /// First pause, before jitter; each later one is four times the one before.
    pub base: Duration,
    /// Bound on all pauses of one call together. A pause that does not fit ends the tries.
    pub budget: Duration,
}

/// Three tries within 2 s: a caller of the REST API is waiting for the answer.
impl Default for RetryPolicy {
    fn default() -> Self {
        Self { attempts: 3, base: Duration::from_millis(200), budget: Duration::from_secs(2) }
    }
}

/// Passing of time between tries.
#[async_trait]
pub trait Pacing: Send + Sync {
    /// Waits for `length`.
    async fn pause(&self, length: Duration);

    /// Returns an evenly spread random number from 0 to 255.
    fn jitter(&self) -> u8;
}

/// Real time, with the system's randomness.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemPacing;

#[async_trait]
impl Pacing for SystemPacing {
    async fn pause(&self, length: Duration) {
        tokio::time::sleep(length).await;
    }

    fn jitter(&self) -> u8 {
        let mut byte = [0];
        // Without randomness the pause is merely not spread.
        let _ = SystemRandom::new().fill(&mut byte);
        let [byte] = byte;
        byte
    }
}

/// Remaining tries and pauses of one call.
pub(crate) struct Pauses {
    policy: RetryPolicy,
    tries_left: u32,
    next: Duration,
    budget_left: Duration,
}

impl Pauses {
    pub(crate) const fn new(policy: RetryPolicy) -> Self {
        Self { policy, tries_left: policy.attempts, next: policy.base, budget_left: policy.budget }
    }

    /// Returns the pause before the next try after one has failed, at least as long as the network `wants`;
    /// `None` to give up.
    pub(crate) fn after_failure(&mut self, wants: Option<Duration>, jitter: u8) -> Option<Duration> {
        self.tries_left = self.tries_left.saturating_sub(1);
        if self.tries_left == 0 {
            return None;
        }
        // Between a half and the whole of the step, so that callers who failed together do not return
        // together.
        let spread = self.next / 2 + self.next / 2 * u32::from(jitter) / 255;
        let pause = spread.max(wants.unwrap_or_default());
        self.budget_left = self.budget_left.checked_sub(pause)?;
        self.next = (self.next * 4).min(self.policy.budget);
        Some(pause)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: fn(u64) -> Duration = Duration::from_millis;

    #[test]
    fn pauses_grow_fourfold_until_the_tries_are_used_up() {
        let mut pauses = Pauses::new(RetryPolicy::default());
        let taken: Vec<_> = (0..4).map(|_| pauses.after_failure(None, 255)).collect();
        assert_eq!(taken, [Some(MS(200)), Some(MS(800)), None, None]);
    }

    #[test]
    fn jitter_takes_away_up_to_a_half() {
        let first = |jitter| Pauses::new(RetryPolicy::default()).after_failure(None, jitter).unwrap();
        assert_eq!(first(0), MS(100));
        assert_eq!(first(255), MS(200));
    }

    #[test]
    fn the_network_may_lengthen_a_pause_within_the_budget() {
        let mut pauses = Pauses::new(RetryPolicy::default());
        assert_eq!(pauses.after_failure(Some(MS(1000)), 0), Some(MS(1000)));
        assert_eq!(pauses.after_failure(Some(MS(1001)), 0), None);
    }

    #[test]
    fn a_single_try_has_no_pause() {
        let policy = RetryPolicy { attempts: 1, ..RetryPolicy::default() };
        assert_eq!(Pauses::new(policy).after_failure(None, 0), None);
    }
}
