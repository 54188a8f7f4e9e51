//! The database's clock, as every node reads it.
//!
//! Leases, claims, expiries and retentions are compared between nodes, so all of them use one clock. It is
//! measured again and again; in between, it advances with the uptime of this machine, which neither jumps nor
//! stops during suspension. The machine's own clock only tells how wrong it is.

use std::{
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use async_trait::async_trait;
use domain::{clock::Clock, errors::StoreError};
use rustix::time::{ClockId, Timespec, clock_gettime};
use time::OffsetDateTime;

use crate::Database;

/// Clock that also advances during suspension, where the system has one.
#[cfg(target_os = "linux")]
const UPTIME: ClockId = ClockId::Boottime;
#[cfg(not(target_os = "linux"))]
const UPTIME: ClockId = ClockId::Monotonic;

/// The database's time once it was measured; before that, the machine's.
pub struct DatabaseClock {
    machine: Arc<dyn Clock>,
    measured: RwLock<Option<Measurement>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Measurement {
    uptime: Duration,
    time: OffsetDateTime,
}

impl Measurement {
    fn time_at(self, uptime: Duration) -> OffsetDateTime {
        self.time + uptime.saturating_sub(self.uptime)
    }

    /// Returns the measurement that holds after the server has answered `time` to a question sent at `asked`
    /// and answered at `answered`. Keeps the previous one if the two agree within the uncertainty, so that
    /// the time does not jitter.
    fn after(before: Option<Self>, time: OffsetDateTime, asked: Duration, answered: Duration) -> Self {
        let uncertainty = answered.saturating_sub(asked) / 2;
        let new = Self { uptime: asked + uncertainty, time };
        match before {
            Some(before) if (before.time_at(new.uptime) - time).unsigned_abs() <= uncertainty => before,
            _ => new,
        }
    }
}

impl DatabaseClock {
    /// Creates a clock without a measurement; `machine` is this machine's own clock.
    pub fn over(machine: Arc<dyn Clock>) -> Self {
        Self { machine, measured: RwLock::default() }
    }

    /// Measures the database's time.
    ///
    /// # Errors
    /// When the database does not answer; the previous measurement stays.
    pub async fn measure(&self, database: &Database) -> Result<(), StoreError> {
        let (time, asked, answered) = database.now_between(uptime).await?;
        let mut measured = self.measured.write().unwrap_or_else(PoisonError::into_inner);
        *measured = Some(Measurement::after(*measured, time, asked, answered));
        Ok(())
    }

    /// Returns how far the machine's clock is ahead of the database's; zero before the first measurement.
    pub fn offset(&self) -> time::Duration {
        self.machine.now() - self.now()
    }
}

#[async_trait]
impl Clock for DatabaseClock {
    fn now(&self) -> OffsetDateTime {
        let measured = *self.measured.read().unwrap_or_else(PoisonError::into_inner);
        measured.map_or_else(|| self.machine.now(), |measured| measured.time_at(uptime()))
    }

    async fn sleep(&self, duration: Duration) {
        self.machine.sleep(duration).await;
    }
}

fn uptime() -> Duration {
    let Timespec { tv_sec, tv_nsec } = clock_gettime(UPTIME);
    let nanoseconds = u32::try_from(tv_nsec).unwrap_or_default();
    Duration::new(u64::try_from(tv_sec).unwrap_or_default(), nanoseconds)
}

#[cfg(test)]
mod tests {
    use domain::testing::{ManualClock, a_moment};
    use time::ext::NumericalDuration;

    use super::*;

    const fn after(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn the_time_goes_on_by_the_uptime_from_the_middle_of_question_and_answer() {
        let measured = Measurement::after(None, a_moment(), after(100), after(102));
        assert_eq!(measured.time_at(after(101)), a_moment());
        assert_eq!(measured.time_at(after(3_701)), a_moment() + 1.hours());
    }

    #[test]
    fn what_was_measured_is_replaced_only_by_what_says_more() {
        let first = Measurement::after(None, a_moment(), after(100), after(104));
        for (time, asked, answered, holds) in [
            // Within the uncertainty of the second measurement.
            (a_moment() + 11.seconds(), 110, 114, true),
            // The first measurement was a second off.
            (a_moment() + 9.seconds(), 112, 112, false),
            // Another database, whose clock is an hour behind.
            (a_moment() - 1.hours(), 110, 114, false),
        ] {
            let second = Measurement::after(Some(first), time, after(asked), after(answered));
            assert_eq!(second == first, holds, "{second:?}");
            assert!(holds || second.time_at(after(u64::midpoint(asked, answered))) == time);
        }
    }

    #[test]
    fn before_it_was_measured_it_is_the_machines() {
        let clock = DatabaseClock::over(Arc::new(ManualClock::at(a_moment())));
        assert_eq!((clock.now(), clock.offset()), (a_moment(), time::Duration::ZERO));
    }
}
