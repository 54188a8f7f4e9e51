//! Sends that somebody waits for: broadcasts give way to them.

use std::sync::atomic::{AtomicI64, AtomicU64, AtomicUsize, Ordering};

use time::{Duration, OffsetDateTime};

/// Time after an ordinary send within which another is expected.
const RECENTLY: Duration = Duration::seconds(1);
/// Distance between sends of a broadcast beside ordinary sends, in multiples of the time it takes to begin
/// one.
const APART: u64 = 20;
/// Shortest distance in microseconds, however fast the machine is.
const NEAREST: u64 = 25_000;
/// Longest distance in microseconds: a broadcast goes on however much is sent beside it, and however slow the
/// store is.
const FARTHEST: u64 = 120_000;
/// Number of sends that the average time of a beginning is taken over: each new one counts for one of them.
const OF_THE_LAST: u64 = 8;

/// Sends of this process that somebody waits for.
#[derive(Debug)]
pub struct OrdinarySends {
    under_way: AtomicUsize,
    /// Beginning of the last one, in Unix milliseconds.
    last: AtomicI64,
    /// Recent average time to begin one, in microseconds; 0 before the first.
    beginning: AtomicU64,
}

impl Default for OrdinarySends {
    fn default() -> Self {
        Self { under_way: AtomicUsize::new(0), last: AtomicI64::new(i64::MIN), beginning: AtomicU64::new(0) }
    }
}

/// Guard of an ordinary send, which is under way until it is dropped.
pub struct UnderWay<'a>(&'a OrdinarySends);

impl OrdinarySends {
    /// Counts a send that begins.
    pub fn begin(&self, now: OffsetDateTime) -> UnderWay<'_> {
        self.under_way.fetch_add(1, Ordering::Relaxed);
        self.last.store(milliseconds(now), Ordering::Relaxed);
        UnderWay(self)
    }

    /// Records how long it took to begin one: the work of the store and of this machine alone, since the
    /// network is asked later.
    pub(super) fn was_begun(&self, took: Duration) {
        let took = u64::try_from(took.whole_microseconds()).unwrap_or(0);
        let known = self.beginning.load(Ordering::Relaxed);
        let others = known.saturating_mul(OF_THE_LAST - 1);
        let now = if known == 0 { took } else { others.saturating_add(took) / OF_THE_LAST };
        self.beginning.store(now, Ordering::Relaxed);
    }

    /// Returns the distance between sends of a broadcast while others send: the more work a beginning is for
    /// this machine, the longer.
    pub fn apart(&self) -> std::time::Duration {
        let apart = self.beginning.load(Ordering::Relaxed).saturating_mul(APART);
        std::time::Duration::from_micros(apart.clamp(NEAREST, FARTHEST))
    }

    fn are_under_way(&self) -> bool {
        self.under_way.load(Ordering::Relaxed) > 0
    }

    /// Returns `true` if one is under way, or began within the last second.
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
    fn the_longer_a_beginning_takes_the_farther_apart_are_the_messages_of_a_broadcast() {
        let apart = |beginnings: &[i64]| {
            let sends = OrdinarySends::default();
            for micros in beginnings {
                sends.was_begun(Duration::microseconds(*micros));
            }
            sends.apart().as_micros()
        };
        for (beginnings, wanted) in [
            (&[][..], 25_000),
            (&[100], 25_000),
            (&[2_600], 52_000),
            (&[2_600, 10_600], 72_000),
            (&[5_000; 20], 100_000),
            (&[10_000_000], 120_000),
            // The clock went back meanwhile.
            (&[-5], 25_000),
            (&[i64::MAX, i64::MAX], 120_000),
        ] {
            assert_eq!(apart(beginnings), wanted, "{beginnings:?}");
        }
    }

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
