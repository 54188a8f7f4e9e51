//! What customers see who wait: typing, that it takes a moment, and what becomes of files that no model
//! reads.

use std::sync::{Arc, Mutex};

use domain::{
    assistant::{
        DueTurn, HandOverReason, ModelAnswer, ModelError, ModelRequest, Models, TurnResult,
        ports::{LanguageModel, MockTurnStore},
    },
    attachments::{AttachmentKind, ContentType, ObjectKey, StoredAttachment, ports::MockObjectStore},
    clock::Clock,
    messages::{Message, Role, ports::KeptMessage},
    sending::ports::ReserveOutcome,
    testing::{ManualClock, a_message, a_moment, a_vault, a_workspace},
};
use time::Duration;

use super::{GREETS, World, Written, calls, objects, recorded, said};

/// Greets after so many seconds.
struct Slow(Arc<ManualClock>, u32);

#[async_trait::async_trait]
impl LanguageModel for Slow {
    async fn answer(&self, _: &ModelRequest, _: std::time::Duration) -> Result<ModelAnswer, ModelError> {
        self.0.pass(self.1).await;
        calls("answer", GREETS)
    }
}

/// Runs a turn whose model takes `seconds`; returns the second at which the customer may be told to wait, if
/// one is marked, and what was written.
async fn taking(seconds: u32, may_be_told: bool) -> (Option<i64>, Written) {
    let (written, marked) = (Arc::new(Mutex::new(Written::default())), Arc::new(Mutex::new(None)));
    let clock = Arc::new(ManualClock::at(a_moment()));
    let world = World { begun: Some(ReserveOutcome::Outdated), ..World::new() };
    let turn = world.turn.clone();
    let mut take = world.take(&written);
    let mut turns = MockTurnStore::new();
    turns.expect_renew_turn().returning(|_, _, _| Ok(true));
    turns.expect_is_held_up().returning(|_, _| Ok(false));
    turns.expect_stands().returning(|_, _| Ok(true));
    turns.expect_count_turn().returning(|_, _, _| Ok(()));
    turns.expect_finish_turn().returning(|_, _, _| Ok(()));
    let at = Arc::clone(&marked);
    turns.expect_tell_to_wait().returning(move |_, _, _, now| {
        *at.lock().unwrap() = Some((now - a_moment()).whole_seconds());
        Ok(may_be_told)
    });
    take.turns = Arc::new(turns);
    take.deps.clock = clock.clone();
    take.model = Some(Models::only(Arc::new(Slow(clock.clone(), seconds))).into());
    let _ = take.run(a_workspace().id, &turn).await.unwrap();
    assert!(
        clock.now() - a_moment() <= Duration::seconds(i64::from(seconds) + 1),
        "nothing delays the answer"
    );
    drop(take);
    let at = *marked.lock().unwrap();
    (at, Arc::into_inner(written).unwrap().into_inner().unwrap())
}

#[pollster::test]
async fn a_turn_past_fifteen_seconds_says_once_that_it_takes_a_moment_and_then_the_answer() {
    let (told_at, written) = taking(14, true).await;
    assert_eq!((told_at, written.begun.len()), (None, 1));
    let (told_at, written) = taking(40, true).await;
    // This model moves the clock on before anybody looks at it.
    assert!(matches!(told_at, Some(15..=17)), "{told_at:?}");
    let [wait, answer] = written.begun.as_slice() else { panic!("{:?}", written.begun) };
    assert!(wait.contains("لحظة") || wait.contains("ثواني"), "{wait}");
    assert!(!answer.contains("لحظة"), "{answer}");
    // Another has told them before, or somebody has spoken.
    assert_eq!(taking(40, false).await.1.begun.len(), 1);
}

