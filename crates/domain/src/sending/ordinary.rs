//! Which sends somebody waits for: broadcasts give way to them.

use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};

use time::{Duration, OffsetDateTime};

/// The next ordinary send is reckoned with for so long after one.
const RECENTLY: Duration = Duration::seconds(1);

/// They are the sends of this process that somebody waits for.
#[derive(Debug)]
pub struct OrdinarySends {
    under_way: AtomicUsize,
    /// The last one began or ended then, in milliseconds.
    last: AtomicI64,
}

impl Default for OrdinarySends {
    fn default() -> Self {
        Self { under_way: AtomicUsize::new(0), last: AtomicI64::new(i64::MIN) }
    }
}

/// It is one of them, until it is dropped.
pub(super) struct UnderWay<'a>(&'a OrdinarySends);

impl OrdinarySends {
    /// Counts one that begins.
    pub(super) fn begin(&self, now: OffsetDateTime) -> UnderWay<'_> {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        self.last.store(milliseconds(now), Ordering::Relaxed);
        UnderWay(self)
    }

    /// Says whether one is under way right now.
    pub fn are_under_way(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) > 0
    }

    /// Says whether one is, or began within the last second.
    pub fn were_recent(&self, now: OffsetDateTime) -> bool {
        let last = self.last.load(Ordering::Relaxed);
        self.are_under_way()
            || milliseconds(now).saturating_sub(last)
                < i64::try_from(RECENTLY.whole_milliseconds()).unwrap_or(i64::MAX)
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.0.under_way.fetch_sub(1, Ordering::Relaxed);
    }
}

fn milliseconds(at: OffsetDateTime) -> i64 {
    i64::try_from(at.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use time::Duration;

    use super::OrdinarySends;
    use crate::testing::a_moment;

    #[test]
    fn a_send_counts_until_it_has_ended_and_is_remembered_for_a_second() {
        let sends = OrdinarySends::default();
        assert!(!sends.are_under_way() && !sends.were_recent(a_moment()));
        let one = sends.begin(a_moment());
        let two = sends.begin(a_moment());
        drop(one);
        assert!(sends.are_under_way() && sends.were_recent(a_moment() + Duration::HOUR));
        drop(two);
        assert!(!sends.are_under_way());
        assert!(sends.were_recent(a_moment() + Duration::milliseconds(999)));
        assert!(!sends.were_recent(a_moment() + Duration::SECOND));
    }
}
