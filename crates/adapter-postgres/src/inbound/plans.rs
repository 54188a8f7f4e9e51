//! How PostgreSQL runs the statements about updates when a workspace is large and others lie beside it.

use super::{
    hold::{HOLDER, PUT_DOWN, TAKE, TAKE_OVER},
    in_flight::IN_FLIGHT,
    journal::{APPEND, CLAIM, IN_HAND, WITH_WORK},
    lookup::{MESSAGES, PEOPLE},
    merge::{DROP_CONVERSATION, LOCK_CONTACTS, LOCK_CONVERSATIONS, MEET, MERGE_CONTACTS, MERGE_CONVERSATION},
    record::RECORD,
    routes::{ACCOUNT_ROUTES, NUMBER_ROUTES},
    seen::BEHIND,
    sent_messages::{COMMIT, FIND},
    settle::{SETTLE, TAKE_OUT},
};
use crate::seeded::{
    Explained, assert_cheap, assert_cheap_planned_over_none, id, seeded, seeded_among_many, seeded_with,
};

const AT: &str = "'2026-11-21 20:00Z'";

const COMMIT_TYPES: &str =
    "uuid, uuid[], uuid[], text[], bytea[], timestamptz[], uuid[], uuid[], text[], timestamptz[],
    timestamptz[], timestamptz[], text[], text[], timestamptz[], timestamptz[], timestamptz[], bigint[], integer,
    timestamptz[], uuid[], timestamptz[], timestamptz[]";

const RECORD_TYPES: &str =
    "uuid, uuid[], uuid[], text[], bytea[], timestamptz[], jsonb, jsonb, jsonb, jsonb, jsonb, jsonb, uuid[], bigint,
     bigint, jsonb, integer";

/// Twenty messages that were sent are delivered.
fn twenty_statuses() -> String {
    let all = |value: &str, kind: &str| format!("array_fill({value}::{kind}, ARRAY[20])");
    let none = all("NULL", "timestamptz");
    let (at, delivered, sent) = (all(AT, "timestamptz"), all("'delivered'", "text"), all("'sent'", "text"));
    let error = all("NULL", "text");
    format!(
        "'{}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', ids(8, 12301, 20), ids(7, 12301, 20),
         {delivered}, {at}, {none}, {none}, {error}, {sent}, {none}, {none}, {none}, {}, 0, {at},
         ids(6, 12301, 20), {at}, {at}",
        id(1, 0),
        all("NULL", "bigint")
    )
}

/// Twenty statuses, each by a tag that is known or not and by the network's id.
#[tokio::test]
async fn sent_messages_are_found_and_changed_by_their_keys() {
    let (_database, client) = seeded_among_many().await;
    let workspace = id(1, 0);
    let find = "uuid, uuid[], bytea[]";
    assert_cheap(
        &client,
        40,
        &[
            (FIND, find, &format!("'{workspace}', ids(7, 12301, 20), hashes(12302, 20)")),
            (FIND, find, &format!("'{workspace}', '{{}}', hashes(12301, 20)")),
            (FIND, find, &format!("'{workspace}', ARRAY['{}'::uuid], ARRAY[hash(30000)]", id(7, 12_345))),
            (COMMIT, COMMIT_TYPES, &twenty_statuses()),
        ],
    )
    .await;
    let commit = (COMMIT, COMMIT_TYPES, &*twenty_statuses());
    assert_cheap_planned_over_none(&client, "journal", 40, &[commit]).await;
}

