//! How turns end that have asked the model.

use domain::{
    assistant::{HandOverReason, ModelError, Sent, TurnResult},
    conversations::Conversation,
    sending::ports::ReserveOutcome,
    testing::{a_conversation, a_moment},
};
use time::Duration;

use super::{World, calls, recorded, words};

const ORDER: &str = r#"{"lines":[{"productId":"m1","quantity":1}],"address":{"line1":"شارع","city":"بغداد","province":"بغداد"}}"#;

#[pollster::test]
async fn an_answer_is_dropped_once_something_has_passed_its_fence() {
    let world = World { begun: Some(ReserveOutcome::Outdated), ..World::saying("شلون أساعدك؟") };
    let (result, written) = world.run().await;
    assert_eq!((result, recorded(&written)), (Some(TurnResult::Dropped), result));
    assert_eq!((written.moves, written.asked), (0, 1));
}

#[pollster::test]
async fn an_answer_that_can_never_be_sent_there_leaves_the_customer_to_the_team() {
    // Nothing is connected any more that it could go over.
    let gone = Conversation { channel_kind: domain::channels::ChannelKind::Messenger, ..a_conversation() };
    let world = World {
        conversation: Some(gone),
        begun: Some(ReserveOutcome::Outdated),
        ..World::saying("شلون أساعدك؟")
    };
    let (result, written) = world.run().await;
    assert_eq!(result, Some(TurnResult::HandedOver(HandOverReason::CannotAnswer)));
    assert_eq!((recorded(&written), written.moves), (result, 1));
}

#[pollster::test]
async fn what_the_model_does_wrong_ends_with_a_person() {
    for (model, reason) in [
        (vec![words("سعره 9000 دينار")], HandOverReason::UnsafeAnswer),
        (vec![Err(ModelError::TimedOut)], HandOverReason::ModelDown),
        (vec![calls("handOver", "")], HandOverReason::ModelAsked),
        (vec![calls("dropTables", "")], HandOverReason::Exhausted),
    ] {
        let (result, written) = World { model, ..World::new() }.run().await;
        assert_eq!(result, Some(TurnResult::HandedOver(reason)));
        assert_eq!((recorded(&written), written.moves), (result, 1));
    }
}

#[pollster::test]
async fn a_summary_ends_a_turn_as_its_sending_did() {
    for (sent, ended) in [
        (Sent::Yes, Some(TurnResult::Proposed)),
        (Sent::Outdated, Some(TurnResult::Dropped)),
        (Sent::NotTaken, None),
        (Sent::Unknown, Some(TurnResult::HandedOver(HandOverReason::AnswerUnconfirmed))),
        (Sent::Refused, Some(TurnResult::HandedOver(HandOverReason::CannotAnswer))),
    ] {
        let world = World {
            model: vec![calls("placeOrder", ORDER)],
            orders: true,
            proposed: Some(sent),
            ..World::new()
        };
        let (result, written) = world.run().await;
        assert_eq!(result, ended, "{sent:?}");
        if ended.is_none() {
            // The network is asked again a little later.
            assert_eq!(written.postponed, [a_moment() + Duration::seconds(5)]);
        } else {
            assert_eq!(recorded(&written), ended, "{sent:?}");
        }
    }
}
