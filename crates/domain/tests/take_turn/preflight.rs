//! What speaks against asking the model.

use domain::{
    assistant::{
        AssistantMode, AssistantSettings, DueTurn, HandOverReason, LONGEST_WAIT, MOST_TURNS_A_DAY, SILENCE,
        TurnResult,
    },
    consent::{
        CommitmentState, DraftButton, DraftKind, DraftState,
        ports::{CommitmentRecord, DraftRecord, Question},
    },
    conversation::{Conversation, ConversationStatus},
    messages::{ReplyAuthor, Role, SendingState, TappedReply, ports::KeptMessage},
    sending::ports::ReserveOutcome,
    testing::{a_conversation, a_message, a_moment},
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::{World, answer_of, calls, recorded, said};

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
async fn what_was_answered_while_a_turn_was_taken_up_is_asked_of_no_model() {
    // The confirmation was read in between: its receipt is the answer, and nobody is handed over.
    let (result, written) = World { stands: 0, ..World::new() }.run().await;
    assert_eq!((result, written.finished.as_slice()), (None, &[None][..]));
    assert_eq!((written.asked, written.moves, written.postponed.len()), (0, 0, 0));
}

fn confirmed(settled_at: Option<OffsetDateTime>) -> DraftRecord {
    DraftRecord {
        id: Uuid::from_u128(50).into(),
        kind: DraftKind::Order,
        state: DraftState::Confirmed,
        summary: Uuid::from_u128(51).into(),
        question: Question { message: Uuid::from_u128(51).into(), at: a_moment() - Duration::MINUTE },
        author: ReplyAuthor::Assistant,
        created_at: a_moment() - Duration::MINUTE,
        expires_at: a_moment() + Duration::MINUTE,
        commitment: Some(CommitmentRecord {
            id: Uuid::from_u128(53).into(),
            state: CommitmentState::Confirmed,
            confirmed_by: Uuid::from_u128(52).into(),
            confirmed_at: a_moment() - Duration::SECOND,
            settled_at,
        }),
    }
}

fn tap(draft: u128) -> KeptMessage {
    let mut kept = said(Role::Customer, "أؤكد");
    let button = DraftButton::Confirm.id_of(Uuid::from_u128(draft).into());
    kept.message.context.reply = TappedReply::told(Some(button), Some("أؤكد".to_owned()));
    kept
}

#[pollster::test]
async fn a_second_yes_to_what_was_confirmed_is_answered_by_the_receipt() {
    let yes = || said(Role::Customer, "نعم");
    let (before, after) = (a_moment() - Duration::SECOND, a_moment() + Duration::SECOND);
    for (messages, draft, is_answered) in [
        (vec![tap(50)], confirmed(None), true),
        (vec![yes()], confirmed(None), true),
        (vec![tap(50), yes()], confirmed(Some(after)), true),
        // Once the receipt is there, words may answer what was said since; the button cannot.
        (vec![tap(50)], confirmed(Some(before)), true),
        (vec![yes()], confirmed(Some(before)), false),
        (vec![tap(50), said(Role::Customer, "شكد التوصيل؟")], confirmed(None), false),
        (vec![tap(49)], confirmed(None), false),
        (
            vec![tap(50)],
            DraftRecord { state: DraftState::Replaced, commitment: None, ..confirmed(None) },
            false,
        ),
        (vec![said(Role::Customer, "تمام")], confirmed(None), false),
    ] {
        let told: Vec<_> = messages.iter().map(|kept| kept.message.content.clone()).collect();
        // A model that is asked finds nothing to say, as models do.
        let world =
            World { messages, drafts: vec![draft], model: vec![calls("handOver", "")], ..World::new() };
        let (result, written) = world.run().await;
        assert_eq!((written.asked, written.moves), if is_answered { (0, 0) } else { (1, 1) }, "{told:?}");
        assert_eq!(result.is_none(), is_answered, "{told:?}");
        assert_eq!(written.finished.len(), 1, "nobody is left waiting");
    }
}

#[pollster::test]
async fn a_tap_after_the_receipt_is_told_it_once_more_and_not_again() {
    let settled = || confirmed(Some(a_moment() - Duration::seconds(20)));
    for (receipt, told) in [
        ("تم تسجيل طلبك رقم 7.", "سبق أن أكّدت ذلك:\nتم تسجيل طلبك رقم 7."),
        ("You are booked: قص شعر", "You have confirmed that already:\nYou are booked: قص شعر"),
    ] {
        let said = || at(-19, Role::Assistant, receipt);
        for (messages, is_told) in [
            (vec![tap(50), said()], true),
            (vec![tap(50), at(-10, Role::Assistant, told), said()], false),
            // The receipt was on its way.
            (vec![at(1, Role::Assistant, receipt), tap(50)], false),
        ] {
            // Something has passed the fence meanwhile, so that no network is asked.
            let begun = is_told.then_some(ReserveOutcome::Outdated);
            let (result, written) =
                World { messages, drafts: vec![settled()], begun, ..World::new() }.run().await;
            assert_eq!(result, is_told.then_some(TurnResult::Dropped), "{receipt}");
            assert_eq!(written.begun, if is_told { vec![told.to_owned()] } else { vec![] });
            assert_eq!((written.asked, written.moves, written.finished.len()), (0, 0, 1));
        }
    }
}

#[pollster::test]
async fn a_tap_after_the_receipt_is_told_nothing_while_a_person_of_the_team_is_talking() {
    let world = World {
        messages: vec![
            tap(50),
            at(-5, Role::Team, "ما نوصل هناك"),
            at(-19, Role::Assistant, "تم تسجيل طلبك"),
        ],
        drafts: vec![confirmed(Some(a_moment() - Duration::seconds(20)))],
        ..World::new()
    };
    let turn = DueTurn { person_spoke_at: Some(a_moment() - Duration::seconds(5)), ..world.turn.clone() };
    let (result, written) = World { turn, ..world }.run().await;
    assert_eq!((result, written.begun.len(), written.asked, written.postponed.len()), (None, 0, 0, 1));
}

#[pollster::test]
async fn a_no_to_what_was_proposed_is_told_that_nothing_was_done_and_no_model_is_asked() {
    let change = || {
        let mut kept = said(Role::Customer, "تعديل");
        let button = DraftButton::Change.id_of(Uuid::from_u128(50).into());
        kept.message.context.reply = TappedReply::told(Some(button), Some("تعديل".to_owned()));
        kept
    };
    let no = || said(Role::Customer, "لا");
    let summary = |text: &str| {
        let mut kept = at(-50, Role::Assistant, text);
        kept.message.id = confirmed(None).summary;
        kept
    };
    let arabic = || summary("ملخص الطلب:\n• 1 × Nido");
    let declined = || DraftRecord { state: DraftState::Declined, commitment: None, ..confirmed(None) };
    let booking = || DraftRecord { kind: DraftKind::Booking, ..declined() };
    let cancellation = || DraftRecord { kind: DraftKind::Cancellation, ..declined() };
    let newer = || DraftRecord { state: DraftState::Open, id: Uuid::from_u128(51).into(), ..declined() };
    let question = || at(-5, Role::Assistant, "تريد توصيل سريع؟");
    let order = "حسناً. لم يُسجَّل الطلب. إن أردت تغيير شيء فاكتب لنا ما هو.";
    for (messages, drafts, says) in [
        (vec![no(), arabic()], vec![declined()], Some(order)),
        (vec![change(), arabic()], vec![declined()], Some(order)),
        (vec![change(), question(), arabic()], vec![declined()], Some(order)),
        (
            vec![no(), summary("Your booking:")],
            vec![booking()],
            Some("All right. The booking was not made. If you would like something changed, write what."),
        ),
        (vec![no(), summary("إلغاء الطلب:")], vec![cancellation()], Some("حسناً. لم يُلغَ الطلب.")),
        // What else may be meant is the model's to read.
        (vec![no(), question(), arabic()], vec![declined()], None),
        (vec![no(), said(Role::Customer, "اريد الأزرق"), arabic()], vec![declined()], None),
        (vec![no(), arabic()], vec![newer(), declined()], None),
        (vec![no(), arabic()], vec![confirmed(None)], None),
        (vec![no()], vec![declined()], None),
    ] {
        let told: Vec<_> = messages.iter().map(|kept| kept.message.content.clone()).collect();
        let told = format!("{told:?} {drafts:?}");
        let begun = says.map(|_| ReserveOutcome::Outdated);
        let world = World { messages, drafts, begun, model: vec![calls("handOver", "")], ..World::new() };
        let written = world.run().await.1;
        assert_eq!(written.begun, Vec::from_iter(says.map(str::to_owned)), "{told}");
        assert_eq!(written.asked, usize::from(says.is_none()), "{told}");
    }
}

/// A message so many seconds after the customer began to wait; the draft was made a minute before.
fn at(seconds: i64, role: Role, text: &str) -> KeptMessage {
    let mut kept = said(role, text);
    kept.message.created_at = a_moment() + Duration::seconds(seconds);
    kept
}

fn ended(state: CommitmentState, settled_at: OffsetDateTime) -> DraftRecord {
    let mut draft = confirmed(Some(settled_at));
    draft.commitment = draft.commitment.map(|commitment| CommitmentRecord { state, ..commitment });
    draft
}

/// Asserts that the receipt is the answer to these messages, the newest first, or that the model is asked.
async fn assert_answered(messages: Vec<KeptMessage>, draft: DraftRecord, by_receipt: bool) {
    let told: Vec<_> =
        messages.iter().map(|kept| (kept.message.created_at, kept.message.content.clone())).collect();
    let told = format!("{told:?} {:?}", draft.commitment);
    let world = World { messages, drafts: vec![draft], model: vec![calls("handOver", "")], ..World::new() };
    let (result, written) = world.run().await;
    assert_eq!(result.is_none(), by_receipt, "{told}");
    assert_eq!((written.asked, written.moves), if by_receipt { (0, 0) } else { (1, 1) }, "{told}");
}

#[pollster::test]
async fn a_yes_to_what_somebody_has_asked_since_the_summary_is_no_second_one() {
    let yes = || at(0, Role::Customer, "نعم");
    let question = |seconds, role| at(seconds, role, "تريد توصيل سريع؟");
    for role in [Role::Team, Role::Assistant] {
        assert_answered(vec![yes(), question(-5, role)], confirmed(None), false).await;
        // What was asked before is not what the summary left open, and a button answers nothing else.
        assert_answered(vec![yes(), question(-90, role)], confirmed(None), true).await;
        assert_answered(vec![tap(50), question(-5, role)], confirmed(None), true).await;
    }
    let mut summary = at(-50, Role::Assistant, "ملخص الطلب");
    summary.message.id = confirmed(None).summary;
    assert_answered(vec![yes(), summary], confirmed(None), true).await;
    // The receipt came after they had said it.
    let receipt = at(1, Role::Assistant, "تم تسجيل طلبك");
    let settled = a_moment() + Duration::SECOND;
    assert_answered(vec![receipt, yes()], ended(CommitmentState::Done, settled), true).await;
    // Where not all is read that was said since, something may have been asked.
    for (oldest, by_receipt) in [(-59, false), (-60, true)] {
        let before = (1..=99_i64).map(|second| at((-second).max(oldest), Role::Customer, "و بعدين"));
        let messages: Vec<_> = std::iter::once(yes()).chain(before).collect();
        assert_answered(messages, confirmed(None), by_receipt).await;
    }
}

#[pollster::test]
async fn a_second_tap_on_what_came_to_nothing_or_was_done_long_ago_is_not_left_without_an_answer() {
    let (before, after) = (a_moment() - Duration::SECOND, a_moment() + Duration::SECOND);
    for state in [CommitmentState::Refused, CommitmentState::Changed, CommitmentState::GivenUp] {
        assert_answered(vec![tap(50)], ended(state, before), false).await;
        // They are still to be told.
        assert_answered(vec![tap(50)], ended(state, after), true).await;
    }
    for state in [CommitmentState::Done, CommitmentState::Tested] {
        assert_answered(vec![tap(50)], ended(state, before), true).await;
        assert_answered(vec![tap(50)], ended(state, a_moment() - Duration::minutes(29)), true).await;
        assert_answered(vec![tap(50)], ended(state, a_moment() - Duration::minutes(30)), false).await;
    }
}

#[pollster::test]
async fn whoever_cannot_be_answered_gets_a_person() {
    let sending = Some((a_message().id, a_moment() - Duration::SECOND));
    let of = World::new().turn;
    for (turn, reason) in [
        (
            DueTurn { waiting_since: a_moment() - LONGEST_WAIT - Duration::SECOND, ..of.clone() },
            HandOverReason::Unanswered,
        ),
        (DueTurn { turns_of_day: MOST_TURNS_A_DAY, ..of.clone() }, HandOverReason::CapReached),
        (DueTurn { sending, ..of }, HandOverReason::AnswerUnconfirmed),
    ] {
        let (result, written) = World { turn, ..World::new() }.run().await;
        assert_eq!(result, Some(TurnResult::HandedOver(reason)));
        assert_eq!((recorded(&written), written.moves, written.asked), (result, 1, 0));
        assert_eq!(written.counted, 0);
    }
}

#[pollster::test]
async fn while_the_subscription_is_paused_a_person_is_asked_for_and_no_model() {
    let (result, written) = World { paused: true, ..World::new() }.run().await;
    assert_eq!(result, Some(TurnResult::HandedOver(HandOverReason::CannotAnswer)));
    assert_eq!((recorded(&written), written.moves, written.asked), (result, 1, 0));
    assert_eq!(written.counted, 0);
}

#[pollster::test]
async fn a_turn_counts_among_those_of_the_day_once_the_model_is_about_to_be_asked() {
    let last = DueTurn { turns_of_day: MOST_TURNS_A_DAY - 1, ..World::new().turn };
    let (_, written) = World { turn: last, ..World::babbling() }.run().await;
    assert_eq!((written.asked, written.counted), (2, 1), "however often it is asked in one");
    // What waits for something else is no turn yet.
    let (_, written) = World { held_up: true, ..World::new() }.run().await;
    assert_eq!((written.postponed.len(), written.counted), (1, 0));
}

#[pollster::test]
async fn an_answer_that_was_begun_is_not_begun_again() {
    let sending = Some((a_message().id, a_moment() + Duration::MINUTE));
    let turn = DueTurn { sending, ..World::new().turn };
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
    let spoke = |ago| DueTurn { person_spoke_at: Some(a_moment() - ago), ..World::new().turn };
    let (result, written) = World { turn: spoke(SILENCE - Duration::SECOND), ..World::new() }.run().await;
    assert_eq!((result, written.asked), (None, 0));
    // By then another of the team is asked for.
    assert_eq!(written.postponed, [a_moment() + LONGEST_WAIT + Duration::SECOND]);
    let answering = World { turn: spoke(SILENCE + Duration::SECOND), ..World::babbling() };
    assert!(answering.run().await.1.asked > 0);
}