/// All 20,000 wait in their places, but for the last thousand, which have lost them and are due; the first hundred are
/// in hand.
#[tokio::test]
async fn updates_are_claimed_and_finished_without_reading_those_behind() {
    let (_database, client) = seeded_with(
        "UPDATE journal SET due_at = NULL WHERE place <= 19000 OR place > 20000;
         UPDATE journal SET holder = 7 WHERE place <= 20;
         INSERT INTO journal_hands SELECT id(1, n), 7 FROM workspace;
         ANALYZE journal, journal_hands",
    )
    .await;
    let (workspace, update) = (id(1, 0), id(8, 12_345));
    let statements: &[Explained<'_>] = &[
        (
            CLAIM,
            "uuid, timestamptz, timestamptz, bigint, integer",
            &format!("'{workspace}', {AT}, '2026-11-21 20:01Z', 50, 7"),
        ),
        (
            SETTLE,
            "uuid, uuid[], uuid[], timestamptz[], integer",
            &format!("'{workspace}', '{{{update}}}', '{{{}}}', ARRAY[{AT}::timestamptz], 0", id(8, 1)),
        ),
        (TAKE_OUT, "uuid, uuid[], integer", &format!("'{workspace}', '{{{update}}}', 0")),
        (IN_HAND, "uuid, uuid[], integer", &format!("'{workspace}', ids(8, 1, 30), 7")),
        (
            APPEND,
            "uuid, uuid[], text[], bytea[], integer[], timestamptz[], integer, boolean[]",
            &format!(
                "'{workspace}', '{{{}}}', '{{status}}', ARRAY[''::bytea], '{{0}}', ARRAY[{AT}::timestamptz], 7,
                     '{{true}}'",
                id(99, 1)
            ),
        ),
        (HOLDER, "uuid", &format!("'{workspace}'")),
        (TAKE, "uuid, integer", &format!("'{workspace}', 8")),
        (TAKE_OVER, "uuid, integer, integer", &format!("'{workspace}', 7, 8")),
        (PUT_DOWN, "uuid, integer", &format!("'{workspace}', 7")),
    ];
    assert_cheap(&client, 100, statements).await;
    assert_cheap_planned_over_none(&client, "journal", 100, statements).await;
}

#[tokio::test]
async fn a_few_looks_for_each_workspace_tell_which_have_updates() {
    let (_database, client) = seeded().await;
    assert_cheap(&client, 401, &[(WITH_WORK, "timestamptz, integer", &format!("{AT}, 7"))]).await;
}

/// Everything about one message, however many people, conversations and messages there are.
#[tokio::test]
async fn recording_reads_and_changes_by_keys_only() {
    let (_database, client) = seeded_among_many().await;
    let (workspace, contact, conversation) = (id(1, 0), id(5, 12_345), id(6, 12_345));
    let none = "'{}', '{}', '{}', '{}', '{}'";
    let record = format!(
        r#"'{workspace}', {none}, '[]', '[]',
         '[{{"id": "{contact}", "active_month": "2026-11-01", "channels": ["whatsapp"]}}]',
         '[{{"id": "{conversation}", "before_version": 1, "status": "bot", "announced": true, "version": 2,
             "last_message_at": "2026-11-21T20:00:00Z"}}]',
         '[{{"id": "{}", "conversation": "{conversation}", "role": "customer", "content": "text",
             "network_id_hash": "00ff", "created_at": "2026-11-21T20:00:00Z", "began": true}}]',
         '[{{"id": "{}", "reaction": "a", "reacted_at": "2026-11-21T20:00:00Z"}}]',
         '{{{}}}', 1, 1, '[]', 0"#,
        id(16, 1),
        id(15, 12_345),
        id(8, 12_345),
    );
    assert_cheap(
        &client,
        3,
        &[
            (
                PEOPLE,
                "uuid, text[], text[], uuid[]",
                &format!("'{workspace}', '{{phone, whatsapp_user}}', '{{+12345, IQ.12345}}', '{{{}}}'", id(3, 0)),
            ),
            (MESSAGES, "uuid, bytea[]", &format!("'{workspace}', ARRAY[hash(-12345), hash(12345)]")),
            (
                MEET,
                "uuid, uuid, text, text, text, text, text, text, text[], text[], timestamptz",
                &format!(
                    "'{workspace}', '{contact}', '+12345', NULL, 'Sara', '+12345', NULL, 'sara', '{{whatsapp_user}}',
                     '{{IQ.x}}', {AT}"
                ),
            ),
            (
                BEHIND,
                "uuid, uuid, text[], timestamptz, bytea, timestamptz",
                &format!("'{workspace}', '{conversation}', '{{sent}}', NULL, hash(12345), {AT}"),
            ),
            (
                IN_FLIGHT,
                "uuid, uuid, text, text",
                &format!("'{workspace}', '{}', 'whatsapp_user', 'IQ.12345'", id(3, 0)),
            ),
            (RECORD, RECORD_TYPES, &record),
        ],
    )
    .await;
    assert_cheap_planned_over_none(&client, "journal", 3, &[(RECORD, RECORD_TYPES, &record)]).await;
}

