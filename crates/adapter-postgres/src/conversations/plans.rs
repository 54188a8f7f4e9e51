//! How PostgreSQL runs the reading statements when a workspace is large and others lie beside it.

use std::{collections::HashSet, fmt::Display};

use domain::conversations::{ConversationFilter, ConversationStatus};
use tokio_postgres::Client;
use uuid::Uuid;

use super::{
    departures::{DEPARTED, SETTLE},
    life::{COMMIT, HELD, SCENE},
    store::{ALL, FIND, OF_CONTACT, OF_GROUP, OF_GROUP_AND_STATUS, OF_STATUS, statement},
    tags::{TAG, TAGS, UNTAG},
};
use crate::{
    explained::{Scan, scans},
    messages,
    seeded::{id, seeded_by},
    sql::positional,
    testing::Database,
};

/// A workspace of 20,000 conversations and 40,000 messages with a file each, the first conversation with 10,000 of them, beside 400 small
/// workspaces. Its closed conversations are many, its open ones few, and of group 3 only the oldest are open.
const SEED: &str = "
    CREATE FUNCTION id(kind int, number int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
        SELECT (lpad(to_hex(kind), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid $$;
    CREATE FUNCTION at(number int) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
        SELECT '2026-11-21 10:00Z'::timestamptz + (number / 3) * interval '1 second' $$;
    CREATE TABLE workspace AS SELECT n FROM generate_series(0, 400) n;
    CREATE TABLE conversation AS
        SELECT n, CASE WHEN n <= 20000 THEN 0 ELSE n % 400 + 1 END AS workspace
        FROM generate_series(1, 24000) n;
    INSERT INTO workspaces SELECT id(1, n), 'w', 'ar', 'IQ', NULL, false, now() FROM workspace;
    INSERT INTO accounts SELECT id(1, n), id(2, n), 'a', '', now(), NULL, now() FROM workspace;
    INSERT INTO channels
        SELECT id(1, n), id(3, n), 'whatsapp', id(2, n), 'n', NULL, false, now(), 0, NULL FROM workspace;
    INSERT INTO webhook_addresses
        SELECT id(1, n), id(9, n), 'https://n.example', '{}', '', 'enabled', 0, NULL, now() FROM workspace;
    INSERT INTO groups SELECT id(1, n / 10), id(4, n), 'group', now() FROM generate_series(0, 4009) n;
    INSERT INTO contacts (workspace_id, id, source, created_at)
        SELECT id(1, workspace), id(5, n), 'messaged', now() FROM conversation;
    INSERT INTO conversations
        (workspace_id, id, contact_id, channel_id, channel, status, group_id, last_message_at, created_at)
        SELECT id(1, workspace), id(6, n), id(5, n), id(3, workspace), 'whatsapp',
               CASE WHEN n % 100 = 3 AND n < 500 OR n % 100 = 17 THEN 'open'
                    WHEN n % 10 = 0 THEN 'bot' ELSE 'closed' END,
               CASE WHEN n % 20 < 10 THEN id(4, workspace * 10 + n % 10) END, now(), at(n) FROM conversation;
    INSERT INTO contact_aliases SELECT id(1, workspace), id(13, n), id(5, n) FROM conversation;
    INSERT INTO conversation_aliases SELECT id(1, workspace), id(14, n), id(6, n) FROM conversation;
    INSERT INTO messages (workspace_id, id, conversation_id, role, content, created_at)
        SELECT id(1, 0), id(7, n), id(6, CASE WHEN n <= 10000 THEN 1 ELSE n % 20000 + 1 END), 'customer',
               'text', at(n) FROM generate_series(1, 40000) n;
    INSERT INTO automation_triggers
        SELECT id(1, 0), id(7, n), n % 2 = 0, NULL, 0, 0, at(n) FROM generate_series(1, 40000) n;
    INSERT INTO members SELECT id(1, n), id(8, 0), 'o@o.example', 'owner', now() FROM workspace;
    INSERT INTO departures SELECT id(1, n), id(8, 0), id(8, 0), at(n) FROM workspace;
    INSERT INTO group_members SELECT id(1, n / 10), id(4, n), id(8, 0) FROM generate_series(0, 4009) n;
    UPDATE conversations SET last_message_at = '2026-11-21 10:00Z' WHERE id = id(6, 1);
    UPDATE conversations SET assigned_to = id(8, 0) WHERE status = 'open' AND id <= id(6, 500);
    INSERT INTO conversation_tags SELECT id(1, workspace), id(6, n), 'Vip', 'vip' FROM conversation;
    INSERT INTO attachments (workspace_id, message_id, position, kind, state, object_key, bytes)
        SELECT id(1, 0), id(7, n), 0, 'image', 'stored', 'key', 1 FROM generate_series(1, 40000) n;
    INSERT INTO uploads
        SELECT id(1, 0), id(9, n), id(8, 0), 'image', 'image/png', NULL, 'key', 1, at(n), id(7, n)
        FROM generate_series(1, 40000) n";

/// The rows of a page and the one that tells of the next.
const ROWS: u8 = 51;

async fn seeded() -> (Database, Client) {
    seeded_by(SEED).await
}

fn assert_cheap(scans: &[Scan], what: &str) {
    for scan in scans {
        assert!(!scan.kind.contains("Seq"), "{what}: {scan:?}");
        assert!(scan.rows <= ROWS.into(), "{what}: {scan:?}");
    }
    assert!(!scans.is_empty(), "{what}");
}

#[tokio::test]
async fn a_page_of_conversations_reads_its_own_rows_only_whatever_its_filter_and_depth() {
    let (_database, client) = seeded().await;
    let types = "uuid, timestamptz, uuid, timestamptz, bigint, text, uuid, uuid";
    let all = [ALL, OF_STATUS, OF_GROUP, OF_GROUP_AND_STATUS, OF_CONTACT];
    let asked: HashSet<_> = filters().map(|filter| statement(&filter)).collect();
    assert_eq!(asked, HashSet::from(all));
    for filter in filters() {
        let status = literal(filter.status.map(ConversationStatus::as_str));
        let (group, contact) = (literal(filter.group), literal(filter.contact));
        for place in ["NULL, NULL".to_owned(), place("11:00", id(6, 10_801)), place("10:01", id(6, 181))] {
            for since in ["NULL", "'2026-11-21 10:30Z'", "'2026-11-22 00:00Z'"] {
                let values =
                    format!("'{}', {place}, {since}, {ROWS}, {status}, {group}, {contact}", id(1, 0));
                let scans = scans(&client, statement(&filter), types, &values).await;
                assert_cheap(&scans, &values);
            }
        }
    }
}

/// Every combination, with groups that are large, empty and another workspace's.
fn filters() -> impl Iterator<Item = ConversationFilter> {
    let statuses = [None].into_iter().chain(ConversationStatus::ALL.map(Some));
    let groups = || [None, Some(3), Some(5), Some(77)].map(|group| group.map(|group| id(4, group).into()));
    let contacts = || [None, Some(3)].map(|contact| contact.map(|contact| id(5, contact).into()));
    statuses.flat_map(move |status| {
        groups().into_iter().flat_map(move |group| {
            contacts().map(|contact| ConversationFilter { status, contact, group, since: None })
        })
    })
}

fn literal(value: Option<impl Display>) -> String {
    value.map_or_else(|| "NULL".to_owned(), |value| format!("'{value}'"))
}

fn place(time: &str, id: Uuid) -> String {
    format!("'2026-11-21 {time}Z', '{id}'")
}

#[tokio::test]
async fn a_conversation_is_found_by_its_key() {
    let (_database, client) = seeded().await;
    let values = format!("'{}', '{}'", id(1, 0), id(6, 12_345));
    assert_cheap(&scans(&client, FIND, "uuid, uuid", &values).await, "a conversation");
}

#[tokio::test]
async fn a_move_reads_and_writes_by_keys() {
    let (_database, client) = seeded().await;
    let (workspace, long) = (id(1, 0), id(6, 1));
    let scene = format!("'{workspace}', '{long}', '{}', '{}'", id(8, 0), id(4, 3));
    assert_cheap(&scans(&client, SCENE, "uuid, uuid, uuid, uuid", &scene).await, "a scene");
    let values = format!(
        "'{workspace}', '{{}}', '{{}}', '{{}}', '{{}}', '{{}}', '{long}', 'closed', NULL, NULL, true, 2, 1,
         '2026-11-21 10:00Z', '{{{}}}', '{{NULL}}', '{{closed}}',
         '{{2026-11-21 10:00Z}}', now(), '{}', 0",
        id(9, 1),
        id(7, 12_345)
    );
    let types =
        "uuid, uuid[], uuid[], text[], bytea[], timestamptz[], uuid, text, uuid, uuid, boolean, bigint,
                 bigint, timestamptz, uuid[], text[], text[], timestamptz[], timestamptz, uuid, integer";
    assert_cheap(&scans(&client, COMMIT, types, &values).await, "a commit");
    let held = format!("'{workspace}', '{}'", id(8, 0));
    assert_cheap(&scans(&client, HELD, "uuid, uuid", &held).await, "held conversations");
    assert_cheap(&scans(&client, DEPARTED, "bigint", "50").await, "who has left");
    let settled = format!("{held}, now()");
    assert_cheap(&scans(&client, SETTLE, "uuid, uuid, timestamptz", &settled).await, "a departure");
}

#[tokio::test]
async fn tags_are_read_and_written_by_keys() {
    let (_database, client) = seeded().await;
    let (workspace, conversation) = (id(1, 0), id(6, 12_345));
    for (statement, types, rest) in
        [(TAG, "uuid, uuid, text, text, bigint", "'VIP', 'vip', 20"), (UNTAG, "uuid, uuid, text", "'vip'")]
    {
        let values = format!("'{workspace}', '{conversation}', {rest}");
        assert_cheap(&scans(&client, statement, types, &values).await, rest);
    }
    let values = format!("'{workspace}', '{{{conversation}, {}}}'", id(6, 3));
    assert_cheap(&scans(&client, TAGS, "uuid, uuid[]", &values).await, "tags");
}

#[tokio::test]
async fn a_page_of_messages_reads_its_own_rows_only_at_any_depth() {
    let (_database, client) = seeded().await;
    for place in ["NULL, NULL".to_owned(), place("10:30", id(7, 5_400))] {
        for conversation in [id(6, 1), id(6, 2), id(6, 23_000)] {
            let values = format!("'{}', {place}, {ROWS}, '{conversation}'", id(1, 0));
            let list = positional(messages::LIST);
            let scans = scans(&client, &list, "uuid, timestamptz, uuid, bigint, uuid", &values).await;
            assert_cheap(&scans, &values);
        }
    }
}
