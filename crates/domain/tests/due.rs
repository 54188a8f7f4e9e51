//! When a broadcast is due, as a table of cases.

use domain::{
    audit::Actor,
    broadcasts::{
        BroadcastState::{Cancelled, Draft, Finished, Paused, Running, Scheduled},
        due_at,
        ports::StateChange,
    },
    lease::LEASE,
    testing::a_moment,
};
use time::ext::NumericalDuration;
use uuid::Uuid;

#[test]
fn a_broadcast_is_due_when_it_starts_and_is_leased_by_the_service_that_sets_it_going() {
    let member = Actor::Member(Uuid::from_u128(1).into());
    let (now, start) = (a_moment(), a_moment() + 9.minutes());
    for (to, actor, due) in [
        (Scheduled, member, Some(start)),
        (Scheduled, Actor::Service, Some(start)),
        (Running, member, Some(now)),
        (Running, Actor::Operator, Some(now)),
        (Running, Actor::Service, Some(now + LEASE)),
        (Draft, member, None),
        (Paused, member, None),
        (Paused, Actor::Service, None),
        (Finished, Actor::Service, None),
        (Cancelled, member, None),
    ] {
        let change = StateChange {
            broadcast: Uuid::from_u128(1).into(),
            from: Draft,
            to,
            reason: None,
            starts_at: Some(start),
            at: now,
        };
        assert_eq!(due_at(&change, actor), due, "{to:?} by {actor:?}");
    }
}
