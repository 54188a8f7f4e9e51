//! How PostgreSQL runs the statements about updates when a workspace is large and others lie beside it.

use super::{
    hold::{HOLDER, PUT_DOWN, TAKE, TAKE_OVER},
    in_flight::IN_FLIGHT,
    journal::{APPEND, CLAIM, IN_HAND, WITH_WORK},
    lookup::{MESSAGES, PEOPLE},
    merge::{DROP_CONVERSATION, LOCK_CONTACTS, LOCK_CONVERSATIONS, MERGE_CONTACTS, MERGE_CONVERSATION},
    routes::{ACCOUNT_ROUTES, NUMBER_ROUTES},
    seen::BEHIND,
    sent_messages::{COMMIT, FIND},
    settle::{FINISH, SETTLE, TAKE_OUT},
};
use std::collections::BTreeSet;

use domain::{
    contacts::{Contact, Identity},
    conversations::Conversation,
    inbound::{
        Active, Activity, ContactMerge, ConversationChange, InboxBatch, Mark, NewMessage, ports::InboxStore,
    },
    messages::{Message, NetworkMessageId, Role},
    testing::{a_contact, a_conversation, a_message, a_recipient},
};
use time::{OffsetDateTime, macros::datetime};

use crate::{
    explained::ExplainedStore,
    seeded::{
        Explained, assert_cheap, assert_cheap_planned_over_none, assert_ran_cheaply, id, put_back, seeded,
        seeded_among_many, seeded_with, set_aside,
    },
    sql::positional,
};

const AT: &str = "'2026-11-21 20:00Z'";

const NOW: OffsetDateTime = datetime!(2026-11-21 20:00 UTC);

const COMMIT_TYPES: &str =
    "uuid, uuid[], uuid[], text[], bytea[], timestamptz[], uuid[], uuid[], text[], timestamptz[],
    timestamptz[], timestamptz[], text[], text[], timestamptz[], timestamptz[], timestamptz[], bigint[], integer,
    timestamptz[], uuid[], timestamptz[], timestamptz[]";

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
        (FINISH, "uuid, uuid[], integer", &format!("'{workspace}', '{{{update}}}', 0")),
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
    let (database, client) = seeded_among_many().await;
    let (workspace, contact) = (id(1, 0), id(5, 12_345));
    assert_cheap(
        &client,
        3,
        &[
            (
                PEOPLE,
                "uuid, text[], text[], uuid[]",
                &format!(
                    "'{workspace}', '{{phone, whatsapp_user}}', '{{+12345, IQ.12345}}', '{{{}}}'",
                    id(3, 0)
                ),
            ),
            (MESSAGES, "uuid, bytea[]", &format!("'{workspace}', ARRAY[hash(-12345), hash(12345)]")),
            (
                &positional(BEHIND),
                "timestamptz, uuid, bytea, uuid, text[], timestamptz",
                &format!("NULL, '{workspace}', hash(12345), '{}', '{{sent}}', {AT}", id(6, 12_345)),
            ),
            (
                IN_FLIGHT,
                "uuid, uuid, text, text",
                &format!("'{workspace}', '{}', 'whatsapp_user', 'IQ.12345'", id(3, 0)),
            ),
        ],
    )
    .await;
    client
        .execute("UPDATE contacts SET phone = $2 WHERE id = $1", &[&contact, &a_recipient().as_str()])
        .await
        .unwrap();
    let explained = ExplainedStore::over(&database);
    let workspace = workspace.into();
    explained.store.record(workspace, &a_batch(2, 12_345)).await.unwrap();
    assert_ran_cheaply(&explained, 3);
    let met = ContactMerge {
        absorbed: Vec::new(),
        contact: a_seeded_contact(contact),
        name: Some("Sara".to_owned()),
        phone: Some(a_recipient()),
        avatar_url: None,
        identities: vec![Identity::WhatsappUser("IQ.x".to_owned())],
    };
    explained.store.merge_contacts(workspace, &met, NOW).await.unwrap();
    assert_ran_cheaply(&explained, 3);
}

/// The journal was empty when the plan was made.
#[tokio::test]
async fn what_is_recorded_leaves_the_journal_by_its_key_however_full_it_is() {
    let (database, client) = seeded().await;
    set_aside(&client, "journal").await;
    let explained = ExplainedStore::over(&database);
    let workspace = id(1, 0).into();
    assert!(explained.store.record(workspace, &a_batch(2, 12_345)).await.is_err(), "the journal is empty");
    explained.ran();
    put_back(&client, "journal").await;
    explained.store.record(workspace, &a_batch(2, 12_345)).await.unwrap();
    assert_ran_cheaply(&explained, 3);
}

/// Somebody known writes once more, and has reacted to an earlier message.
fn a_batch(version: i64, number: u128) -> InboxBatch {
    let (contact, conversation) = (id(5, number).into(), id(6, number).into());
    let conversation =
        Conversation { id: conversation, contact, channel: id(3, 0).into(), version, ..a_conversation() };
    let message = Message {
        id: id(16, number).into(),
        conversation: conversation.id,
        role: Role::Customer,
        ..a_message()
    };
    InboxBatch {
        at: NOW,
        new_contacts: Vec::new(),
        active: vec![Active {
            contact,
            activity: Activity { wrote_from: BTreeSet::from(["whatsapp"]), wrote_at: Some(NOW) },
        }],
        conversations: vec![ConversationChange {
            before_version: Some(version - 1),
            conversation,
            customer_wrote_at: Some(NOW),
            first_stamp: None,
        }],
        messages: vec![NewMessage {
            message,
            network_id: NetworkMessageId::from("wamid.new".to_owned()),
            media: Vec::new(),
            began: true,
        }],
        marks: vec![Mark {
            message: id(15, number).into(),
            reaction: Some((Some("a".to_owned()), NOW)),
            edited: None,
            deleted_at: None,
        }],
        events: Vec::new(),
        done: vec![id(8, number).into()],
    }
}

fn a_seeded_contact(id: uuid::Uuid) -> Contact {
    Contact { id: id.into(), name: None, ..a_contact() }
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
