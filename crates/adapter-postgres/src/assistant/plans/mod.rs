//! How PostgreSQL runs the assistant's statements in a large workspace, and what they return.

use std::time::Duration as Took;

use domain::{
    assistant::{
        AssistantMode, AssistantSettings, ByLanguage, Cost, DayLimit, Fact, HandOverReason, HandOverTexts,
        KeptModelKey, ModelKey, ModelKeyState, Spent, TokenUsage, Tool, TurnRecord, TurnResult, Words,
        ports::{AssistantStore, ModelKeyStore, TokenBudget, TurnLog, TurnStore},
        speech::Register,
    },
    audit::Action,
    fence::{Fence, TurnEffect},
    ids::WorkspaceId,
    messages::ReplyAuthor,
    paging::{PageLimit, PageRequest},
    sending::{
        ConversationEntry, Intent, Reply,
        ports::{ReserveOutcome, SendLedger, SendReservation},
    },
    testing::an_intent,
};
use time::{Duration, OffsetDateTime, macros::datetime};
use tokio_postgres::Client;

use super::{
    Spoken, customers_waited, people_spoke,
    speech::{CUSTOMERS_WAIT_ON, CUSTOMERS_WAITED, MOVE_TURN, PEOPLE_SPOKE},
};
use crate::{
    Database,
    explained::ExplainedStore,
    seeded::{Explained, assert_cheap, assert_ran_cheaply, id, seeded},
    sql::positional,
    testing::TestDatabase,
};

mod rehearsals;
mod tests;
mod waiting;

const NOW: OffsetDateTime = datetime!(2026-11-22 10:00 UTC);

fn large() -> WorkspaceId {
    id(1, 0).into()
}

/// The seed without anybody waiting.
async fn quiet() -> (TestDatabase, Client, ExplainedStore) {
    let (database, client) = seeded().await;
    let quiet =
        "UPDATE assistant_turns SET due_at = NULL, waiting_since = NULL; DELETE FROM automation_triggers";
    client.batch_execute(quiet).await.unwrap();
    let explained = ExplainedStore::over(&database);
    (database, client, explained)
}

async fn spoken(database: &Database, by_customer: bool, at: OffsetDateTime) {
    let transaction = database.transaction().await.unwrap();
    let mut flight = transaction.flight();
    let spoken = [Spoken { conversation: id(6, 7).into(), at }];
    if by_customer {
        customers_waited(&mut flight, large(), &spoken);
    } else {
        people_spoke(&mut flight, large(), &spoken);
    }
    transaction.begin_with(flight.counts()).await.unwrap();
    transaction.commit().await.unwrap();
}

fn answer(number: u128, turn: TurnEffect, author: ReplyAuthor) -> SendReservation {
    let reply = Reply {
        conversation: id(6, 7).into(),
        contact: id(5, 7).into(),
        phone: None,
        author,
        text: "هلا".to_owned(),
        upload: None,
    };
    let intent = Intent {
        id: id(7, number).into(),
        workspace: large(),
        channel: id(3, 0).into(),
        template: None,
        conversation_entry: ConversationEntry::Reply(reply),
        created_at: NOW,
        ..an_intent()
    };
    SendReservation { intent, key: None, limit: None, turn }
}

fn record(number: u128, result: TurnResult) -> TurnRecord {
    TurnRecord {
        id: id(28, number).into(),
        conversation: id(6, 7).into(),
        result,
        tools: vec![Tool::SearchProducts.as_str()],
        acts: vec!["quote".to_owned(), "thank".to_owned()],
        evidence: vec!["product:12".to_owned()],
        words: Some(Words::Code),
        objection: Some("facts".to_owned()),
        usage: TokenUsage { read_tokens: 10, written_tokens: 2 },
        took: Took::from_millis(30),
        at: NOW,
    }
}

