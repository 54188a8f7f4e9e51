//! What is known of a send and could not be written down at once.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use domain::{
    errors::StoreError,
    sending::{
        ConversationParts, Refusal, SendError,
        ports::{Recorded, ReserveOutcome, SendFailure},
    },
    testing::{a_caller, a_network_message_id, a_template_request},
};

use crate::send_template::World;

fn away() -> StoreError {
    StoreError::Unavailable("no connection".to_owned())
}

/// Fails so often, and then no more.
fn failing_first(times: usize) -> impl Fn() -> Result<(), StoreError> + Send + 'static {
    let asked = AtomicUsize::new(0);
    move || if asked.fetch_add(1, Ordering::SeqCst) < times { Err(away()) } else { Ok(()) }
}

#[pollster::test]
async fn an_acceptance_is_written_down_as_soon_as_that_is_possible() {
    let writable = failing_first(2);
    let world = World::new()
        .beginning(ReserveOutcome::Started)
        .answering(Ok(a_network_message_id()))
        .with_conversation(ConversationParts::default())
        .recorded_as(move || writable().map(|()| Recorded::Now));
    let seen = world.seen.clone();
    let (send, unfinished, _) = world.stage();
    let answer = send.run(&a_caller(), &a_template_request()).await;
    assert!(matches!(answer, Err(SendError::Open { .. })), "{answer:?}");

    let round = unfinished.run().await;
    assert!(matches!(round.failed, Some(StoreError::Unavailable(_))) && round.left == 1, "{round:?}");
    let round = unfinished.run().await;
    assert!(round.failed.is_none() && (round.finished, round.left) == (1, 0), "{round:?}");
    assert!(unfinished.is_empty());
    let accepted = &seen.lock().unwrap().accepted;
    assert_eq!((accepted.len(), &accepted[2].network_id), (3, &a_network_message_id()));
}

#[pollster::test]
async fn a_send_whose_beginning_was_not_answered_is_taken_back_whenever_it_shows() {
    let mut world = World::new();
    world.ledger.expect_begin().returning(|_, _| Err(away()));
    let asked = Arc::new(AtomicUsize::new(0));
    let times = asked.clone();
    // The store is away, then the send is not there yet, then it is.
    world.ledger.expect_release().returning(move |_, sends| match times.fetch_add(1, Ordering::SeqCst) {
        0 => Err(away()),
        1 => Ok(Vec::new()),
        _ => Ok(sends.to_vec()),
    });
    let (send, unfinished, _) = world.stage();
    let answer = send.run(&a_caller(), &a_template_request()).await;
    assert!(matches!(answer, Err(SendError::Store(StoreError::Unavailable(_)))), "{answer:?}");

    for (failed, left) in [(true, 1), (false, 1), (false, 0)] {
        let round = unfinished.run().await;
        assert_eq!((round.failed.is_some(), round.left), (failed, left));
    }
    assert_eq!(asked.load(Ordering::SeqCst), 3);
}

#[pollster::test]
async fn a_send_that_does_not_show_within_a_minute_was_never_begun() {
    let mut world = World::new();
    world.ledger.expect_begin().returning(|_, _| Err(away()));
    world.ledger.expect_release().returning(|_, _| Ok(Vec::new()));
    let (send, unfinished, clock) = world.stage();
    assert!(send.run(&a_caller(), &a_template_request()).await.is_err());
    clock.advance(Duration::from_secs(59));
    assert_eq!(unfinished.run().await.left, 1);
    clock.advance(Duration::from_secs(1));
    assert_eq!(unfinished.run().await.left, 0);
}

#[pollster::test]
async fn what_was_not_sent_is_answered_as_such_and_taken_back_later_where_that_fails_at_first() {
    let refused =
        SendFailure::Refused { code: 131_026, subcode: None, message: "Message undeliverable".to_owned() };
    let not_sent = SendFailure::NotSent { reason: "connection refused".to_owned(), retry_after: None };
    for failure in [refused, not_sent] {
        let mut world = World::new().beginning(ReserveOutcome::Started).answering(Err(failure.clone()));
        let writable = failing_first(1);
        world.ledger.expect_release().returning(move |_, sends| writable().map(|()| sends.to_vec()));
        let (send, unfinished, _) = world.stage();
        let answer = send.run(&a_caller(), &a_template_request()).await;
        let told = matches!(
            answer,
            Err(SendError::Refused(Refusal::Rejected { .. } | Refusal::NetworkUnavailable { .. }))
        );
        assert!(told, "{failure:?}: {answer:?}");
        let round = unfinished.run().await;
        assert_eq!((round.finished, round.left), (1, 0), "{failure:?}");
    }
}
