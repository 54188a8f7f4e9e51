//! Usage of a workspace by day (UTC), for thirteen months.
//!
//! Nothing is counted as messages are written: ids of messages and sends are in the order of their recording,
//! so a day is a range of them. Days that have ended are counted once by a worker and kept; the last two are
//! counted on request.

use std::sync::Arc;

use time::{Date, Duration, OffsetDateTime, UtcOffset};

use super::{day_usage::DayUsage, ports::UsageDays};
use crate::{clock::Clock, errors::StoreError, ids::WorkspaceId};

/// Most days for which usage is shown: thirteen months.
pub const DAYS_TOLD: i64 = 396;
/// Time after its end in which a day may still get messages: those begun before it ended.
const SETTLES_WITHIN: Duration = Duration::HOUR;
/// Most days counted in one step.
const AT_ONCE: usize = 20;
/// Number of latest days that are counted on request.
const COUNTED_NOW: i64 = 2;

/// Counts and shows daily usage.
pub struct CountUsage {
    pub store: Arc<dyn UsageDays>,
    pub clock: Arc<dyn Clock>,
}

impl CountUsage {
    /// Returns the last `days` days, newest first. Days before the last two are left out if they were not
    /// kept.
    pub async fn tell(&self, workspace: WorkspaceId, days: i64) -> Result<Vec<DayUsage>, StoreError> {
        let today = day_of(self.clock.now());
        let since = today - Duration::days(days.clamp(1, DAYS_TOLD) - 1);
        let mut told = Vec::new();
        for back in 0..COUNTED_NOW {
            let day = today - Duration::days(back);
            if day >= since {
                told.push(self.store.count(workspace, day).await?);
            }
        }
        let kept = self.store.kept(workspace, since, today - Duration::days(COUNTED_NOW)).await?;
        told.extend(kept);
        Ok(told)
    }

    /// Counts and keeps some of the ended days that are not kept yet; returns whether there may be more. A
    /// day counted twice has the same counts, so a failed step may be repeated.
    pub async fn step(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        let now = self.clock.now();
        let last = day_of(now - SETTLES_WITHIN) - Duration::DAY;
        let Some(first) = self.store.first_day(workspace).await? else { return Ok(false) };
        let earliest = first.max(day_of(now) - Duration::days(DAYS_TOLD - 1));
        let kept = self.store.last_kept(workspace).await?;
        let mut day = kept.map_or(earliest, |kept| earliest.max(kept + Duration::DAY));
        let mut counted = Vec::new();
        while day <= last && counted.len() < AT_ONCE {
            counted.push(self.store.count(workspace, day).await?);
            day += Duration::DAY;
        }
        if !counted.is_empty() {
            self.store.keep(workspace, &counted, now).await?;
        }
        Ok(day <= last)
    }
}

fn day_of(at: OffsetDateTime) -> Date {
    at.to_offset(UtcOffset::UTC).date()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use time::macros::{date, datetime};

    use super::CountUsage;
    use crate::workspaces::day_usage::DayUsage;
    use crate::{
        testing::{ManualClock, a_workspace},
        workspaces::ports::MockUsageDays,
    };

    fn counted(day: time::Date) -> DayUsage {
        DayUsage { day, received: 1, sent: 2, templates: [].into(), active_customers: 1 }
    }

    fn counting(
        now: time::OffsetDateTime,
        last_kept: Option<time::Date>,
    ) -> (CountUsage, Arc<Mutex<Vec<time::Date>>>) {
        let mut store = MockUsageDays::new();
        let kept: Arc<Mutex<Vec<time::Date>>> = Arc::default();
        let keeping = kept.clone();
        store.expect_first_day().returning(|_| Ok(Some(date!(2026 - 11 - 01))));
        store.expect_last_kept().returning(move |_| Ok(last_kept));
        store.expect_count().returning(|_, day| Ok(counted(day)));
        store.expect_keep().returning(move |_, days, _| {
            keeping.lock().unwrap().extend(days.iter().map(|day| day.day));
            Ok(())
        });
        (CountUsage { store: Arc::new(store), clock: Arc::new(ManualClock::at(now)) }, kept)
    }

    #[pollster::test]
    async fn days_that_have_ended_are_kept_and_the_one_that_has_just_ended_is_waited_for() {
        let (early, kept) = counting(datetime!(2026-11-04 00:30 UTC), None);
        assert!(!early.step(a_workspace().id).await.unwrap());
        assert_eq!(*kept.lock().unwrap(), [date!(2026 - 11 - 01), date!(2026 - 11 - 02)]);
        let (later, kept) = counting(datetime!(2026-11-04 01:00 UTC), Some(date!(2026 - 11 - 02)));
        assert!(!later.step(a_workspace().id).await.unwrap());
        assert_eq!(*kept.lock().unwrap(), [date!(2026 - 11 - 03)]);
    }

    #[pollster::test]
    async fn a_long_time_is_counted_in_steps() {
        let (counting, kept) = counting(datetime!(2026-11-30 12:00 UTC), None);
        assert!(counting.step(a_workspace().id).await.unwrap());
        assert_eq!(kept.lock().unwrap().len(), 20);
    }

    #[pollster::test]
    async fn the_last_two_days_are_counted_when_they_are_asked_for() {
        let mut store = MockUsageDays::new();
        store.expect_count().times(2).returning(|_, day| Ok(counted(day)));
        store
            .expect_kept()
            .withf(|_, since, until| (*since, *until) == (date!(2026 - 11 - 02), date!(2026 - 11 - 29)))
            .returning(|_, _, until| Ok(vec![counted(until)]));
        let clock = Arc::new(ManualClock::at(datetime!(2026-12-01 12:00 UTC)));
        let told = CountUsage { store: Arc::new(store), clock }.tell(a_workspace().id, 30).await.unwrap();
        let days: Vec<_> = told.iter().map(|day| day.day).collect();
        assert_eq!(days, [date!(2026 - 12 - 01), date!(2026 - 11 - 30), date!(2026 - 11 - 29)]);
    }
}