#[tokio::test]
async fn what_an_owner_sets_is_read_as_it_was_set_and_a_group_of_nobody_s_is_refused() {
    let (_database, _client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    // The row of a version that knew neither registers nor own wordings.
    let before = store.settings(large()).await.unwrap().unwrap();
    assert_eq!(
        (before.mode, before.register, before.introduces_itself),
        (AssistantMode::On, Register::Dialect, true)
    );
    let settings = AssistantSettings {
        mode: AssistantMode::Off,
        name: Some("نور".to_owned()),
        facts: vec![Fact {
            title: "التوصيل".to_owned(),
            text: "خلال يومين".to_owned(),
            wordings: ByLanguage { english: Some("Within two days".to_owned()), ..ByLanguage::default() },
        }],
        register: Register::Formal,
        wordings: ByLanguage { arabic: Some("[greet]\nأهلاً".to_owned()), ..ByLanguage::default() },
        hand_over: HandOverTexts {
            english: Some("Sara answers you.".to_owned()),
            sorani: Some("سارا وەڵامتان دەداتەوە.".to_owned()),
            ..HandOverTexts::default()
        },
        introduces_itself: false,
        rehearses_changes: false,
        tools: Some(vec![Tool::SearchProducts]),
        group: Some(id(11, 3).into()),
        ..AssistantSettings::default()
    };
    let entry = explained.entry(large(), Action::AssistantChanged, NOW);
    assert!(store.set(large(), &settings, &entry).await.unwrap());
    assert_eq!(store.settings(large()).await.unwrap(), Some(settings.clone()));
    let elsewhere = AssistantSettings { group: Some(id(11, 99).into()), ..settings };
    assert!(!store.set(large(), &elsewhere, &entry).await.unwrap());
    assert_eq!(store.settings(id(1, 100_000).into()).await.unwrap(), None);
    assert_ran_cheaply(&explained, 2).await;
}

#[tokio::test]
async fn a_key_is_opened_by_its_workspace_alone_and_another_takes_its_place() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    client.batch_execute("DELETE FROM model_keys").await.unwrap();
    let entry = || explained.entry(large(), Action::ModelKeySet, NOW);
    let kept = |number, key| KeptModelKey {
        id: id(29, number).into(),
        key: ModelKey::parse(key).unwrap(),
        refused_at: None,
    };
    let (first, second) = (kept(1, "sk-the-first"), kept(2, "sk-the-second"));
    store.keep(large(), &first, &entry()).await.unwrap();
    assert_eq!(store.open(large()).await.unwrap(), Some(first.clone()));
    assert_eq!(store.open(id(1, 1).into()).await.unwrap(), None);
    store.set_refused(large(), first.id, Some(NOW)).await.unwrap();
    let state = store.state(large()).await.unwrap();
    assert_eq!(state, Some(ModelKeyState { set_at: Some(NOW), refused_at: Some(NOW) }));
    store.keep(large(), &second, &entry()).await.unwrap();
    // A late refusal of the previous key says nothing about this one.
    store.set_refused(large(), first.id, Some(NOW)).await.unwrap();
    assert_eq!(store.open(large()).await.unwrap(), Some(second));
    let sealed: Vec<u8> = client.query_one("SELECT key_sealed FROM model_keys", &[]).await.unwrap().get(0);
    assert!(!sealed.windows(3).any(|part| part == b"sk-"));
    let entry = explained.entry(large(), Action::ModelKeyRemoved, NOW);
    assert!(store.remove(large(), &entry).await.unwrap() && !store.remove(large(), &entry).await.unwrap());
    assert_eq!(store.open(large()).await.unwrap(), None);
    assert_ran_cheaply(&explained, 5).await;
}

#[tokio::test]
async fn who_speaks_is_written_down_by_keys() {
    let (_database, client, _explained) = quiet().await;
    let values =
        format!("ARRAY['{}'::uuid], ARRAY['2026-11-22 10:00Z'::timestamptz], '{}'", id(6, 7), id(1, 0));
    let (waited, spoke, moved) =
        (positional(CUSTOMERS_WAITED), positional(PEOPLE_SPOKE), positional(MOVE_TURN));
    let wait_on = positional(CUSTOMERS_WAIT_ON);
    let met = format!("'{}', '{}', '{}'", id(6, 8), id(1, 0), id(6, 7));
    let bursts = format!("'2500 milliseconds', '8 seconds', {values}");
    let statements: &[Explained<'_>] = &[
        (&waited, "interval, interval, uuid[], timestamptz[], uuid", &bursts),
        (&spoke, "uuid[], timestamptz[], uuid", &values),
        (&wait_on, "uuid[], timestamptz[], uuid", &values),
        (&moved, "uuid, uuid, uuid", &met),
    ];
    assert_cheap(&client, 4, statements).await;
}

