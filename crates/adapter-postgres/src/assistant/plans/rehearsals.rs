//! How PostgreSQL runs the statements about rehearsals, and what they return.

use domain::{
    assistant::{
        HandOverReason, TokenUsage, TurnResult, Words,
        rehearsal::{
            AskedQuestion, Expected, Fingerprint, MOST_QUESTIONS, QuestionResult, Rehearsal, RehearsalState,
            SHOWN_REHEARSALS, TestQuestion, Verdict, WrittenQuestion,
            ports::{HandOverLog, RehearsalStore, TestQuestionStore},
        },
    },
    audit::Action,
    ids::WorkspaceId,
};
use time::Duration;

use super::{NOW, large};
use crate::{
    assistant::PgAssistants,
    explained::ExplainedStore,
    seeded::{assert_ran_cheaply, id, seeded_with},
};

/// The large workspace has questions and runs, every hundredth turn of it was handed over, and each other
/// workspace has a run under way.
const MORE: &str = "
    INSERT INTO assistant_questions
        SELECT id(1, n), id(50, 100 * n + q), 'q' || q, 'answer', '{}', '{}', now(), now(), NULL, NULL, NULL
        FROM workspace, generate_series(1, 90) q WHERE n < 10;
    INSERT INTO assistant_rehearsals
        SELECT id(1, 0), id(51, r), NULL, 'finished', '', 1, 1, 0, 0, 0, 0, NULL, now(), now()
        FROM generate_series(1, 20) r;
    INSERT INTO assistant_rehearsals
        SELECT id(1, n), id(52, n), NULL, 'running', '', 1, 0, 0, 0, 0, 0,
               CASE WHEN n % 2 = 0 THEN '2026-11-22 10:00:10Z'::timestamptz END, now(), now()
        FROM workspace WHERE n > 0;
    UPDATE assistant_turn_log SET outcome = 'handed_over', reason = 'needs_person'
        WHERE workspace_id = id(1, 0) AND (extract(epoch FROM created_at)::bigint % 100) = 0;
    ANALYZE assistant_questions, assistant_rehearsals, assistant_turn_log";

fn question(number: u128, text: &str) -> TestQuestion {
    let content = WrittenQuestion {
        must: vec!["25,000".to_owned(), "بغداد".to_owned()],
        must_not: vec!["مجانا".to_owned()],
        ..WrittenQuestion::of(text)
    };
    TestQuestion { id: id(53, number).into(), content, created_at: NOW, changed_at: NOW }
}

fn run(number: u128) -> Rehearsal {
    Rehearsal {
        id: id(54, number).into(),
        member: Some(id(10, 0).into()),
        state: RehearsalState::Running,
        fingerprint: Fingerprint::from_stored("now".to_owned()),
        total: 2,
        passed: 0,
        failed: 0,
        not_answered: 0,
        created_at: NOW,
        changed_at: NOW,
    }
}

fn result(verdict: Verdict, ended: TurnResult) -> QuestionResult {
    QuestionResult {
        verdict,
        ended,
        is_as_expected: true,
        missing: vec!["25,000".to_owned()],
        forbidden: vec!["مجانا".to_owned()],
        reply: "نوصل مجاناً".to_owned(),
        acts: vec!["cite".to_owned()],
        tools: vec!["searchProducts".to_owned()],
        words: Some(Words::Code),
        usage: TokenUsage { read_tokens: 10, written_tokens: 2 },
        milliseconds: 7,
        at: NOW,
        fingerprint: Fingerprint::from_stored("now".to_owned()),
    }
}

async fn newest(store: &PgAssistants) -> Rehearsal {
    store.rehearsals(large()).await.unwrap().into_iter().next().unwrap()
}

async fn asked(store: &PgAssistants, of: &TestQuestion) -> AskedQuestion {
    let all = store.questions(large()).await.unwrap();
    all.into_iter().find(|asked| asked.question.id == of.id).unwrap()
}

