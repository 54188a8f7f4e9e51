//! How turns end that have asked the model.

use std::sync::{Arc, Mutex};

use domain::{
    assistant::{
        DueTurn, HandOverReason, HandOverTexts, LONGEST_WAIT, ModelAnswer, ModelError, ModelRequest, Models,
        Sent, TakeTurn, TurnResult, Words,
        ports::{LanguageModel, MockTurnStore},
    },
    clock::Clock,
    conversation::Conversation,
    language::Language,
    lease::LEASE,
    messages::Role,
    sending::ports::ReserveOutcome,
    testing::{ManualClock, a_conversation, a_moment, a_workspace},
};
use time::Duration;

use super::{World, Written, calls, recorded, said, words};

const ORDER: &str = r#"{"lines":[{"productId":"m1","quantity":1}],"address":{"line1":"شارع","city":"بغداد","province":"بغداد"}}"#;

#[pollster::test]
async fn an_answer_is_dropped_once_something_has_passed_its_fence() {
    let world = World { begun: Some(ReserveOutcome::Outdated), ..World::greeting() };
    let (result, written) = world.run().await;
    assert_eq!((result, recorded(&written)), (Some(TurnResult::Dropped), result));
    assert_eq!((written.moves, written.asked), (0, 1));
    // What it was about to say is recorded without a word of it.
    let record = written.finished.first().cloned().flatten().unwrap();
    assert_eq!((record.acts, record.words), (vec!["greet".to_owned()], Some(Words::Code)));
}

#[pollster::test]
async fn an_answer_that_can_never_be_sent_there_leaves_the_customer_to_the_team() {
    // Nothing is connected any more that it could go over.
    let gone = Conversation { channel_kind: domain::channels::ChannelKind::Messenger, ..a_conversation() };
    let world =
        World { conversation: Some(gone), begun: Some(ReserveOutcome::Outdated), ..World::greeting() };
    let (result, written) = world.run().await;
    assert_eq!(result, Some(TurnResult::HandedOver(HandOverReason::CannotAnswer)));
    assert_eq!((recorded(&written), written.moves), (result, 1));
}

#[pollster::test]
async fn what_the_model_does_wrong_ends_with_a_person() {
    for (model, reason) in [
        (vec![words("سعره 9000 دينار")], HandOverReason::UnsafeAnswer),
        (vec![Err(ModelError::Refused { status: 500 })], HandOverReason::ModelDown),
        (vec![Err(ModelError::TimedOut)], HandOverReason::ModelTimedOut),
        (vec![calls("handOver", "")], HandOverReason::ModelAsked),
        (vec![calls("dropTables", "")], HandOverReason::Exhausted),
    ] {
        let (result, written) = World { model, ..World::new() }.run().await;
        assert_eq!(result, Some(TurnResult::HandedOver(reason)));
        assert_eq!((recorded(&written), written.moves), (result, 1));
        // Whoever waited is told so.
        let [said] = written.said.as_slice() else { panic!("{:?}", written.said) };
        assert!(said.text.contains("أحد زملائنا"), "{}", said.text);
        assert_eq!((said.fence, said.handed_over_at), (None, Some(a_moment())));
    }
}

#[pollster::test]
async fn a_hand_over_is_told_in_the_customers_language_and_in_the_owners_words() {
    let own = HandOverTexts { english: Some("Sara answers you.".to_owned()), ..HandOverTexts::default() };
    for (text, languages, told) in [
        ("I want to talk to a human", vec![], "Sara answers you."),
        ("اريد احجي ويه موظف", vec![], "حوّلنا"),
        ("I want to talk to a human", vec![Language::Arabic], "حوّلنا"),
    ] {
        let mut world = World { messages: vec![said(Role::Customer, text)], ..World::new() };
        world.settings.hand_over = own.clone();
        if !languages.is_empty() {
            world.settings.languages = languages;
        }
        let (result, written) = world.run().await;
        assert_eq!(result, Some(TurnResult::HandedOver(HandOverReason::Asked)));
        assert!(written.said.iter().all(|said| said.text.contains(told)), "{text}");
        assert_eq!((written.said.len(), written.asked), (1, 0));
    }
}

