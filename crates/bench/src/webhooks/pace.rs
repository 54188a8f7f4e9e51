//! Loads that keep a pace.

/// Events at a steady pace.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pace {
    /// Events per second.
    pub(super) rate: f64,
    pub(super) seconds: f64,
}

impl Pace {
    pub(super) fn events(self) -> u64 {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count of events")]
        let events = (self.rate * self.seconds).ceil() as u64;
        events
    }
}
