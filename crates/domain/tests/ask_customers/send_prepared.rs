//! Sending what is worded and kept.

use domain::{
    conversation::ConversationStatus,
    errors::StoreError,
    messages::{Message, PreparedReply, Role, ports::KeptMessage},
    sending::{
        Refusal, SendError,
        ports::{ReserveOutcome, SendFailure},
    },
    testing::{a_message, a_moment, a_workspace},
};
use time::Duration;

use super::{Calls, Sending, a_reply, fence, prepared, replies, resuming, resuming_in};

/// What came of sending it for somebody who waits, or else later, and what was called.
async fn sent(
    reply: &PreparedReply,
    sending: Sending,
    now: bool,
) -> (Result<(), Option<SendError>>, Vec<String>) {
    let calls = Calls::default();
    let use_case = prepared(replies(Some(reply.clone()), &calls), sending, &calls);
    let result = if now {
        use_case.send_now(a_workspace().id, reply).await.map(drop).map_err(Some)
    } else {
        resuming(use_case, &calls)
            .run(a_workspace().id)
            .await
            .map(|found| assert!(found))
            .map_err(|error| Some(error.into()))
    };
    (result, calls.all())
}

fn open() -> Sending {
    Sending::Asked(Err(SendFailure::Unknown { reason: "no answer".to_owned() }))
}

fn rejected() -> Sending {
    Sending::Asked(Err(SendFailure::Refused { code: 131_047, subcode: None, message: "too late".to_owned() }))
}

#[pollster::test]
async fn where_nothing_is_due_nothing_is_sent() {
    let calls = Calls::default();
    let use_case = resuming(prepared(replies(None, &calls), Sending::Never, &calls), &calls);
    assert!(!use_case.run(a_workspace().id).await.unwrap());
    assert_eq!(calls.all(), ["claim reply"]);
}

#[pollster::test]
async fn what_the_network_has_or_may_have_is_let_go_and_never_sent_again() {
    for now in [true, false] {
        let (result, calls) = sent(&a_reply(), Sending::accepted(), now).await;
        assert!(result.is_ok());
        assert!(
            calls.ends_with(&["begin send", "ask network", "record send", "finish reply"].map(str::to_owned)),
            "{calls:?}"
        );
        let (_, calls) = sent(&a_reply(), open(), now).await;
        assert!(
            calls.ends_with(&["begin send", "ask network", "finish reply"].map(str::to_owned)),
            "{calls:?}"
        );
    }
}

#[pollster::test]
async fn where_nobody_knows_whether_a_customer_was_told_by_the_assistant_a_person_is_asked_for() {
    let receipt =
        PreparedReply { author: domain::messages::ReplyAuthor::Assistant, summary_of: None, ..a_reply() };
    let began = ["claim reply", "begin send", "ask network"];
    let (_, calls) = sent(&receipt, open(), false).await;
    assert_eq!(calls, [&began[..], &["hand over", "finish reply"]].concat());
    // What a turn rests on is that turn's to settle, a member sees what became of theirs, and what the network has is
    // no question.
    let fenced = PreparedReply { fence: Some(fence()), ..receipt.clone() };
    for (reply, sending) in [(&fenced, open()), (&a_reply(), open()), (&receipt, Sending::accepted())] {
        let (_, calls) = sent(reply, sending, false).await;
        assert!(!calls.contains(&"hand over".to_owned()), "{calls:?}");
        assert_eq!(calls.last().map(String::as_str), Some("finish reply"));
    }
}

#[pollster::test]
async fn where_what_the_assistant_tells_cannot_be_sent_a_person_is_asked_for() {
    let receipt =
        PreparedReply { author: domain::messages::ReplyAuthor::Assistant, summary_of: None, ..a_reply() };
    for (sending, called) in [
        (rejected(), vec!["begin send", "ask network"]),
        (Sending::Refused, vec![]),
        (Sending::NotBegun(ReserveOutcome::PlanLimitReached), vec!["begin send"]),
    ] {
        let (_, calls) = sent(&receipt, sending.clone(), false).await;
        let ended = vec!["hand over", "finish reply"];
        assert_eq!(calls, [vec!["claim reply"], called.clone(), ended].concat());
        // So is a summary that takes the place of one that was confirmed.
        let summary = PreparedReply { summary_of: a_reply().summary_of, ..receipt.clone() };
        let (_, calls) = sent(&summary, sending, false).await;
        assert_eq!(calls, [vec!["claim reply"], called, vec!["hand over", "withdraw"]].concat());
    }
    // It may be taken later, until it is worth no more.
    let tried = ["claim reply", "begin send", "ask network"];
    let (_, calls) = sent(&receipt, Sending::unavailable(), false).await;
    assert_eq!(calls, tried);
    let late = PreparedReply { until: a_moment(), ..receipt.clone() };
    let (_, calls) = sent(&late, Sending::unavailable(), false).await;
    assert_eq!(calls, [&tried[..], &["hand over", "finish reply"]].concat());
    // A turn sees to its own.
    let fenced = PreparedReply { fence: Some(fence()), ..receipt };
    let (_, calls) = sent(&fenced, rejected(), false).await;
    assert_eq!(calls, [&tried[..], &["finish reply"]].concat());
}