#[tokio::test]
async fn a_burst_of_a_customer_is_one_turn_that_is_taken_by_one() {
    let (_database, _client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    let database = &store.database;
    spoken(database, true, NOW).await;
    spoken(database, true, NOW + Duration::seconds(2)).await;
    explained.ran().await;
    let due = NOW + Duration::milliseconds(4_500);
    assert_eq!(store.workspaces_with_turns(due - Duration::MILLISECOND).await.unwrap(), []);
    assert_eq!(store.workspaces_with_turns(due).await.unwrap(), [large()]);
    explained.ran().await;
    let turn = store.claim_turn(large(), due, due + Duration::MINUTE).await.unwrap().unwrap();
    assert_eq!((turn.conversation, turn.waiting_since), (id(6, 7).into(), NOW));
    assert_eq!((turn.sending, turn.turns_of_day), (None, 0));
    assert_eq!(store.claim_turn(large(), due, due + Duration::MINUTE).await.unwrap(), None);
    assert!(!store.is_held_up(large(), id(6, 7).into()).await.unwrap());
    assert!(store.stands(large(), &turn).await.unwrap());
    // Whoever is still working on it keeps it.
    let kept = due + Duration::minutes(2);
    assert!(store.renew_turn(large(), &turn, kept).await.unwrap());
    assert_eq!(store.claim_turn(large(), due + Duration::MINUTE, kept).await.unwrap(), None);
    // A customer who keeps writing is answered all the same.
    for second in 5..20 {
        spoken(database, true, NOW + Duration::seconds(second)).await;
    }
    let by = NOW + Duration::seconds(13);
    let again = store.claim_turn(large(), by, by + Duration::MINUTE).await.unwrap().unwrap();
    assert_eq!((again.heard > turn.heard, again.waiting_since), (true, NOW));
    // The first answer is void now, and the turn is no longer theirs to keep.
    assert!(!store.renew_turn(large(), &turn, by).await.unwrap());
    assert!(!store.stands(large(), &turn).await.unwrap());
    let fence = Fence { conversation: turn.conversation, version: 1, heard: turn.heard };
    let late = answer(40_000, TurnEffect::Answers(fence), ReplyAuthor::Assistant);
    let begun = explained.stores.sends.begin(large(), &late).await.unwrap();
    assert!(matches!(begun, ReserveOutcome::Outdated), "{begun:?}");
    store.postpone_turn(large(), &turn, NOW).await.unwrap();
    assert_eq!(store.workspaces_with_turns(by).await.unwrap(), [], "it is another's now");
    explained.ran().await;
}

#[tokio::test]
async fn what_is_being_worded_while_the_owner_sets_something_else_is_not_sent() {
    let (_database, _client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    spoken(&store.database, true, NOW).await;
    let (due, until) = (NOW + Duration::seconds(3), NOW + Duration::MINUTE);
    let turn = store.claim_turn(large(), due, until).await.unwrap().unwrap();
    let off =
        AssistantSettings { mode: AssistantMode::Off, ..store.settings(large()).await.unwrap().unwrap() };
    let change = async || {
        let entry = explained.entry(large(), Action::AssistantChanged, NOW);
        assert!(store.set(large(), &off, &entry).await.unwrap());
    };
    change().await;
    assert!(!store.stands(large(), &turn).await.unwrap());
    let fence = Fence { conversation: turn.conversation, version: 1, heard: turn.heard };
    let late = answer(40_000, TurnEffect::Answers(fence), ReplyAuthor::Assistant);
    let begun = explained.stores.sends.begin(large(), &late).await.unwrap();
    assert!(matches!(begun, ReserveOutcome::Outdated), "{begun:?}");
    let again = store.claim_turn(large(), until, until + Duration::MINUTE).await.unwrap().unwrap();
    assert_eq!(again.waiting_since, NOW, "the customer waits on");
    // An answer under way stays so.
    let fence = Fence { heard: again.heard, ..fence };
    let sent = answer(40_001, TurnEffect::Answers(fence), ReplyAuthor::Assistant);
    explained.stores.sends.begin(large(), &sent).await.unwrap();
    change().await;
    assert!(store.stands(large(), &again).await.unwrap());
    explained.ran().await;
}

#[tokio::test]
async fn turns_of_those_who_have_waited_for_too_long_are_taken_before_others() {
    let (_database, _client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    spoken(&store.database, true, NOW).await;
    explained.ran().await;
    let (due, until) = (NOW + Duration::MINUTE, NOW + Duration::minutes(2));
    let overdue = |since| store.claim_overdue_turn(large(), due, since, until);
    assert_eq!(overdue(NOW).await.unwrap(), None, "they have not waited for long enough");
    let turn = overdue(NOW + Duration::MILLISECOND).await.unwrap().unwrap();
    assert_eq!((turn.conversation, turn.waiting_since), (id(6, 7).into(), NOW));
    assert_eq!(overdue(due).await.unwrap(), None, "it is taken");
    explained.ran().await;
}

#[tokio::test]
async fn turns_in_which_the_model_is_asked_are_counted_by_day() {
    let (_database, _client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    spoken(&store.database, true, NOW).await;
    explained.ran().await;
    let claim = async |minutes: i64| {
        let at = NOW + Duration::minutes(minutes);
        store.claim_turn(large(), at, at + Duration::SECOND).await.unwrap().unwrap()
    };
    // Claiming counts no turn, however often.
    assert_eq!((claim(1).await.turns_of_day, claim(2).await.turns_of_day), (0, 0));
    store.count_turn(large(), &claim(3).await, NOW.date()).await.unwrap();
    store.count_turn(large(), &claim(4).await, NOW.date()).await.unwrap();
    assert_eq!(claim(5).await.turns_of_day, 2);
    let next_day = claim(24 * 60).await;
    assert_eq!(next_day.turns_of_day, 0);
    store.count_turn(large(), &next_day, NOW.date().next_day().unwrap()).await.unwrap();
    assert_eq!(claim(24 * 60 + 1).await.turns_of_day, 1);
    explained.ran().await;
}

#[tokio::test]
async fn an_answer_is_begun_once_and_not_after_a_person_has_spoken_or_moved_the_conversation() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    let claim = async |at: OffsetDateTime| {
        spoken(&store.database, true, at).await;
        let due = at + Duration::seconds(3);
        store.claim_turn(large(), due, due + Duration::MINUTE).await.unwrap().unwrap()
    };
    let begin = async |number, turn, author| {
        explained.stores.sends.begin(large(), &answer(number, turn, author)).await.unwrap()
    };
    let turn = claim(NOW).await;
    let fence = Fence { conversation: turn.conversation, version: 1, heard: turn.heard };
    let answers = TurnEffect::Answers(fence);
    let first = begin(40_001, answers, ReplyAuthor::Assistant).await;
    assert!(matches!(first, ReserveOutcome::Started), "{first:?}");
    let again = begin(40_002, answers, ReplyAuthor::Assistant).await;
    assert!(matches!(again, ReserveOutcome::Outdated), "{again:?}");
    // A photo accompanies the answer.
    let photo = begin(40_006, TurnEffect::Accompanies(fence), ReplyAuthor::Assistant).await;
    assert!(matches!(photo, ReserveOutcome::Started), "{photo:?}");
    store.finish_turn(large(), &turn, Some(record(40_001, TurnResult::Answered))).await.unwrap();
    assert!(!store.renew_turn(large(), &turn, NOW).await.unwrap(), "it has ended");
    assert!(!store.stands(large(), &turn).await.unwrap(), "it has ended");
    assert_eq!(store.workspaces_with_turns(NOW + Duration::HOUR).await.unwrap(), []);
    // A slower claimant of the same turn cannot reopen it.
    store.finish_turn(large(), &turn, Some(record(40_010, TurnResult::Dropped))).await.unwrap();
    assert_eq!(store.workspaces_with_turns(NOW + Duration::HOUR).await.unwrap(), []);

    let turn = claim(NOW + Duration::MINUTE).await;
    let person = begin(40_003, TurnEffect::Silences, ReplyAuthor::Member(id(10, 0).into())).await;
    assert!(matches!(person, ReserveOutcome::Started), "{person:?}");
    let fence = Fence { heard: turn.heard, ..fence };
    for effect in [TurnEffect::Answers(fence), TurnEffect::Accompanies(fence)] {
        let late = begin(40_004, effect, ReplyAuthor::Assistant).await;
        assert!(matches!(late, ReserveOutcome::Outdated), "{late:?}");
    }

    let turn = claim(NOW + Duration::minutes(2)).await;
    assert_eq!(turn.person_spoke_at, Some(NOW));
    let moved = "UPDATE conversations SET version = 2 WHERE workspace_id = id(1, 0) AND id = id(6, 7)";
    client.batch_execute(moved).await.unwrap();
    let fence = Fence { heard: turn.heard, ..fence };
    for effect in [TurnEffect::Answers(fence), TurnEffect::Accompanies(fence)] {
        let late = begin(40_005, effect, ReplyAuthor::Assistant).await;
        assert!(matches!(late, ReserveOutcome::Outdated), "{late:?}");
    }
    let here = Fence { version: 2, ..fence };
    let started = begin(40_005, TurnEffect::Answers(here), ReplyAuthor::Assistant).await;
    assert!(matches!(started, ReserveOutcome::Started), "{started:?}");
    // If the process dies now, nobody knows whether its answer arrived.
    let later = NOW + Duration::minutes(4);
    let left = store.claim_turn(large(), later, later + Duration::MINUTE).await.unwrap().unwrap();
    assert_eq!(left.sending.map(|(id, _)| id), Some(id(7, 40_005).into()));
    spoken(&store.database, false, later).await;
    assert_eq!(store.workspaces_with_turns(later + Duration::HOUR).await.unwrap(), []);
    explained.ran().await;
}

#[tokio::test]
async fn a_day_takes_no_more_tokens_than_it_may_however_many_ask_at_once() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    let day = NOW.date();
    let tokens = |tokens| Spent { tokens, cost: Cost::default() };
    let limit = DayLimit { tokens: 1_000, cost: None };
    let asked = (0..50).map(|_| store.reserve(large(), day, tokens(300), limit));
    let reserved: Vec<bool> = futures_util::future::try_join_all(asked).await.unwrap();
    assert_eq!(reserved.iter().filter(|reserved| **reserved).count(), 3);
    let used = |read_tokens| (TokenUsage { read_tokens, written_tokens: 10 }, Cost::default());
    store.settle(large(), day, tokens(300), used(90), limit, NOW).await.unwrap();
    assert!(!store.reserve(large(), day, tokens(301), limit).await.unwrap());
    assert!(store.reserve(large(), day, tokens(300), limit).await.unwrap());
    assert!(
        !store.reserve(id(1, 1).into(), day, tokens(300), DayLimit { tokens: 299, ..limit }).await.unwrap(),
        "more than a day may take"
    );
    let usage = store.usage(large(), day).await.unwrap();
    assert_eq!(usage.len(), 1);
    assert_eq!(usage[0].usage, TokenUsage { read_tokens: 90, written_tokens: 10 });
    // Owners are alerted once, when four fifths of a day's budget are spent.
    let warnings = "SELECT count(*) FROM channel_alerts WHERE kind = 'assistant_tokens'";
    let warned = async || client.query_one(warnings, &[]).await.unwrap().get::<_, i64>(0);
    for (read_tokens, told) in [(680, 0), (0, 1), (50, 1)] {
        store.settle(large(), day, tokens(0), used(read_tokens), limit, NOW).await.unwrap();
        assert_eq!(warned().await, told, "{read_tokens}");
    }
    explained.ran().await;
}

#[tokio::test]
async fn a_day_takes_no_more_money_than_it_may_to_the_last_place() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    let day = NOW.date();
    let cost = |trillionths| Cost::of_trillionths(trillionths);
    let money = |trillionths| Spent { tokens: 1, cost: cost(trillionths) };
    let limit = DayLimit { tokens: 1_000_000, cost: Some(cost(1_000)) };
    let asked = (0..50).map(|_| store.reserve(large(), day, money(300), limit));
    let reserved: Vec<bool> = futures_util::future::try_join_all(asked).await.unwrap();
    assert_eq!(reserved.iter().filter(|reserved| **reserved).count(), 3);
    let used = |trillionths| (TokenUsage { read_tokens: 1, written_tokens: 0 }, cost(trillionths));
    store.settle(large(), day, money(300), used(199), limit, NOW).await.unwrap();
    assert!(!store.reserve(large(), day, money(202), limit).await.unwrap());
    assert!(store.reserve(large(), day, money(201), limit).await.unwrap());
    assert!(!store.reserve(id(1, 1).into(), day, money(1_001), limit).await.unwrap());
    assert_eq!(store.usage(large(), day).await.unwrap()[0].cost, cost(199));
    let warnings = "SELECT count(*) FROM channel_alerts WHERE kind = 'assistant_tokens'";
    let warned = async || client.query_one(warnings, &[]).await.unwrap().get::<_, i64>(0);
    for (trillionths, told) in [(600, 0), (1, 1), (50, 1)] {
        store.settle(large(), day, money(0), used(trillionths), limit, NOW).await.unwrap();
        assert_eq!(warned().await, told, "{trillionths}");
    }
    explained.ran().await;
}

#[tokio::test]
async fn turns_are_listed_newest_first_counted_by_day_and_forgotten_when_they_are_old() {
    let (_database, client, explained) = quiet().await;
    let store = &*explained.stores.assistants;
    spoken(&store.database, true, NOW).await;
    let due = NOW + Duration::seconds(3);
    let turn = store.claim_turn(large(), due, due + Duration::MINUTE).await.unwrap().unwrap();
    let handed_over = TurnResult::HandedOver(HandOverReason::Asked);
    store.finish_turn(large(), &turn, Some(record(40_001, handed_over))).await.unwrap();
    explained.ran().await;
    let page = PageRequest { limit: PageLimit::new(1).unwrap(), after: None };
    let listed = store.turns(large(), page).await.unwrap();
    assert_eq!((listed.len(), listed[0].outcome.as_str()), (2, "handed_over"));
    assert_eq!((listed[0].reason.as_deref(), listed[0].milliseconds), (Some("customer_asked"), 30));
    let said = &listed[0];
    assert_eq!(
        (&*said.tools, &*said.acts, &*said.evidence),
        (
            &["searchProducts".to_owned()][..],
            &["quote".to_owned(), "thank".to_owned()][..],
            &["product:12".to_owned()][..]
        )
    );
    assert_eq!((said.words.as_deref(), said.objection.as_deref()), (Some("code"), Some("facts")));
    // A row of the version before, which wrote the rules that an answer broke.
    client
        .batch_execute("UPDATE assistant_turn_log SET refused = '{numbers}', acts = DEFAULT, words = NULL")
        .await
        .unwrap();
    let listed = store.turns(large(), page).await.unwrap();
    assert_eq!((&*listed[0].refused, &*listed[0].acts), (&["numbers".to_owned()][..], &[][..]));
    let usage = store.usage(large(), NOW.date()).await.unwrap();
    assert_eq!((usage[0].turns, usage[0].answered, usage[0].handed_over), (1, 0, 1));
    assert_ran_cheaply(&explained, 2).await;
    let old = store.workspaces_with_old_turns(NOW).await.unwrap();
    assert!(old.contains(&large()));
    assert!(store.forget_turns(large(), NOW).await.unwrap(), "there are more than are forgotten at once");
    explained.ran().await;
}
