//! What the network answers, and what the caller hears of it.

use domain::{
    channels::ChannelKind,
    sending::{
        Refusal, SendError,
        ports::{ReserveOutcome, SendFailure},
    },
};

use crate::send_reply::{TEXT, World, keyed, saying};

#[pollster::test]
async fn what_the_network_refuses_is_kept_as_failed_and_not_announced() {
    let words = "Re-engagement message".to_owned();
    let refused = SendFailure::Refused { code: 131_047, subcode: None, message: words.clone() };
    let world = World::new().holding(None).beginning(ReserveOutcome::Started).answering(Err(refused));
    let (answer, seen) = world.keeping_the_refused().reply(&keyed()).await;
    let Err(SendError::Refused(refusal)) = answer else { panic!("{answer:?}") };
    assert_eq!(
        refusal,
        Refusal::Rejected {
            channel: ChannelKind::Whatsapp,
            code: 131_047,
            subcode: None,
            message: words.clone()
        }
    );
    assert_eq!(seen.refused, [(seen.begun.first().unwrap().intent.id, words)]);
    assert!(seen.accepted.is_empty() && seen.released.is_empty());
}

#[pollster::test]
async fn what_was_certainly_not_sent_is_taken_back() {
    let not_sent = SendFailure::NotSent { reason: "connection refused".to_owned(), retry_after: None };
    let world = World::new().beginning(ReserveOutcome::Started).answering(Err(not_sent)).releasing();
    let (answer, seen) = world.reply(&saying(TEXT)).await;
    assert!(matches!(answer, Err(SendError::Refused(Refusal::NetworkUnavailable { .. }))), "{answer:?}");
    assert_eq!(seen.released, [seen.begun.first().unwrap().intent.id]);
}

#[pollster::test]
async fn what_may_have_been_sent_stays_open_under_the_id_that_the_caller_hears() {
    let unknown = SendFailure::Unknown { reason: "the connection broke".to_owned() };
    let world = World::new().beginning(ReserveOutcome::Started).answering(Err(unknown));
    let (answer, seen) = world.reply(&saying(TEXT)).await;
    let Err(SendError::Open { id, .. }) = answer else { panic!("{answer:?}") };
    assert_eq!(seen.begun.first().unwrap().intent.id, id);
}