#[pollster::test]
async fn who_wrote_too_long_ago_to_be_answered_is_told_of_no_hand_over() {
    let mut old = said(Role::Customer, "شلون؟");
    old.message.created_at = a_moment() - Duration::hours(24);
    let mut world = World { messages: vec![old], ..World::new() };
    world.turn.waiting_since = a_moment() - Duration::hours(24);
    let (result, written) = world.run().await;
    assert_eq!(result, Some(TurnResult::HandedOver(HandOverReason::Unanswered)));
    assert_eq!((written.moves, written.said.len()), (1, 0));
}

#[pollster::test]
async fn a_person_is_asked_for_no_more_once_somebody_has_spoken_since() {
    // It is looked at before the model is asked, and before anybody is.
    let world = World { stands: 1, model: vec![calls("handOver", "")], ..World::new() };
    let (result, written) = world.run().await;
    assert_eq!((result, recorded(&written)), (Some(TurnResult::Dropped), result));
    assert_eq!((written.asked, written.moves), (1, 0));
}

/// Answers in twelve seconds, by asking for a person.
struct SlowModel(Arc<ManualClock>);

#[async_trait::async_trait]
impl LanguageModel for SlowModel {
    async fn answer(&self, _: &ModelRequest, _: std::time::Duration) -> Result<ModelAnswer, ModelError> {
        self.0.pass(12).await;
        calls("handOver", "")
    }
}

#[pollster::test]
async fn a_turn_that_takes_long_is_kept_from_others() {
    let written = Arc::new(Mutex::new(Written::default()));
    let clock = Arc::new(ManualClock::at(a_moment()));
    let turn = World::new().turn;
    let mut take = World::new().take(&written);
    take.deps.clock = clock.clone();
    take.model = Some(Models::only(Arc::new(SlowModel(clock))).into());
    let result = take.run(a_workspace().id, &turn).await.unwrap();
    assert_eq!(result, Some(TurnResult::HandedOver(HandOverReason::ModelAsked)));
    assert_eq!(written.lock().unwrap().renewed, [13, 16, 19, 22].map(Duration::seconds));
}

/// Never answers, as long as it may take.
struct HangingModel(Arc<ManualClock>);

#[async_trait::async_trait]
impl LanguageModel for HangingModel {
    async fn answer(&self, _: &ModelRequest, within: std::time::Duration) -> Result<ModelAnswer, ModelError> {
        self.0.pass(u32::try_from(within.as_secs()).unwrap()).await;
        Err(ModelError::TimedOut)
    }
}

#[pollster::test]
async fn a_model_that_hangs_is_waited_for_as_long_as_the_customer_can_wait() {
    for (waited, took) in [(3, 45), (20, 45), (35, 30), (60, 5)] {
        let written = Arc::new(Mutex::new(Written::default()));
        let clock = Arc::new(ManualClock::at(a_moment()));
        let turn = DueTurn { waiting_since: a_moment() - Duration::seconds(waited), ..World::new().turn };
        let mut take = World::new().take(&written);
        take.deps.clock = clock.clone();
        take.model = Some(Models::only(Arc::new(HangingModel(clock.clone()))).into());
        let result = take.run(a_workspace().id, &turn).await.unwrap();
        assert_eq!(result, Some(TurnResult::HandedOver(HandOverReason::ModelTimedOut)));
        assert_eq!(clock.now() - a_moment(), Duration::seconds(took), "after {waited} s");
        assert_eq!(written.lock().unwrap().moves, 1);
    }
}

#[pollster::test]
async fn turns_of_those_who_have_waited_for_too_long_are_taken_by_themselves() {
    let written = Arc::new(Mutex::new(Written::default()));
    let mut turns = MockTurnStore::new();
    turns
        .expect_claim_overdue_turn()
        .withf(|_, now, since, until| {
            (*now, *since, *until) == (a_moment(), a_moment() - LONGEST_WAIT, a_moment() + LEASE)
        })
        .times(1)
        .returning(|_, _, _, _| Ok(Some(World::new().turn)));
    let take = TakeTurn { turns: Arc::new(turns), ..World::new().take(&written) };
    assert_eq!(take.claim_overdue(a_workspace().id).await.unwrap(), Some(World::new().turn));
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
