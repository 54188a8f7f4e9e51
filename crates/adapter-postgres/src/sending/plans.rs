//! How PostgreSQL runs the ledger's statements when a workspace is large and others lie beside it.

use super::{
    RELEASE, TOKEN,
    begin::HOLDER,
    catalogue::CATALOGUE,
    conversation::CONVERSATIONS,
    record::{ENTRY, SETTLE, SETTLE_NOTICES},
    reply::{CONVERSATION_OF, REFUSE, REPLY_CONTEXT},
};
use domain::{
    sending::{
        ConversationEntry, Intent, KeyClaim, Reply,
        ports::{ReserveOutcome, SendLedger, SendReservation},
    },
    testing::{a_reply_intent, an_intent},
    workspaces::Month,
};
use time::{OffsetDateTime, macros::datetime};

use crate::{
    explained::ExplainedStore,
    seeded::{assert_cheap, assert_ran_cheaply, id, seeded, seeded_among_many},
};

const NOW: OffsetDateTime = datetime!(2026-11-21 20:00 UTC);

const AT: &str = "'2026-11-21 20:00Z'";

#[tokio::test]
async fn what_a_send_needs_is_found_by_its_keys() {
    let (_database, client) = seeded_among_many().await;
    let workspace = id(1, 0);
    let of = |kind| format!("'{workspace}', '{}'", id(kind, 12_345));
    let conversation = of(6);
    assert_cheap(
        &client,
        2,
        &[
            (CATALOGUE, "uuid, text", &format!("'{workspace}', 'template 19500'")),
            (HOLDER, "uuid, bytea", &format!("'{workspace}', hash(12345)")),
            (CONVERSATION_OF, "uuid, uuid, uuid", &format!("{conversation}, '{}'", id(7, 12_345))),
            (REPLY_CONTEXT, "uuid, uuid, uuid", &format!("{conversation}, '{}'", id(10, 0))),
            (ENTRY, "uuid, uuid", &of(7)),
            (TOKEN, "uuid, uuid", &format!("'{workspace}', '{}'", id(2, 0))),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_send_is_begun_and_taken_back_by_its_keys() {
    let (_database, client) = seeded_among_many().await;
    let (workspace, send) = (id(1, 0), id(7, 1));
    assert_cheap(
        &client,
        2,
        &[
            (
                REFUSE,
                "uuid, uuid, timestamptz, text, bigint",
                &format!("'{workspace}', '{send}', {AT}, 'no', 131047"),
            ),
            (RELEASE, "uuid, uuid[]", &format!("'{workspace}', '{{{send}}}'")),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_send_takes_its_file_and_lets_it_go_by_its_keys() {
    let (_database, client) = seeded().await;
    let (workspace, send) = (id(1, 0), id(7, 1));
    assert_cheap(
        &client,
        2,
        &[
            (RELEASE, "uuid, uuid[]", &format!("'{workspace}', '{{{send}}}'")),
            (
                CONVERSATION_OF,
                "uuid, uuid, uuid",
                &format!("'{workspace}', '{}', '{}'", id(6, 12_345), id(7, 12_345)),
            ),
        ],
    )
    .await;
}

/// `value`, ten times.
fn ten(value: &str, kind: &str) -> String {
    format!("array_fill({value}::{kind}, ARRAY[10])")
}

/// Ten of each, to people who are known and to people who are not.
#[tokio::test]
async fn sends_are_begun_and_settled_together_by_their_keys() {
    let (_database, client) = seeded_among_many().await;
    client
        .batch_execute(
            "UPDATE sends SET state = 'in_flight' WHERE id = ANY(ids(7, 12301, 10));
             DELETE FROM messages WHERE id = ANY(ids(7, 12301, 10))",
        )
        .await
        .unwrap();
    let (workspace, channel) = (id(1, 0), format!("'{}'", id(3, 0)));
    let owed = [
        format!("'{workspace}', ids(9, 30001, 10)"),
        ten(&format!("'{}'", id(4, 0)), "uuid"),
        [ten("'message.sent'", "text"), ten("''", "bytea"), ten(AT, "timestamptz")].join(", "),
        "ids(7, 12301, 10), ids(7, 12301, 10), hashes(40001, 10)".to_owned(),
        [ten("''", "bytea"), ten(AT, "timestamptz")].join(", "),
    ]
    .join(", ");
    let kept = |contacts: &str, conversations: &str, new: &str, phones: &str| {
        [
            owed.clone(),
            format!("{contacts}, {}, {}, {phones}", ten(new, "bool"), ten("'n'", "text")),
            [ten("'import'", "text"), ten("'2026-11-01'", "date"), ten(AT, "timestamptz")].join(", "),
            format!(
                "{}, {conversations}, {}, {}",
                ten("'n'", "text"),
                ten(new, "bool"),
                ten(&channel, "uuid")
            ),
            [ten("'whatsapp'", "text"), ten("'bot'", "text"), ten(AT, "timestamptz")].join(", "),
            [ten(AT, "timestamptz"), ten("'team'", "text"), ten("NULL", "text")].join(", "),
            [ten("'text'", "text"), ten("'t'", "text"), ten("'ar'", "text"), ten("'r'", "text")].join(", "),
            ten(AT, "timestamptz"),
        ]
        .join(", ")
    };
    let known = kept("ids(5, 12301, 10)", "ids(6, 12301, 10)", "false", &ten("'+1'", "text"));
    let phones = "(ids(5, 1, 10))::text[]";
    let new = kept("ids(5, 30001, 10)", "ids(6, 30001, 10)", "true", phones);
    let settle_types =
        "uuid, uuid[], uuid[], text[], bytea[], timestamptz[], uuid[], uuid[], bytea[], bytea[],
         timestamptz[]";
    let notice_types = format!(
        "{settle_types}, uuid[], bool[], text[], text[], text[], date[], timestamptz[], text[], uuid[], bool[],
         uuid[], text[], text[], timestamptz[], timestamptz[], text[], text[], text[], text[], text[], text[],
         timestamptz[]"
    );
    assert_cheap(
        &client,
        20,
        &[
            (SETTLE, settle_types, &owed),
            (SETTLE_NOTICES, &notice_types, &known),
            (SETTLE_NOTICES, &notice_types, &new),
            (
                CONVERSATIONS,
                "uuid, uuid[], text[]",
                &format!(
                    "'{workspace}', {}, ARRAY['+1', '+2', '+3', '+4', '+5', '+6', '+7', '+8', '+9', '+x']",
                    ten(&channel, "uuid")
                ),
            ),
        ],
    )
    .await;
}

/// A hundred are active.
#[tokio::test]
async fn a_place_under_a_plan_is_taken_by_counting_who_is_active_and_nobody_else() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let reservation =
        SendReservation { limit: Some((Month::of(NOW), 1000)), ..a_reservation(30_000, Some([9; 32])) };
    let outcome = SendLedger::begin(&explained.store, id(1, 0).into(), &reservation).await.unwrap();
    assert!(matches!(outcome, ReserveOutcome::Started), "{outcome:?}");
    assert_ran_cheaply(&explained, 100);
}

/// With and without keys, and with one that another holds.
#[tokio::test]
async fn sends_are_begun_by_their_keys() {
    let (database, _client) = seeded_among_many().await;
    let explained = ExplainedStore::over(&database);
    let free =
        SendLedger::begin(&explained.store, id(1, 0).into(), &a_reservation(30_001, None)).await.unwrap();
    let claimed = SendLedger::begin(&explained.store, id(1, 0).into(), &a_reservation(30_002, Some([9; 32])))
        .await
        .unwrap();
    assert!(matches!((free, claimed), (ReserveOutcome::Started, ReserveOutcome::Started)));
    let taken = SendLedger::begin(&explained.store, id(1, 0).into(), &a_reservation(30_003, Some([9; 32])))
        .await
        .unwrap();
    assert!(matches!(taken, ReserveOutcome::KeyTaken(_)));
    assert_ran_cheaply(&explained, 2);
}

#[tokio::test]
async fn a_reply_takes_its_file_by_its_key() {
    let (database, _client) = seeded().await;
    let explained = ExplainedStore::over(&database);
    let intent = a_reply_intent();
    let Some(reply) = intent.conversation_entry.reply().cloned() else { panic!("no reply") };
    let reply = Reply {
        conversation: id(6, 12_345).into(),
        contact: id(5, 12_345).into(),
        author: id(10, 0).into(),
        upload: Some(id(21, 12_345).into()),
        ..reply
    };
    let reservation = SendReservation {
        intent: Intent {
            conversation_entry: ConversationEntry::Reply(reply),
            created_at: datetime!(2026-11-21 13:00 UTC),
            ..a_reservation(30_004, None).intent
        },
        ..a_reservation(30_004, None)
    };
    let outcome = SendLedger::begin(&explained.store, id(1, 0).into(), &reservation).await.unwrap();
    assert!(matches!(outcome, ReserveOutcome::Started), "{outcome:?}");
    assert_ran_cheaply(&explained, 2);
}

fn a_reservation(number: u128, key: Option<[u8; 32]>) -> SendReservation {
    let intent = Intent {
        id: id(7, number).into(),
        workspace: id(1, 0).into(),
        channel: id(3, 0).into(),
        created_at: NOW,
        ..an_intent()
    };
    SendReservation {
        intent,
        key: key.map(|key_hash| KeyClaim { key_hash, request_hash: [1; 32] }),
        limit: None,
    }
}
