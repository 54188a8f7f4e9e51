//! Time limits for a message's files: 60 seconds, then the event goes without them; and how long they are
//! fetched afterwards.

use std::time::Duration;

use time::OffsetDateTime;

/// Longest time that the event of a message waits for its files.
pub(super) const OUTCOME_WITHIN: Duration = Duration::from_mins(1);
/// Lease of a claimed message, longer than any turn.
pub(super) const LEASE: Duration = Duration::from_secs(75);
/// Time from the start of the last try to the end of the wait.
const LAST_TRY: Duration = Duration::from_secs(10);
/// Least time left of the wait that is enough for a try.
const TOO_SHORT: Duration = Duration::from_secs(5);
/// Time for a try that begins after the wait, because no node was there before. Also the longest time for
/// transcription.
const LATE_TRY: Duration = Duration::from_secs(30);
/// Shortest time for transcription.
const LATE_WORDS: Duration = Duration::from_secs(5);
/// Age of a message up to which a file too late for the event is fetched: as long as the network keeps it
/// (docs/run/networks.md, "Files that people send").
const KEPT_FOR: Duration = Duration::from_hours(7 * 24);
/// Gap between the event and the first try after it.
const FIRST_LATE_GAP: Duration = Duration::from_mins(1);
/// Longest gap between tries after the event, so that files are there an hour after an outage at most.
const LONGEST_LATE_GAP: Duration = Duration::from_hours(1);
/// Time for a try after the event, which nobody waits for.
const LATE_FETCH: Duration = Duration::from_mins(5);
/// Lease of a claimed message whose event has gone out, longer than any turn.
pub(super) const LATE_LEASE: Duration = Duration::from_mins(10);
/// More tries than the wait has room for: only a message that takes nodes down comes to as many.
const MOST_TRIES: u32 = 10;

/// Decision after a failed try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterFailure {
    TryAt(OffsetDateTime),
    /// No more tries in this queue.
    GiveUp,
}

fn left(recorded_at: OffsetDateTime, now: OffsetDateTime) -> Duration {
    Duration::try_from(recorded_at + OUTCOME_WITHIN - now).unwrap_or_default()
}

/// Returns the time for try number `attempt` (from 1); `None` if there were too many.
pub(super) fn time_for_a_try(
    attempt: u32,
    recorded_at: OffsetDateTime,
    now: OffsetDateTime,
) -> Option<Duration> {
    let left = left(recorded_at, now).min(OUTCOME_WITHIN);
    let time = if left < TOO_SHORT { LATE_TRY } else { left };
    (attempt <= MOST_TRIES).then_some(time)
}

/// Returns the time for transcription.
pub(super) fn time_for_words(recorded_at: OffsetDateTime, now: OffsetDateTime) -> Duration {
    left(recorded_at, now).clamp(LATE_WORDS, LATE_TRY)
}

/// Decides after try number `attempt` (from 1) has failed at `now`: gaps double, and the last try leaves time
/// to end within the wait.
pub(super) fn after_a_failure(
    attempt: u32,
    recorded_at: OffsetDateTime,
    now: OffsetDateTime,
) -> AfterFailure {
    let last = recorded_at + OUTCOME_WITHIN - LAST_TRY;
    if now >= last || attempt >= MOST_TRIES {
        return AfterFailure::GiveUp;
    }
    let gap = Duration::from_secs(1 << attempt.clamp(1, 7).saturating_sub(1));
    AfterFailure::TryAt((now + gap).min(last))
}

/// Returns the time for a try after the event.
pub(super) const fn time_for_a_late_try() -> Duration {
    LATE_FETCH
}

/// Returns the time for transcription after the event.
pub(super) const fn time_for_late_words() -> Duration {
    LATE_TRY
}

/// Returns when a file is tried for the first time after the event.
pub(super) fn first_late_try(now: OffsetDateTime) -> OffsetDateTime {
    now + FIRST_LATE_GAP
}

