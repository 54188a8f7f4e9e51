//! What becomes of a proposal that was not made.

use super::{Sent, key_of_turn, lead_of, of_proposal, of_system, wish_of};
use crate::{
    assistant::{OwnersWords, ToolOutcome, TurnBrief, fixtures::a_brief, results::Deed},
    consent::ProposeError,
    errors::StoreError,
    external_id::ExternalId,
    fence::Fence,
    money::Money,
    orders::{Order, OrderStatus},
    sending::{Refusal, SendError},
    systems::{CallError, Capability, SystemError, Unavailable},
    text::PlainText,
};

#[test]
fn a_turn_that_is_run_again_writes_nothing_else_down_whatever_its_words_are() {
    let (turn, text) = (a_brief(), |text: &str| PlainText::read(text, 200).unwrap());
    let mut next = a_brief();
    next.fence = Fence { heard: turn.fence.heard + 1, ..turn.fence };
    let lead = |turn: &TurnBrief, need: &str| lead_of(turn, None, &text(need));
    let wish =
        |turn: &TurnBrief, service: &str, at: &str| wish_of(turn, None, &text(service), Some(&text(at)));
    let key = |key: Option<crate::sending::IdempotencyKey>| key.map(|key| (key.key, key.request)).unwrap();
    let (first, again) = (lead(&turn, "ثلاجة ١٦ قدم"), lead(&turn, "الزبون يريد ثلاجة"));
    assert_eq!(key(first.key.clone()), key(again.key));
    assert_eq!((first.fence, again.fence), (Some(turn.fence), Some(turn.fence)));
    let (one, other) = (wish(&turn, "حلاقة", "الخميس العصر"), wish(&turn, "قص شعر", "الخميس"));
    assert_eq!(key(one.key.clone()), key(other.key));
    assert_eq!(one.fence, Some(turn.fence));
    // Another kind of record, or another message of the customer's, has another key.
    assert_ne!(key(first.key.clone()).0, key(one.key).0);
    assert_ne!(key(first.key.clone()).0, key(lead(&next, "ثلاجة ١٦ قدم").key).0);
    assert_ne!(key(first.key).0, key_of_turn(&turn).key);
}

#[test]
fn a_system_that_has_not_got_something_is_there_and_one_that_fails_is_not() {
    let has_failed = |outcome: &ToolOutcome| outcome.deeds.contains(&Deed::SystemFailed);
    let failed = |error| has_failed(&of_system(&error));
    assert!(!failed(SystemError::Call(CallError::NOT_FOUND)));
    for error in [
        SystemError::NoSystem,
        SystemError::NotDeclared(Capability::Orders),
        Unavailable::Unreachable.into(),
        CallError::TimedOut.into(),
        CallError::Down { status: 500, message: None }.into(),
        CallError::NeedsReconnection { status: 401, message: None }.into(),
        CallError::SlowDown { retry_after: None, message: None }.into(),
    ] {
        let named = format!("{error:?}");
        assert!(failed(error), "{named}");
    }
    // A failed proposal shows it, too.
    let proposed = of_proposal(SystemError::Call(CallError::TimedOut).into());
    assert!(proposed.is_err_and(|outcome| has_failed(&outcome)));
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
        (SystemError::Call(CallError::NOT_FOUND).into(), None),
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
fn an_order_that_has_left_is_told_as_it_stands_in_place_of_a_proposal() {
    let id = |text| ExternalId::of_text(text).unwrap();
    let order = Order {
        id: id("o-1"),
        number: id("5005"),
        status: OrderStatus::Shipped,
        stage: OrderStatus::Shipped.into(),
        total: Money::of_number("15000").unwrap(),
        currency: None,
        placed_at: None,
        tracking: None,
        lines: vec![],
    };
    let currency = "IQD".parse().unwrap();
    let outcome = of_proposal(ProposeError::TooLate(Box::new(order), currency)).unwrap_err();
    assert_eq!(outcome.told["status"], "shipped");
    assert!(outcome.told["error"].as_str().unwrap().contains("no longer be cancelled"));
    assert_eq!(outcome.evidence.orders.first().map(|order| order.number.as_str()), Some("5005"));
}

#[test]
fn a_turn_has_one_key_and_the_next_another() {
    let (brief, mut next) = (a_brief(), a_brief());
    assert_eq!(
        key_of_turn(&brief).key,
        key_of_turn(&TurnBrief {
            owner: OwnersWords { written: "x".to_owned(), ..brief.owner.clone() },
            ..brief.clone()
        })
        .key
    );
    next.fence = Fence { heard: brief.fence.heard + 1, ..brief.fence };
    assert_ne!(key_of_turn(&brief).key, key_of_turn(&next).key);
    // Requests are not compared: the first proposal of a turn stands.
    assert!(key_of_turn(&brief).request.is_empty());
}
