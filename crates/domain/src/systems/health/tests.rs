//! Tests of the rules of [`super`], as tables and as properties of any history.

use std::time::Duration;

use proptest::prelude::*;
use time::{OffsetDateTime, macros::datetime};

use super::{ConnectionState, Finding, Health, Outcome, Unavailable, VERIFY_FIRST, VERIFY_LONGEST};
use crate::systems::CallError;

const NOON: OffsetDateTime = datetime!(2026-11-21 12:00 UTC);

fn after_call(health: Health, finding: Finding, now: OffsetDateTime) -> Health {
    health.after(Outcome { verification: false, finding }, now)
}

fn after_verify(health: Health, finding: Finding, now: OffsetDateTime) -> Health {
    health.after(Outcome { verification: true, finding }, now)
}

#[test]
fn each_way_a_call_ends_tells_its_own_of_the_connection() {
    let unreachable = CallError::Unreachable { words: String::new(), sent: true };
    let table: [(Result<(), CallError>, Finding, Finding); 12] = [
        (Ok(()), Finding::Answers, Finding::Answers),
        (Err(CallError::Refused { status: 409, message: None }), Finding::Answers, Finding::Fails),
        (Err(CallError::NOT_FOUND), Finding::Answers, Finding::Fails),
        (
            Err(CallError::NeedsReconnection { status: 403, message: None }),
            Finding::Refuses,
            Finding::Refuses,
        ),
        (
            Err(CallError::SlowDown { retry_after: None, message: None }),
            Finding::Slows(None),
            Finding::Slows(None),
        ),
        (Err(CallError::Misdirected { status: 401 }), Finding::Fails, Finding::Fails),
        (Err(CallError::Down { status: 503, message: None }), Finding::Fails, Finding::Fails),
        (Err(CallError::TimedOut), Finding::Fails, Finding::Fails),
        (Err(unreachable), Finding::Fails, Finding::Fails),
        (Err(CallError::TooLarge), Finding::Fails, Finding::Fails),
        (Err(CallError::Unreadable { status: 200, unusable: vec![] }), Finding::Fails, Finding::Fails),
        (Err(CallError::NotMade("")), Finding::Unknown, Finding::Unknown),
    ];
    for (result, call, verification) in table {
        assert_eq!(Outcome::of_call(&result).finding, call, "{result:?}");
        assert_eq!(Outcome::of_verification(&result).finding, verification, "{result:?}");
    }
}

fn broken() -> Health {
    (0..5).fold(Health::default(), |health, _| after_call(health, Finding::Fails, NOON))
}

#[test]
fn five_failures_in_a_row_open_the_breaker_and_four_do_not() {
    let four = (0..4).fold(Health::default(), |health, _| after_call(health, Finding::Fails, NOON));
    assert_eq!(four.state, ConnectionState::Active);
    let interrupted = after_call(after_call(four, Finding::Answers, NOON), Finding::Fails, NOON);
    assert_eq!((interrupted.state, interrupted.failures), (ConnectionState::Active, 1));
    let open = after_call(four, Finding::Fails, NOON);
    assert_eq!(open.state, ConnectionState::Unreachable);
    assert_eq!(open.may_call(NOON + Duration::from_hours(9)), Err(Unavailable::Unreachable));
    assert_eq!(open.verify_at, Some(NOON + VERIFY_FIRST));
}

#[test]
fn a_secret_that_is_not_accepted_is_lost_at_once() {
    for before in [Health::default(), after_call(Health::default(), Finding::Slows(None), NOON), broken()] {
        let lost = after_call(before, Finding::Refuses, NOON);
        assert_eq!(lost.state, ConnectionState::NeedsReconnection);
        assert_eq!(lost.may_call(NOON), Err(Unavailable::NeedsReconnection));
        assert_eq!(lost.verify_at, Some(NOON + VERIFY_FIRST));
    }
}

