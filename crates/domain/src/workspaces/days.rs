//! What a workspace used day by day (UTC), for thirteen months.
//!
//! Nothing is counted as messages are written: ids of messages and sends are in the order of their recording, so a day is a
//! range of them. Days that have ended are counted once by a worker and kept; the last two are counted when they are asked
//! for.

use std::{collections::BTreeMap, sync::Arc};

use time::{Date, Duration, OffsetDateTime, UtcOffset};

use super::ports::UsageDays;
use crate::{clock::Clock, errors::StoreError, ids::WorkspaceId};

/// Usage is told for so many days: thirteen months.
pub const DAYS_TOLD: i64 = 396;
/// It says how long after its end a day may still get messages: those that were begun before it.
const SETTLES_WITHIN: Duration = Duration::HOUR;
/// One step counts so many days.
const AT_ONCE: usize = 20;
/// So many days are counted when they are asked for.
const COUNTED_NOW: i64 = 2;

/// It says what was used on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayUsage {
    pub day: Date,
    /// Customers sent so many messages.
    pub received: u64,
    /// So many messages went to customers, templates included; one-time codes are in no conversation.
    pub sent: u64,
    /// The networks took so many templates, by the category that they have now, one-time codes included;
    /// `unknown` is for those that there are no more.
    pub templates: BTreeMap<String, u64>,
    /// A message was exchanged with so many customers.
    pub active_customers: u64,
}

/// It tells and counts what was used.
pub struct CountUsage {
    pub store: Arc<dyn UsageDays>,
    pub clock: Arc<dyn Clock>,
}

impl CountUsage {
    /// Returns the last `days` days, the newest first. Days of which nothing is kept, and that have ended
    /// long ago, are left out.
    ///
    /// # Errors
    /// Those of the store.
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

    /// Counts and keeps some of the days that have ended and are not kept; whether there may be more.
    ///
    /// # Errors
    /// Those of the store. A day that is counted twice is the same day.
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

    use super::{CountUsage, DayUsage};
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