/// Decides after try number `attempt` (from 1) after the event has failed at `now`: gaps double up to an
/// hour.
pub(super) fn after_a_late_failure(
    attempt: u32,
    recorded_at: OffsetDateTime,
    now: OffsetDateTime,
) -> AfterFailure {
    let gap = FIRST_LATE_GAP.saturating_mul(1 << attempt.clamp(1, 16)).min(LONGEST_LATE_GAP);
    let next = now + gap;
    if next > recorded_at + KEPT_FOR { AfterFailure::GiveUp } else { AfterFailure::TryAt(next) }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use proptest::prelude::*;
    use time::{OffsetDateTime, macros::datetime};

    use super::{
        AfterFailure::{GiveUp, TryAt},
        KEPT_FOR, LATE_LEASE, LEASE, LONGEST_LATE_GAP, OUTCOME_WITHIN, after_a_failure, after_a_late_failure,
        first_late_try, time_for_a_late_try, time_for_a_try, time_for_late_words, time_for_words,
    };

    const RECORDED: OffsetDateTime = datetime!(2026-11-21 10:00 UTC);

    fn at(second: i64) -> OffsetDateTime {
        RECORDED + time::Duration::seconds(second)
    }

    #[test]
    fn gaps_double_and_the_last_try_is_ten_seconds_before_the_end() {
        for (attempt, failed, next) in [
            (1, 0, TryAt(at(1))),
            (2, 1, TryAt(at(3))),
            (3, 3, TryAt(at(7))),
            (5, 15, TryAt(at(31))),
            (6, 31, TryAt(at(50))),
            (1, 49, TryAt(at(50))),
            (7, 50, GiveUp),
            (1, 60, GiveUp),
            (1, 3_600, GiveUp),
            (10, 2, GiveUp),
        ] {
            assert_eq!(after_a_failure(attempt, RECORDED, at(failed)), next, "{attempt} at {failed}");
        }
    }

    #[test]
    fn a_try_has_what_is_left_of_the_wait_and_a_late_one_a_little() {
        for (attempt, now, seconds) in [
            (1, 0, Some(60)),
            (1, -5, Some(60)),
            (3, 7, Some(53)),
            (7, 50, Some(10)),
            (1, 56, Some(30)),
            (2, 3_600, Some(30)),
            (10, 3_600, Some(30)),
            (11, 0, None),
        ] {
            let time = time_for_a_try(attempt, RECORDED, at(now));
            assert_eq!(time, seconds.map(Duration::from_secs), "{attempt} at {now}");
        }
    }

    #[test]
    fn after_the_event_gaps_double_to_an_hour_and_end_with_what_the_network_keeps() {
        const WEEK: i64 = 7 * 24 * 3_600;
        for (attempt, failed, next) in [
            (1, 120, TryAt(at(240))),
            (2, 240, TryAt(at(480))),
            (5, 1_000, TryAt(at(1_000 + 1_920))),
            (6, 3_600, TryAt(at(7_200))),
            (170, WEEK - 3_600, TryAt(at(WEEK))),
            (171, WEEK - 3_599, GiveUp),
            (1, WEEK, GiveUp),
        ] {
            assert_eq!(after_a_late_failure(attempt, RECORDED, at(failed)), next, "{attempt} at {failed}");
        }
        assert!(time_for_a_late_try() + time_for_late_words() < LATE_LEASE);
    }

    #[test]
    fn a_file_that_can_be_had_again_is_tried_within_the_hour_for_a_week() {
        let (mut now, mut attempt) = (first_late_try(at(60)), 1);
        while let TryAt(next) = after_a_late_failure(attempt, RECORDED, now) {
            assert!(next - now <= LONGEST_LATE_GAP);
            now = next;
            attempt += 1;
        }
        assert!(now > RECORDED + KEPT_FOR - LONGEST_LATE_GAP);
        assert!(attempt < 200, "{attempt}");
    }

    proptest! {
        #[test]
        fn a_turn_is_shorter_than_its_lease(attempt in 1_u32..12, now in -10_i64..100_000) {
            if let Some(time) = time_for_a_try(attempt, RECORDED, at(now)) {
                let turn = time + time_for_words(RECORDED, at(now) + time);
                prop_assert!(turn < LEASE);
            }
        }

        #[test]
        fn failures_that_take_no_time_end_within_the_wait(jitter in prop::collection::vec(0_i64..3_000, 12)) {
            let (mut now, mut attempt) = (RECORDED, 1);
            while let TryAt(next) = after_a_failure(attempt, RECORDED, now) {
                now = next + time::Duration::milliseconds(jitter[usize::try_from(attempt).unwrap()]);
                attempt += 1;
            }
            prop_assert!(now <= RECORDED + OUTCOME_WITHIN);
            prop_assert!(attempt <= 10);
        }
    }
}
