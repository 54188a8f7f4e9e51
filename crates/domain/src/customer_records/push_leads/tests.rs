//! Calls of the ports by a use case that tells a system of leads.

use std::sync::{Arc, Mutex};

use pollster::FutureExt;
use time::Duration;

use super::PushLeads;
use crate::{
    customer_records::{AfterTry, LeadState, MOST_TRIES, ports::MockLeadStore},
    systems::{
        CallError, Capability,
        call::fixtures::{answered, calling, workspace},
        ports::MockCustomSystem,
    },
    testing::{ManualClock, a_due_lead, a_moment},
};

/// What was recorded, with the attempt that it names.
type Settled = Arc<Mutex<Vec<(u32, AfterTry)>>>;

fn pushing(attempt: Option<u32>, system: MockCustomSystem) -> (PushLeads, Settled) {
    let settled = Settled::default();
    let (mut leads, kept) = (MockLeadStore::new(), settled.clone());
    leads
        .expect_claim()
        .withf(|_, now, until| *until == *now + Duration::MINUTE)
        .returning(move |_, _, _| Ok(attempt.map(a_due_lead)));
    leads.expect_settle().returning(move |_, _, attempt, then| {
        kept.lock().unwrap().push((attempt, then));
        Ok(())
    });
    let push = PushLeads {
        systems: calling([Capability::Customers], system),
        leads: Arc::new(leads),
        clock: Arc::new(ManualClock::at(a_moment())),
    };
    (push, settled)
}

#[test]
fn a_lead_that_is_due_is_told_once_and_has_ended() {
    let mut system = MockCustomSystem::new();
    system
        .expect_push_lead()
        .withf(|_, lead| *lead == a_due_lead(1).push)
        .times(1)
        .returning(|_, _| answered(None));
    let (push, settled) = pushing(Some(1), system);
    let then = push.run(workspace()).block_on().unwrap();
    assert_eq!(then, Some(AfterTry::Ended(LeadState::Told)));
    assert_eq!(*settled.lock().unwrap(), [(1, AfterTry::Ended(LeadState::Told))]);
}

#[test]
fn a_lead_that_is_not_taken_is_due_again_until_its_tries_are_spent() {
    for (attempt, then) in [
        (1, AfterTry::Again(a_moment() + Duration::MINUTE)),
        (MOST_TRIES, AfterTry::Ended(LeadState::GivenUp)),
    ] {
        let mut system = MockCustomSystem::new();
        system.expect_push_lead().times(1).returning(|_, _| Err(CallError::TimedOut.into()));
        let (push, settled) = pushing(Some(attempt), system);
        assert_eq!(push.run(workspace()).block_on().unwrap(), Some(then));
        assert_eq!(*settled.lock().unwrap(), [(attempt, then)]);
    }
    // The last try was begun by a process that died: nobody is asked.
    let (push, settled) = pushing(Some(MOST_TRIES + 1), MockCustomSystem::new());
    let then = AfterTry::Ended(LeadState::GivenUp);
    assert_eq!(push.run(workspace()).block_on().unwrap(), Some(then));
    assert_eq!(*settled.lock().unwrap(), [(MOST_TRIES + 1, then)]);
}

#[test]
fn whoever_gets_no_lead_tells_nobody() {
    let (push, settled) = pushing(None, MockCustomSystem::new());
    assert_eq!(push.run(workspace()).block_on().unwrap(), None);
    assert!(settled.lock().unwrap().is_empty());
}