#[pollster::test]
async fn typing_is_shown_while_the_model_works_and_again_before_it_fades() {
    for (seconds, shown) in [(1, 1), (15, 1), (17, 2), (40, 3)] {
        assert_eq!(taking(seconds, false).await.1.typed, shown, "{seconds} s");
    }
    // No model is at work for who asks for a person.
    let messages = vec![said(Role::Customer, "اريد احجي ويه موظف")];
    assert_eq!(World { messages, ..World::new() }.run().await.1.typed, 0);
}

#[pollster::test]
async fn that_it_takes_a_moment_answers_nobody() {
    let wait = Message { role: Role::Assistant, content: "لحظة".to_owned(), ..a_message() };
    let turn = DueTurn { notices: vec![wait.id], ..World::new().turn };
    let wait = KeptMessage { message: wait, ..said(Role::Assistant, "") };
    let mut asked = said(Role::Customer, "شلون؟");
    asked.message.id = uuid::Uuid::from_u128(77).into();
    // It stands behind what the customer wrote, as after a kill.
    let mut world = World { turn, messages: vec![wait, asked], ..World::babbling() };
    world.settings.introduces_itself = true;
    assert!(world.run().await.1.asked > 0);
}

#[pollster::test]
async fn whoever_is_given_back_while_they_are_told_of_the_hand_over_is_answered() {
    let told = Message {
        role: Role::Assistant, content: "سيرد عليك أحد زملائنا".to_owned(), ..a_message()
    };
    let turn = DueTurn { notices: vec![told.id], ..World::new().turn };
    let newest_first = vec![
        KeptMessage { message: told, ..said(Role::Assistant, "") },
        said(Role::System, "returned"),
        said(Role::System, "assigned (ai_escalation: model_unavailable)"),
        said(Role::Customer, "شلون؟"),
    ];
    let mut world = World { turn, messages: newest_first, ..World::babbling() };
    for (kept, number) in world.messages.iter_mut().zip(77_u128..).skip(1) {
        kept.message.id = uuid::Uuid::from_u128(number).into();
    }
    assert!(world.run().await.1.asked > 0);
}

fn with_file(kind: AttachmentKind, awaited: bool, words: Option<&str>) -> KeptMessage {
    let mut kept = said(Role::Customer, "");
    kept.message.transcription = words.map(str::to_owned);
    if awaited {
        kept.awaited = vec![kind];
    } else {
        kept.missing = vec![kind];
    }
    kept
}

#[pollster::test]
async fn a_picture_or_a_voice_note_that_no_model_reads_is_acknowledged_and_gets_a_person() {
    for (kind, told) in [
        (AttachmentKind::Image, "وصلتنا صورتك."),
        (AttachmentKind::Audio, "وصلتنا رسالتك الصوتية."),
        (AttachmentKind::Video, "وصلنا الفيديو."),
        (AttachmentKind::Document, "وصلنا ملفك."),
    ] {
        let (result, written) =
            World { messages: vec![with_file(kind, false, None)], ..World::new() }.run().await;
        assert_eq!(result, Some(TurnResult::HandedOver(HandOverReason::CannotRead)), "{kind:?}");
        assert_eq!((recorded(&written), written.asked), (result, 0));
        let [said] = written.said.as_slice() else { panic!("{:?}", written.said) };
        assert!(said.text.starts_with(told) && said.text.contains("أحد زملائنا"), "{}", said.text);
    }
}

fn a_picture(bytes: u64) -> StoredAttachment {
    let content_type = ContentType::read("image/jpeg");
    let key = ObjectKey::of(&a_vault(), a_workspace().id, a_message().id, 0, content_type);
    StoredAttachment { kind: AttachmentKind::Image, key, content_type, bytes, title: None }
}

