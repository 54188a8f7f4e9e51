//! Shortage of this machine's resources for attempts, such as open files: logged now and then, and waited
//! out.

use std::time::Duration;

use domain::webhooks::ports::NotMade;
use time::OffsetDateTime;

/// Pause in which nothing is started.
pub(super) const PAUSE: Duration = Duration::from_secs(1);
/// Least interval between two log lines.
const SAID_EVERY: Duration = Duration::from_mins(1);

#[derive(Default)]
pub(super) struct Shortage {
    /// Whether the pause lasts.
    pub(super) is_on: bool,
    said_at: Option<OffsetDateTime>,
}

impl Shortage {
    /// Notes an attempt that could not be made; returns whether a pause begins with it.
    pub(super) fn met(&mut self, want: &NotMade, now: OffsetDateTime) -> bool {
        if self.is_to_be_said(now) {
            tracing::warn!(%want, "webhook attempts cannot be made; their deliveries wait and are not counted");
        }
        !std::mem::replace(&mut self.is_on, true)
    }

    fn is_to_be_said(&mut self, now: OffsetDateTime) -> bool {
        if self.said_at.is_some_and(|said_at| now - said_at < SAID_EVERY) {
            return false;
        }
        self.said_at = Some(now);
        true
    }
}

#[cfg(test)]
mod tests {
    use domain::{testing::a_moment, webhooks::ports::NotMade};
    use time::ext::NumericalDuration;

    use super::Shortage;

    #[test]
    fn it_is_said_once_a_minute_and_its_pause_begins_once() {
        let mut shortage = Shortage::default();
        let said =
            [0, 1, 59, 60, 61, 120].map(|second| shortage.is_to_be_said(a_moment() + second.seconds()));
        assert_eq!(said, [true, false, false, true, false, true]);
        let want = NotMade("no files".to_owned());
        assert!(shortage.met(&want, a_moment()));
        assert!(!shortage.met(&want, a_moment()));
        shortage.is_on = false;
        assert!(shortage.met(&want, a_moment()));
    }
}