#[tokio::test]
async fn questions_are_kept_changed_and_removed_up_to_a_number() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.assistants;
    let entry = || explained.entry(large(), Action::TestQuestionsChanged, NOW);
    let both = [question(1, "شكد التوصيل؟"), question(2, "وين صرتوا؟")];
    assert!(store.add(large(), &both, MOST_QUESTIONS, &entry()).await.unwrap());
    assert_ran_cheaply(&explained, 100).await;
    let last = store.questions(large()).await.unwrap().pop().unwrap();
    assert_eq!(last, AskedQuestion { question: both[1].clone(), result: None });
    let rest: Vec<_> = (3..=11).map(|number| question(number, "x")).collect();
    assert!(!store.add(large(), &rest, MOST_QUESTIONS, &entry()).await.unwrap(), "that would be 101");
    assert_eq!(store.questions(large()).await.unwrap().len(), 92, "none of them");
    let content = WrittenQuestion { expected: Expected::Any, ..WrittenQuestion::of("وين الطلب؟") };
    let changed = TestQuestion { content, changed_at: NOW + Duration::SECOND, ..both[1].clone() };
    assert!(store.change(large(), &changed, &entry()).await.unwrap());
    assert_eq!(asked(store, &changed).await.question, changed);
    let other: WorkspaceId = id(1, 300).into();
    assert!(!store.change(other, &changed, &entry()).await.unwrap(), "it is another workspace's");
    assert!(!store.remove(other, changed.id, &entry()).await.unwrap());
    assert!(store.remove(large(), changed.id, &entry()).await.unwrap());
    assert!(!store.remove(large(), changed.id, &entry()).await.unwrap(), "it is gone");
    assert_ran_cheaply(&explained, 100).await;
}

#[tokio::test]
async fn a_run_asks_each_of_its_questions_once_and_ends() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.assistants;
    let entry = |action| explained.entry(large(), action, NOW);
    let both = [question(1, "شكد التوصيل؟"), question(2, "وين صرتوا؟")];
    store.add(large(), &both, MOST_QUESTIONS, &entry(Action::TestQuestionsChanged)).await.unwrap();
    let (ids, began) = (both.clone().map(|question| question.id), entry(Action::RehearsalBegan));
    assert!(store.begin(large(), &run(1), &ids, false, &began).await.unwrap());
    assert!(!store.begin(large(), &run(2), &ids, false, &entry(Action::RehearsalBegan)).await.unwrap());
    let kept = store.rehearsals(large()).await.unwrap();
    assert_eq!((kept.len(), &kept[0]), (usize::try_from(SHOWN_REHEARSALS).unwrap(), &run(1)));
    assert_ran_cheaply(&explained, 100).await;

    let lease = NOW + Duration::seconds(10);
    let first = store.claim(large(), NOW, lease).await.unwrap().unwrap();
    assert_eq!((first.question.as_ref(), first.claims), (Some(&both[0]), 1));
    assert_eq!(store.claim(large(), NOW, lease).await.unwrap(), None, "somebody works on it");
    assert!(store.renew(large(), &first, lease + Duration::SECOND).await.unwrap());
    // Whoever worked on it is gone.
    let again = store.claim(large(), lease + Duration::SECOND, lease + Duration::MINUTE).await;
    let again = again.unwrap().unwrap();
    assert_eq!((again.question.as_ref(), again.claims), (Some(&both[0]), 2));
    assert!(!store.renew(large(), &first, lease).await.unwrap(), "it is another's now");
    let passed = result(Verdict::Passed, TurnResult::Answered);
    store.record(large(), &again, &passed).await.unwrap();
    store.record(large(), &first, &result(Verdict::Failed, TurnResult::Proposed)).await.unwrap();
    assert_eq!(asked(store, &both[0]).await.result, Some(passed), "one result is kept");
    assert_eq!((newest(store).await.passed, newest(store).await.failed), (1, 0));

    // The next is changed while it is asked: it is asked once more, as it is now.
    let second = store.claim(large(), NOW, lease).await.unwrap().unwrap();
    assert_eq!((second.question.as_ref(), second.claims), (Some(&both[1]), 1));
    let changed = TestQuestion { changed_at: NOW + Duration::SECOND, ..both[1].clone() };
    store.change(large(), &changed, &entry(Action::TestQuestionsChanged)).await.unwrap();
    let reason = HandOverReason::ModelDown;
    let away = result(Verdict::NotAnswered, TurnResult::HandedOver(reason));
    store.record(large(), &second, &away).await.unwrap();
    let second = store.claim(large(), NOW, lease).await.unwrap().unwrap();
    assert_eq!((second.question.as_ref(), second.claims), (Some(&changed), 1));
    store.record(large(), &second, &away).await.unwrap();
    assert_eq!(asked(store, &changed).await.result, Some(away));
    let last = store.claim(large(), NOW, lease).await.unwrap().unwrap();
    assert_eq!((last.question, last.not_answered_in_row), (None, 1));
    assert!(store.end(large(), last.id, RehearsalState::Finished, NOW, None).await.unwrap());
    assert!(!store.end(large(), last.id, RehearsalState::Stopped, NOW, None).await.unwrap(), "it ends once");
    let ended = newest(store).await;
    assert_eq!((ended.state, ended.passed, ended.not_answered), (RehearsalState::Finished, 1, 1));
    assert_eq!(store.claim(large(), NOW, lease).await.unwrap(), None);
    assert_ran_cheaply(&explained, 100).await;
}