#[test]
fn a_request_for_fewer_calls_is_heeded_for_as_long_as_it_says_up_to_ten_minutes() {
    for (asked, seconds) in [(0, 1), (1, 1), (90, 90), (600, 600), (601, 600), (u64::MAX, 600)] {
        let finding = Finding::Slows(Some(Duration::from_secs(asked)));
        let cooling = after_call(Health::default(), finding, NOON);
        let until = NOON + Duration::from_secs(seconds);
        assert_eq!(cooling.state, ConnectionState::Cooling(until), "{asked}");
        assert_eq!(cooling.may_call(until - Duration::from_millis(1)), Err(Unavailable::Cooling));
        assert_eq!(cooling.may_call(until), Ok(()));
        assert_eq!(after_call(cooling, Finding::Answers, until), Health::default());
    }
}

#[test]
fn who_asks_for_fewer_calls_again_and_again_without_a_time_is_given_longer_ones() {
    let mut health = Health::default();
    let mut now = NOON;
    for seconds in [30, 60, 120, 240, 480, 600, 600] {
        health = after_call(health, Finding::Slows(None), now);
        assert_eq!(health.state, ConnectionState::Cooling(now + Duration::from_secs(seconds)));
        now += Duration::from_secs(seconds);
    }
}

#[test]
fn what_was_under_way_neither_shortens_a_cooling_nor_ends_a_loss() {
    let cooling = after_call(Health::default(), Finding::Slows(Some(Duration::from_mins(1))), NOON);
    for finding in [Finding::Answers, Finding::Slows(Some(Duration::ZERO)), Finding::Fails] {
        assert_eq!(after_call(cooling, finding, NOON).state, cooling.state, "{finding:?}");
    }
    for finding in [Finding::Answers, Finding::Slows(None), Finding::Fails] {
        assert_eq!(after_call(broken(), finding, NOON), broken(), "{finding:?}");
    }
}

#[test]
fn an_answered_verification_heals_whatever_was_lost() {
    let refused = after_call(Health::default(), Finding::Refuses, NOON);
    for lost in [broken(), refused] {
        assert_eq!(after_verify(lost, Finding::Answers, NOON), Health::default());
    }
}

#[test]
fn the_gaps_between_verifications_double_from_one_to_fifteen_minutes() {
    let mut health = broken();
    for minutes in [1, 2, 4, 8, 15, 15] {
        let due = health.verify_at.unwrap();
        assert_eq!(due, NOON + Duration::from_mins(minutes));
        let next = after_verify(health, Finding::Fails, due);
        health = Health { verify_at: next.verify_at.map(|at| NOON + (at - due)), ..next };
    }
}

#[test]
fn a_call_that_was_not_made_tells_nothing() {
    for health in [Health::default(), broken()] {
        assert_eq!(after_verify(health, Finding::Unknown, NOON), health);
    }
}

fn a_finding() -> impl Strategy<Value = Finding> {
    prop_oneof![
        Just(Finding::Answers),
        Just(Finding::Fails),
        Just(Finding::Refuses),
        Just(Finding::Unknown),
        proptest::option::of(0_u64..100_000).prop_map(|asked| Finding::Slows(asked.map(Duration::from_secs))),
    ]
}

proptest! {
    #[test]
    fn whatever_happens_the_rules_hold(history in prop::collection::vec((any::<bool>(), a_finding(), 0_u64..2_000), 0..60)) {
        let mut health = Health::default();
        let mut now = NOON;
        for (verification, finding, seconds) in history {
            now += Duration::from_secs(seconds);
            let before = health;
            health = before.after(Outcome { verification, finding }, now);
            let lost = |it: Health| matches!(it.state, ConnectionState::Unreachable | ConnectionState::NeedsReconnection);
            prop_assert_eq!(health.verify_at.is_some(), lost(health));
            if lost(before) && !lost(health) {
                prop_assert!(verification && finding == Finding::Answers);
            }
            if finding == Finding::Refuses {
                prop_assert_eq!(health.state, ConnectionState::NeedsReconnection);
            }
            if let (ConnectionState::Cooling(until), Finding::Slows(_)) = (health.state, finding) {
                prop_assert!(until > now && until <= now + Duration::from_mins(10));
            }
            if health.state == ConnectionState::Active {
                prop_assert!(health.failures < 5);
            }
            if health.verify_at != before.verify_at && lost(health) {
                let at = health.verify_at.unwrap();
                prop_assert!(at >= now + VERIFY_FIRST && at <= now + VERIFY_LONGEST);
            }
        }
    }
}