#[pollster::test]
async fn a_summary_that_nobody_will_read_takes_its_draft_with_it() {
    for (sending, called) in [
        (rejected(), vec!["begin send", "ask network", "withdraw"]),
        (Sending::Refused, vec!["withdraw"]),
        (Sending::NotBegun(ReserveOutcome::PlanLimitReached), vec!["begin send", "withdraw"]),
    ] {
        let (result, calls) = sent(&a_reply(), sending.clone(), true).await;
        assert!(matches!(result, Err(Some(SendError::Refused(_)))), "{result:?}");
        assert_eq!(calls, called);
        // Who sends it later tells nobody.
        let (result, calls) = sent(&a_reply(), sending, false).await;
        assert!(result.is_ok());
        assert_eq!(calls, [vec!["claim reply"], called].concat());
    }
    // What is no summary has none.
    let receipt = PreparedReply { summary_of: None, ..a_reply() };
    let (_, calls) = sent(&receipt, rejected(), false).await;
    assert_eq!(calls, ["claim reply", "begin send", "ask network", "finish reply"]);
}

#[pollster::test]
async fn what_may_be_taken_later_is_kept_while_it_is_worth_sending_and_nobody_waits() {
    let (result, calls) = sent(&a_reply(), Sending::unavailable(), false).await;
    assert!(result.is_ok());
    assert_eq!(calls, ["claim reply", "begin send", "ask network"]);

    let late = PreparedReply { until: a_moment(), ..a_reply() };
    let (_, calls) = sent(&late, Sending::unavailable(), false).await;
    assert_eq!(calls, ["claim reply", "begin send", "ask network", "withdraw"]);

    let (result, calls) = sent(&a_reply(), Sending::unavailable(), true).await;
    assert!(
        matches!(result, Err(Some(SendError::Refused(Refusal::NetworkUnavailable { .. })))),
        "{result:?}"
    );
    assert_eq!(calls, ["begin send", "ask network", "withdraw"]);
}

#[pollster::test]
async fn what_a_failing_store_left_undone_stays_due() {
    let (result, calls) = sent(&a_reply(), Sending::StoreFails, false).await;
    assert!(matches!(result, Err(Some(SendError::Store(StoreError::Unavailable(_))))), "{result:?}");
    assert_eq!(calls, ["claim reply", "begin send"]);
}

#[pollster::test]
async fn what_a_turn_proposed_is_withdrawn_once_its_fence_has_passed() {
    let outdated = || Sending::NotBegun(ReserveOutcome::Outdated);
    let fenced = PreparedReply {
        fence: Some(fence()),
        author: domain::messages::ReplyAuthor::Assistant,
        until: a_moment() + Duration::MINUTE,
        ..a_reply()
    };
    for now in [true, false] {
        let (result, calls) = sent(&fenced, outdated(), now).await;
        assert!(matches!(result, Err(Some(SendError::Store(StoreError::Stale)))), "{result:?}");
        assert!(calls.ends_with(&["begin send", "withdraw"].map(str::to_owned)), "{calls:?}");
    }
    // What rests on nothing stays, whatever the store has lost.
    let (_, calls) = sent(&a_reply(), outdated(), true).await;
    assert_eq!(calls, ["begin send"]);
}

#[pollster::test]
async fn a_customer_is_told_once_of_a_hand_over_unless_somebody_has_answered_or_it_is_over() {
    let told = PreparedReply {
        author: domain::messages::ReplyAuthor::Assistant,
        summary_of: None,
        handed_over_at: Some(a_moment()),
        ..a_reply()
    };
    let said = |role, after| {
        let message = Message { role, created_at: a_moment() + after, ..a_message() };
        KeptMessage { message, files: vec![], missing: vec![], awaited: vec![], sending: None }
    };
    let (before, since) = (-Duration::SECOND, Duration::SECOND);
    for (status, said, reply, is_sent) in [
        (Some(ConversationStatus::Open), vec![], told.clone(), true),
        (Some(ConversationStatus::Open), vec![said(Role::Team, before)], told.clone(), true),
        (Some(ConversationStatus::Open), vec![said(Role::Customer, since)], told.clone(), true),
        (Some(ConversationStatus::Open), vec![said(Role::Team, since)], told.clone(), false),
        (Some(ConversationStatus::Bot), vec![], told.clone(), false),
        (Some(ConversationStatus::Closed), vec![], told.clone(), false),
        (None, vec![], told.clone(), false),
        (Some(ConversationStatus::Open), vec![], PreparedReply { until: a_moment(), ..told.clone() }, false),
    ] {
        let calls = Calls::default();
        let sender = prepared(replies(Some(reply), &calls), Sending::accepted(), &calls);
        let named = format!("{status:?} {}", said.len());
        assert!(resuming_in(status, said, sender, &calls).run(a_workspace().id).await.unwrap());
        assert_eq!(calls.all().contains(&"ask network".to_owned()), is_sent, "{named}");
        assert_eq!(calls.all().last().map(String::as_str), Some("finish reply"), "{named}");
    }
    // One that cannot be sent asks for nobody: a person was asked for.
    for sending in [rejected(), Sending::Refused, open()] {
        let calls = Calls::default();
        let sender = prepared(replies(Some(told.clone()), &calls), sending, &calls);
        let open = Some(ConversationStatus::Open);
        assert!(resuming_in(open, vec![], sender, &calls).run(a_workspace().id).await.is_ok());
        assert!(!calls.all().contains(&"hand over".to_owned()), "{:?}", calls.all());
    }
}