#[tokio::test]
async fn a_run_takes_another_s_place_and_what_that_still_asks_is_left() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.assistants;
    let entry = |action| explained.entry(large(), action, NOW);
    let one = [question(1, "شكد التوصيل؟")];
    store.add(large(), &one, MOST_QUESTIONS, &entry(Action::TestQuestionsChanged)).await.unwrap();
    let ids = [one[0].id];
    for number in 1..=2 {
        let began = entry(Action::RehearsalBegan);
        assert!(store.begin(large(), &run(number), &ids, true, &began).await.unwrap(), "{number}");
        if number == 1 {
            let lease = NOW + Duration::MINUTE;
            let claimed = store.claim(large(), NOW, lease).await.unwrap().unwrap();
            let began = entry(Action::RehearsalBegan);
            assert!(store.begin(large(), &run(3), &ids, true, &began).await.unwrap());
            store.record(large(), &claimed, &result(Verdict::Passed, TurnResult::Answered)).await.unwrap();
            assert_eq!(asked(store, &one[0]).await.result, None, "it is the next one's to ask");
            assert!(!store.renew(large(), &claimed, lease).await.unwrap());
        }
    }
    let states: Vec<_> =
        store.rehearsals(large()).await.unwrap().iter().take(3).map(|run| run.state).collect();
    assert_eq!(states, [RehearsalState::Replaced, RehearsalState::Running, RehearsalState::Replaced]);
    let stopped = entry(Action::RehearsalStopped);
    let stopped = store.end(large(), run(2).id, RehearsalState::Stopped, NOW, Some(stopped));
    assert!(stopped.await.unwrap());
    assert_ran_cheaply(&explained, 100).await;
}

#[tokio::test]
async fn whose_questions_are_to_be_asked_is_found_without_those_that_are_worked_on() {
    let (database, _client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.assistants;
    assert_eq!(store.workspaces_with_rehearsals(NOW).await.unwrap().len(), 200);
    let later = NOW + Duration::MINUTE;
    assert_eq!(store.workspaces_with_rehearsals(later).await.unwrap().len(), 400);
    assert_ran_cheaply(&explained, 450).await;
}

#[tokio::test]
async fn what_was_handed_over_is_found_among_the_many_turns_that_were_not() {
    let (database, client) = seeded_with(MORE).await;
    let explained = ExplainedStore::over(&database);
    let store = &*explained.stores.assistants;
    let since = NOW - Duration::days(7);
    let counts = store.count_hand_overs(large(), since).await.unwrap();
    assert_eq!(counts, [(HandOverReason::ModelAsked, 200)]);
    let newest = store.hand_overs(large(), since, 50).await.unwrap();
    assert_eq!(newest.len(), 50);
    assert!(newest.windows(2).all(|pair| pair[0].at >= pair[1].at));
    assert_ran_cheaply(&explained, 250).await;
    let (one, at) = (newest[0].conversation, newest[0].at);
    for (number, role, minutes, text) in
        [(1_u32, "customer", 0, "شكد التوصيل؟"), (2, "assistant", 0, "لحظة"), (3, "customer", 1, "بعدين")]
    {
        client
            .execute(
                "INSERT INTO messages (workspace_id, id, conversation_id, role, content, created_at)
                 VALUES ($1, id(60, $2), $3, $4, $5, $6)",
                &[
                    &large().uuid(),
                    &i32::try_from(number).unwrap(),
                    &one.uuid(),
                    &role,
                    &text,
                    &(at + Duration::minutes(minutes)),
                ],
            )
            .await
            .unwrap();
    }
    let newest = store.hand_overs(large(), since, 1).await.unwrap();
    assert_eq!(newest[0].question.as_deref(), Some("شكد التوصيل؟"), "what was written before it");
    assert_eq!(newest[0].as_question().as_deref(), Some("شكد التوصيل؟"));
}
