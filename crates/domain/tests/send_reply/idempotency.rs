//! What a repeated key means.

use domain::{
    attachments::ports::KeptUpload,
    sending::{KeyHolder, Refusal, Replied, ReplyContext, ReplyRequest, SendState, ports::ReserveOutcome},
    testing::{a_hash, a_moment, a_send_result},
};

use crate::send_reply::{World, a_context, a_file, an_upload, keyed, sent, used};

fn just_begun() -> KeyHolder {
    KeyHolder { claimed_at: a_moment(), ..used(SendState::InFlight, b"{}") }
}

#[pollster::test]
async fn a_used_key_comes_before_what_speaks_against_the_conversation() {
    let refused = || ReplyContext { author_is_here: false, ..a_context() };
    for context in [a_context(), refused()] {
        let world = || World::in_conversation(context.clone());
        let (answer, _) = world().holding(Some(used(sent(), b"{}"))).reply(&keyed()).await;
        assert_eq!(answer.unwrap(), Replied { result: a_send_result(), replayed: true });
        for (holder, wanted) in [
            (used(sent(), b"[]"), Refusal::KeyReused),
            (just_begun(), Refusal::RequestInFlight),
            (used(SendState::InFlight, b"[]"), Refusal::KeyReused),
        ] {
            assert_eq!(world().holding(Some(holder)).refusal(&keyed()).await, wanted);
        }
    }
    for holder in [None, Some(used(SendState::Refused, b"{}"))] {
        let world = World::in_conversation(refused()).holding(holder);
        assert_eq!(world.refusal(&keyed()).await, Refusal::AuthorLeft);
    }
}

#[pollster::test]
async fn the_key_of_a_refused_reply_is_free() {
    for request in [b"{}", b"[]"] {
        let holder = used(SendState::Refused, request);
        let (answer, seen) = World::willing(a_context()).holding(Some(holder)).reply(&keyed()).await;
        assert!(!answer.unwrap().replayed);
        assert_eq!(seen.asked.len(), 1);
        let claim = seen.begun.first().and_then(|reservation| reservation.key).unwrap();
        assert_eq!(claim.key_hash, a_hash("idempotency-key", b"answer-7"));
    }
}

#[pollster::test]
async fn of_two_replies_at_once_with_one_key_the_second_hears_of_the_first() {
    let loses_to = |holder| World::new().holding(None).beginning(ReserveOutcome::KeyTaken(Box::new(holder)));
    let (answer, _) = loses_to(used(sent(), b"{}")).reply(&keyed()).await;
    assert_eq!(answer.unwrap(), Replied { result: a_send_result(), replayed: true });
    assert_eq!(loses_to(just_begun()).refusal(&keyed()).await, Refusal::RequestInFlight);
}

#[pollster::test]
async fn a_repeat_answers_with_the_file_that_its_first_request_has_taken() {
    let request = ReplyRequest { upload: Some(an_upload()), ..keyed() };
    let used_up = KeptUpload { is_used: true, ..a_file("image/png", 7) };
    let world = World::new().holding(Some(used(sent(), b"{}"))).with_file(used_up);
    let replied = world.reply(&request).await.0.unwrap();
    assert!(replied.replayed);
    let [shown] = &replied.result.message.unwrap().attachments[..] else { panic!("no file") };
    assert_eq!(shown.content_type, "image/png");
}
