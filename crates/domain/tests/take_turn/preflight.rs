//! What speaks against asking the model.

use domain::{
    assistant::{
        AssistantMode, AssistantSettings, HandOverReason, LONGEST_WAIT, MOST_TURNS_A_DAY, SILENCE, TurnResult,
    },
    conversations::{Conversation, ConversationStatus},
    messages::{Role, SendingState},
    testing::{a_conversation, a_message, a_moment},
};
use time::Duration;

use super::{World, answer_of, recorded, said};

#[pollster::test]
async fn what_is_not_the_assistants_any_more_is_dropped_without_a_word() {
    let moved = |status| Some(Conversation { status, ..a_conversation() });
    let set = |mode| AssistantSettings { mode, ..AssistantSettings::default() };
    for world in [
        World { conversation: None, ..World::new() },
        World { conversation: moved(ConversationStatus::Open), ..World::new() },
        World { conversation: moved(ConversationStatus::Closed), ..World::new() },
        World { settings: set(AssistantMode::Off), ..World::new() },
        // The customer is none of the listed numbers.
        World { settings: set(AssistantMode::Test), ..World::new() },
        // Nobody has said anything that can be read.
        World { messages: vec![], ..World::new() },
        World { messages: vec![said(Role::Team, "هلا")], ..World::new() },
    ] {
        let (result, written) = world.run().await;
        assert_eq!((result, written.finished.as_slice(), written.asked), (None, &[None][..], 0));
    }
}

#[pollster::test]
async fn a_turn_waits_for_rules_and_for_answers_to_drafts() {
    let (result, written) = World { held_up: true, ..World::new() }.run().await;
    assert_eq!((result, written.postponed.len(), written.asked), (None, 1, 0));
    assert!(written.postponed.iter().all(|at| *at > a_moment() && *at < a_moment() + Duration::SECOND));
}

#[pollster::test]
async fn whoever_cannot_be_answered_gets_a_person() {
    let sending = Some((a_message().id, a_moment() - Duration::SECOND));
    let of = World::new().turn;
    for (turn, reason) in [
        (
            domain::assistant::DueTurn {
                waiting_since: a_moment() - LONGEST_WAIT - Duration::SECOND,
                ..of.clone()
            },
            HandOverReason::Unanswered,
        ),
        (
            domain::assistant::DueTurn { turns_of_day: MOST_TURNS_A_DAY, ..of.clone() },
            HandOverReason::CapReached,
        ),
        (domain::assistant::DueTurn { sending, ..of }, HandOverReason::AnswerUnconfirmed),
    ] {
        let (result, written) = World { turn, ..World::new() }.run().await;
        assert_eq!(result, Some(TurnResult::HandedOver(reason)));
        assert_eq!((recorded(&written), written.moves, written.asked), (result, 1, 0));
        assert_eq!(written.counted, 0);
    }
}

#[pollster::test]
async fn a_turn_counts_among_those_of_the_day_once_the_model_is_about_to_be_asked() {
    let last = domain::assistant::DueTurn { turns_of_day: MOST_TURNS_A_DAY - 1, ..World::new().turn };
    let (_, written) = World { turn: last, ..World::saying("سعره 9000 دينار") }.run().await;
    assert_eq!((written.asked, written.counted), (2, 1), "however often it is asked in one");
    // What waits for something else is no turn yet.
    let (_, written) = World { held_up: true, ..World::new() }.run().await;
    assert_eq!((written.postponed.len(), written.counted), (1, 0));
}

#[pollster::test]
async fn an_answer_that_was_begun_is_not_begun_again() {
    let sending = Some((a_message().id, a_moment() + Duration::MINUTE));
    let turn = domain::assistant::DueTurn { sending, ..World::new().turn };
    let (result, written) =
        World { turn: turn.clone(), messages: vec![answer_of(SendingState::Sent)], ..World::new() }
            .run()
            .await;
    assert_eq!((result, recorded(&written), written.asked), (Some(TurnResult::Answered), result, 0));
    // It may still be on its way.
    let (result, written) = World { turn, ..World::new() }.run().await;
    assert_eq!((result, written.postponed.len(), written.asked), (None, 1, 0));
}

#[pollster::test]
async fn after_a_person_has_spoken_nobody_is_answered_for_a_while() {
    let spoke =
        |ago| domain::assistant::DueTurn { person_spoke_at: Some(a_moment() - ago), ..World::new().turn };
    let (result, written) = World { turn: spoke(SILENCE - Duration::SECOND), ..World::new() }.run().await;
    assert_eq!((result, written.asked), (None, 0));
    // By then another of the team is asked for.
    assert_eq!(written.postponed, [a_moment() + LONGEST_WAIT + Duration::SECOND]);
    let answering = World { turn: spoke(SILENCE + Duration::SECOND), ..World::saying("") };
    assert!(answering.run().await.1.asked > 0);
}