#[pollster::test]
async fn a_model_that_reads_pictures_is_shown_them_in_the_turn_that_answers_them() {
    let shown = KeptMessage { files: vec![a_picture(9)], ..said(Role::Customer, "شكد هذا؟") };
    let key = shown.files[0].key.as_str().as_bytes().to_vec();
    let world = |messages| World {
        messages,
        pictures: Some(objects()),
        begun: Some(ReserveOutcome::Outdated),
        ..World::greeting()
    };
    let (_, written) = world(vec![shown.clone()]).run().await;
    assert_eq!((written.asked, written.shown), (1, vec![key]));
    // What was answered before is not shown again.
    let mut before = shown.clone();
    before.message.created_at -= Duration::MINUTE;
    let (_, written) = world(vec![said(Role::Customer, "وبعد؟"), before]).run().await;
    assert_eq!((written.asked, written.shown.len()), (1, 0));
    // It is waited for, and too large a one gets a person.
    let awaited = KeptMessage { awaited: vec![AttachmentKind::Image], ..said(Role::Customer, "") };
    assert_eq!(world(vec![awaited]).run().await.1.postponed.len(), 1);
    let large = KeptMessage { files: vec![a_picture(3_000_000)], ..said(Role::Customer, "") };
    let (result, written) = world(vec![large]).run().await;
    assert_eq!(result, Some(TurnResult::HandedOver(HandOverReason::CannotRead)));
    assert_eq!(written.asked, 0);
}

#[pollster::test]
async fn a_picture_that_cannot_be_loaded_or_that_the_server_refuses_gets_a_person_in_words() {
    let messages = || vec![KeptMessage { files: vec![a_picture(9)], ..said(Role::Customer, "") }];
    let mut lost = MockObjectStore::new();
    lost.expect_open().returning(|_| Ok(None));
    let refused = vec![Err(ModelError::Refused { status: 400 })];
    for (pictures, model, asked) in [(lost, vec![], 0), (objects(), refused, 1)] {
        let world = World { messages: messages(), pictures: Some(pictures), model, ..World::new() };
        let (result, written) = world.run().await;
        assert_eq!(result, Some(TurnResult::HandedOver(HandOverReason::CannotRead)));
        assert_eq!(written.asked, asked);
        let [said] = written.said.as_slice() else { panic!("{:?}", written.said) };
        assert!(said.text.starts_with("وصلتنا صورتك."), "{}", said.text);
    }
}

#[pollster::test]
async fn a_voice_note_is_waited_for_until_it_is_words_and_its_words_are_answered() {
    let audio = AttachmentKind::Audio;
    let world =
        |awaited, words| World { messages: vec![with_file(audio, awaited, words)], ..World::greeting() };
    let (result, written) = world(true, None).run().await;
    assert_eq!((result, written.postponed.len(), written.moves), (None, 1, 0));
    // Not for longer than half a minute.
    let mut late = world(true, None);
    late.turn.waiting_since -= Duration::seconds(30);
    late.messages[0].message.created_at -= Duration::seconds(30);
    let (result, _) = late.run().await;
    assert_eq!(result, Some(TurnResult::HandedOver(HandOverReason::CannotRead)));
    let spoken = World { begun: Some(ReserveOutcome::Outdated), ..world(false, Some("شلونكم")) };
    assert_eq!(spoken.run().await.1.asked, 1);
    // Whoever asks for a person by voice gets one.
    let (result, _) = world(false, Some("اريد احجي ويه موظف")).run().await;
    assert_eq!(result, Some(TurnResult::HandedOver(HandOverReason::Asked)));
}

#[pollster::test]
async fn a_sticker_is_answered_with_courtesy_by_no_model_and_no_person() {
    let sticker = || with_file(AttachmentKind::Sticker, false, None);
    let begun = Some(ReserveOutcome::Outdated);
    let (_, first) = World { messages: vec![sticker()], begun: begun.clone(), ..World::new() }.run().await;
    assert_eq!((first.asked, first.moves, first.begun.len()), (0, 0, 1));
    let mut answered = said(Role::Assistant, "سعره 9000");
    answered.message.created_at -= Duration::MINUTE;
    let messages = vec![sticker(), answered];
    let (_, later) = World { messages, begun, ..World::new() }.run().await;
    assert_eq!((later.asked, later.moves, later.begun.len()), (0, 0, 1));
    assert_ne!(first.begun, later.begun);
}
