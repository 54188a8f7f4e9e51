//! What becomes of a proposal that was not made.

use super::{Sent, key_of_turn, of_proposal, of_system};
use crate::{
    assistant::{Fence, TurnBrief, fixtures::a_brief},
    consent::ProposeError,
    errors::StoreError,
    sending::{Refusal, SendError},
    systems::{CallError, Capability, SystemError, Unavailable},
};

#[test]
fn a_system_that_has_not_got_something_is_there_and_one_that_fails_is_not() {
    let failed = |error| of_system(&error).evidence.has_system_failed();
    assert!(!failed(SystemError::Call(CallError::NotFound)));
    for error in [
        SystemError::NoSystem,
        SystemError::NotDeclared(Capability::Orders),
        Unavailable::Unreachable.into(),
        CallError::TimedOut.into(),
        CallError::Down { status: 500 }.into(),
        CallError::NeedsReconnection { status: 401 }.into(),
        CallError::SlowDown { retry_after: None }.into(),
    ] {
        let named = format!("{error:?}");
        assert!(failed(error), "{named}");
    }
    // Nor is it there for what would have been proposed.
    let proposed = of_proposal(SystemError::Call(CallError::TimedOut).into());
    assert!(proposed.is_err_and(|outcome| outcome.evidence.has_system_failed()));
}

#[test]
fn a_model_is_told_what_it_can_mend_and_the_turn_ends_by_the_rest() {
    let away = || StoreError::Unavailable("no connection".to_owned());
    for (error, sent) in [
        (ProposeError::Invalid("`lines` has 1 to 20 products".to_owned()), None),
        (ProposeError::NotOrderable { line: 2 }, None),
        (ProposeError::NoSuchSlot, None),
        (ProposeError::SeveralSlots, None),
        (ProposeError::AlreadyCancelled, None),
        (ProposeError::NoVerifiedNumber, None),
        (SystemError::Call(CallError::NotFound).into(), None),
        (SystemError::NotDeclared(Capability::Orders).into(), None),
        (ProposeError::UnknownConversation, Some(Sent::Outdated)),
        (ProposeError::Store(StoreError::Stale), Some(Sent::Outdated)),
        (ProposeError::Send(SendError::Store(StoreError::Stale)), Some(Sent::Outdated)),
        (ProposeError::Store(away()), Some(Sent::NotTaken)),
        (SystemError::Store(away()).into(), Some(Sent::NotTaken)),
        (ProposeError::Send(SendError::Store(away())), Some(Sent::NotTaken)),
        (ProposeError::Send(SendError::Refused(Refusal::RequestInFlight)), Some(Sent::NotTaken)),
        (ProposeError::Send(SendError::Refused(Refusal::AuthorLeft)), Some(Sent::Refused)),
        (ProposeError::KeyReused, Some(Sent::Unknown)),
    ] {
        let named = format!("{error:?}");
        assert_eq!(of_proposal(error).ok(), sent, "{named}");
    }
}

#[test]
fn a_turn_has_one_key_and_the_next_another() {
    let (brief, mut next) = (a_brief(), a_brief());
    assert_eq!(
        key_of_turn(&brief).key,
        key_of_turn(&TurnBrief { owner: "x".to_owned(), ..brief.clone() }).key
    );
    next.fence = Fence { heard: brief.fence.heard + 1, ..brief.fence };
    assert_ne!(key_of_turn(&brief).key, key_of_turn(&next).key);
    // Requests are not compared: the first proposal of a turn stands.
    assert!(key_of_turn(&brief).request.is_empty());
}
