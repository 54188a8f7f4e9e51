//! Loads that keep a pace, and what they took.

use crate::load::percentile;

/// Events at a steady pace.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Events a second.
    pub(super) rate: f64,
    /// How long.
    pub(super) seconds: f64,
}

impl Pace {
    /// How many events that are.
    pub(super) fn events(self) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of events")]
        let events = (self.rate * self.seconds).ceil() as u64;
        events
    }
}

/// In ascending order.
#[derive(Debug)]
pub(super) struct Latencies(Vec<u32>);

impl Latencies {
    /// Of microseconds in any order.
    pub(super) fn new(mut micros: Vec<u32>) -> Self {
        micros.sort_unstable();
        Self(micros)
    }

    /// The latency, in milliseconds, that this share stays within.
    pub(super) fn percentile(&self, share: f64) -> f64 {
        percentile(&self.0, share)
    }
}