/// One of two has written over a second number as well, and there nothing refers to their conversation.
#[tokio::test]
async fn people_and_conversations_become_one_by_keys() {
    let (_database, client) = seeded().await;
    client
        .batch_execute(
            "INSERT INTO channels
                 VALUES (id(1, 0), id(3, 500), 'whatsapp', id(2, 0), 'n500', '+1', false, now(), 1, NULL);
             UPDATE conversations SET channel_id = id(3, 500) WHERE id = id(6, 12346);
             INSERT INTO conversations
                 (workspace_id, id, contact_id, channel_id, channel, status, last_message_at, created_at)
                 VALUES (id(1, 0), id(6, 30000), id(5, 12347), id(3, 500), 'whatsapp', 'bot', now(), now());
             INSERT INTO conversation_tags SELECT workspace, id(6, n), 'Vip', 'vip' FROM row;
             ANALYZE conversation_tags",
        )
        .await
        .unwrap();
    assert_cheap(
        &client,
        2,
        &[
            (LOCK_CONTACTS, "uuid, uuid[]", "id(1, 0), ids(5, 12345, 2)"),
            (LOCK_CONVERSATIONS, "uuid, uuid[]", "id(1, 0), ids(5, 12345, 2)"),
            (MERGE_CONVERSATION, "uuid, uuid, uuid", "id(1, 0), id(6, 12346), id(6, 12345)"),
            (DROP_CONVERSATION, "uuid, uuid", "id(1, 0), id(6, 30000)"),
            (MERGE_CONTACTS, "uuid, uuid, uuid[]", "id(1, 0), id(5, 12345), ids(5, 12346, 1)"),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_post_s_numbers_and_accounts_are_found_by_their_keys() {
    let (_database, client) = seeded().await;
    client
        .batch_execute(
            "INSERT INTO channel_routes SELECT 'n' || n, id(1, n % 400), id(3, n % 400) FROM generate_series(1, 20000) n;
             INSERT INTO account_routes SELECT 'a' || n, id(1, n % 400), id(2, n % 400) FROM generate_series(1, 20000) n;
             ANALYZE channel_routes, account_routes",
        )
        .await
        .unwrap();
    assert_cheap(
        &client,
        2,
        &[
            (NUMBER_ROUTES, "text[]", "ARRAY['n12345', 'n12346', 'unknown']"),
            (ACCOUNT_ROUTES, "text[]", "ARRAY['a12345', 'unknown']"),
        ],
    )
    .await;
}

/// So that a status changes a send where it is, whatever indexes there are.
#[tokio::test]
async fn no_index_says_what_became_of_a_send() {
    let (_database, client) = seeded().await;
    let named = "SELECT DISTINCT attname::text FROM pg_index index
        JOIN pg_depend depends ON depends.classid = 'pg_class'::regclass AND depends.objid = index.indexrelid
         AND depends.refobjid = index.indrelid
        JOIN pg_attribute named ON named.attrelid = index.indrelid AND named.attnum = depends.refobjsubid
        WHERE index.indrelid = 'sends'::regclass";
    let rows = client.query(named, &[]).await.unwrap();
    let columns: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert!(columns.iter().any(|column| column == "network_id_hash"), "{columns:?}");
    for changing in ["status", "delivered_at", "read_at", "failed_at", "error", "error_code"] {
        assert!(columns.iter().all(|column| column != changing), "an index names {changing}");
    }
}
