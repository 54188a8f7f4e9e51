//! How PostgreSQL runs the reading statements when a workspace is large and others lie beside it.

use domain::{
    audit::{Action, Actor, AuditEntry},
    conversation::ConversationStatus,
    conversations::{
        Change, Command, ConversationFilter, StepOf,
        ports::{ConversationStore, ReceiptStore, TagStore},
    },
    ids::WorkspaceId,
    messages::{Message, Role},
    paging::{PageRequest, Position},
    tag::Tag,
    testing::a_message,
    vault::Vault,
};
use time::{OffsetDateTime, macros::datetime};
use tokio_postgres::Client;
use uuid::Uuid;

use super::tags::IN_USE;
use crate::{
    explained::{ExplainedStore, Plan, Scan, scans},
    messages, places,
    seeded::{id, seeded_by},
    sql::positional,
    testing::{GlassVault, TestDatabase},
};

/// A workspace of 20,000 conversations and 40,000 messages with a file each, 10,000 of them in the first
/// conversation, beside 400 small workspaces. Many conversations are closed and few are open; of group 3 only
/// the oldest are open.
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
    INSERT INTO unread_messages SELECT id(1, workspace), id(6, n), id(15, n), '' FROM conversation;
    INSERT INTO attachments (workspace_id, message_id, position, kind, state, object_key, bytes)
        SELECT id(1, 0), id(7, n), 0, 'image', 'stored', 'key', 1 FROM generate_series(1, 40000) n;
    INSERT INTO uploads
        SELECT id(1, 0), id(9, n), id(8, 0), 'image', 'image/png', NULL, 'key', 1, at(n), id(7, n)
        FROM generate_series(1, 40000) n";

const NOW: OffsetDateTime = datetime!(2026-11-22 0:00 UTC);

const ROWS: u8 = 51;

async fn seeded() -> (TestDatabase, Client, ExplainedStore) {
    let (database, client) = seeded_by(SEED).await;
    let explained = ExplainedStore::over(&database);
    (database, client, explained)
}

fn workspace() -> WorkspaceId {
    id(1, 0).into()
}

fn assert_cheap(scans: &[Scan], what: &str) {
    for scan in scans {
        assert!(!scan.kind.contains("Seq"), "{what}: {scan:?}");
        assert!(scan.rows <= ROWS.into(), "{what}: {scan:?}");
    }
    assert!(!scans.is_empty(), "{what}");
}

async fn assert_ran_cheaply(explained: &ExplainedStore, what: &str) {
    let plans = explained.ran().await;
    assert!(plans.iter().any(|plan| !plan.scans.is_empty()), "{what}: no statement has run");
    for Plan { statement, scans } in plans.iter().filter(|plan| !plan.scans.is_empty()) {
        assert_cheap(scans, &format!("{what}, {statement}"));
    }
}

#[tokio::test]
async fn a_page_of_conversations_reads_its_own_rows_only_whatever_its_filter_and_depth() {
    let (_database, _client, explained) = seeded().await;
    let place = |at, number| Some(Position { at, id: id(6, number) });
    let places =
        [None, place(datetime!(2026-11-21 11:00 UTC), 10_801), place(datetime!(2026-11-21 10:01 UTC), 181)];
    let since = [None, Some(datetime!(2026-11-21 10:30 UTC)), Some(datetime!(2026-11-22 0:00 UTC))];
    for filter in filters() {
        for after in places {
            for since in since {
                let (filter, page) =
                    (ConversationFilter { since, ..filter }, PageRequest { after, ..PageRequest::default() });
                explained.stores.conversations.list(workspace(), filter, page).await.unwrap();
                assert_ran_cheaply(&explained, &format!("{filter:?} {page:?}")).await;
            }
        }
    }
}

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

fn place(time: &str, id: Uuid) -> String {
    format!("'2026-11-21 {time}Z', '{id}'")
}

#[tokio::test]
async fn a_conversation_is_found_by_its_key() {
    let (_database, _client, explained) = seeded().await;
    assert!(explained.stores.conversations.find(workspace(), id(6, 12_345).into()).await.unwrap().is_some());
    assert_ran_cheaply(&explained, "a conversation").await;
}

#[tokio::test]
async fn what_a_network_is_told_of_what_was_read_is_found_by_keys() {
    let (_database, client, explained) = seeded().await;
    let (conversation, newest) = (id(6, 12_345).into(), id(15, 12_345).into());
    for (statement, place) in [
        (
            "UPDATE accounts SET token_sealed = $1 WHERE id = id(2, 0)",
            places::token(workspace(), id(2, 0).into()),
        ),
        (
            "UPDATE unread_messages SET network_id_sealed = $1 WHERE conversation_id = id(6, 12345)",
            places::unread_message(workspace(), conversation),
        ),
    ] {
        let sealed = GlassVault.seal(b"wamid", &place).unwrap();
        assert_eq!(client.execute(statement, &[&sealed]).await.unwrap(), 1);
    }
    let conversations = &explained.stores.conversations;
    assert!(conversations.typing_mark(workspace(), conversation).await.unwrap().is_some());
    assert_ran_cheaply(&explained, "a mark of typing").await;
    assert!(conversations.take_receipt(workspace(), conversation, newest).await.unwrap().is_some());
    assert_ran_cheaply(&explained, "a receipt").await;
}

#[tokio::test]
async fn a_move_reads_and_writes_by_keys() {
    let (_database, _client, explained) = seeded().await;
    let (long, member) = (id(6, 1), id(8, 0).into());
    let command = Command::SendToMember(id(4, 3).into(), member);
    let context = explained
        .stores
        .conversations
        .decision_context(workspace(), long.into(), command)
        .await
        .unwrap()
        .unwrap();
    assert_ran_cheaply(&explained, "a context").await;
    let at = NOW;
    let message = Message {
        id: id(9, 1).into(),
        conversation: long.into(),
        role: Role::System,
        content: "closed".to_owned(),
        created_at: at,
        ..a_message()
    };
    let mut conversation = context.conversation;
    let change = Change {
        before_version: conversation.version,
        before_last_message_at: conversation.last_message_at,
        step: Some(StepOf { message: id(7, 12_345).into(), place: 0 }),
        returns_unanswered: true,
        says: None,
        at,
        conversation: {
            conversation.status = ConversationStatus::Closed;
            conversation.version += 1;
            conversation
        },
        system_messages: vec![message],
        events: Vec::new(),
    };
    explained.stores.conversations.commit(workspace(), &change).await.unwrap();
    assert_ran_cheaply(&explained, "a commit").await;
    explained.stores.conversations.held_by(workspace(), member).await.unwrap();
    assert_ran_cheaply(&explained, "held conversations").await;
    assert_eq!(explained.stores.conversations.departures(50).await.unwrap().len(), 50);
    assert_ran_cheaply(&explained, "who has left").await;
    explained.stores.conversations.settle_departure(workspace(), member, at).await.unwrap();
    assert_ran_cheaply(&explained, "a departure").await;
}

#[tokio::test]
async fn tags_are_read_and_written_by_keys() {
    let (_database, client, explained) = seeded().await;
    let large = id(1, 0);
    let values = format!("'{large}', 200");
    assert_cheap(&scans(&client, &positional(IN_USE), "uuid, bigint", &values).await, IN_USE);
    let (conversation, other) = (id(6, 12_345).into(), id(6, 3).into());
    let tag = Tag::read("Late").unwrap();
    explained.stores.conversations.tag(workspace(), conversation, &tag, 20, None).await.unwrap();
    assert_ran_cheaply(&explained, "tagging").await;
    let tags = explained.stores.conversations.tags(workspace(), &[conversation, other]).await.unwrap();
    assert_eq!(tags, [vec!["Late", "Vip"], vec!["Vip"]]);
    assert_ran_cheaply(&explained, "tags").await;
    let used = explained.stores.conversations.tags_in_use(workspace(), 200).await.unwrap();
    assert!(used.contains(&"Late".to_owned()) && used.contains(&"Vip".to_owned()), "{used:?}");
    assert_ran_cheaply(&explained, "tags in use").await;
    assert!(
        explained.stores.conversations.untag(workspace(), conversation, &tag, &an_entry()).await.unwrap()
    );
    assert_ran_cheaply(&explained, "untagging").await;
}

fn an_entry() -> AuditEntry {
    AuditEntry {
        id: id(15, 1).into(),
        actor: Actor::Operator,
        address: None,
        action: Action::ConversationUntagged,
        subject: None,
        details: serde_json::Map::new(),
        at: NOW,
    }
}

#[tokio::test]
async fn a_page_of_messages_reads_its_own_rows_only_at_any_depth() {
    let (_database, client, _) = seeded().await;
    for place in ["NULL, NULL".to_owned(), place("10:30", id(7, 5_400))] {
        for conversation in [id(6, 1), id(6, 2), id(6, 23_000)] {
            let values = format!("'{}', {place}, {ROWS}, '{conversation}'", id(1, 0));
            let list = positional(messages::LIST);
            let scans = scans(&client, &list, "uuid, timestamptz, uuid, bigint, uuid", &values).await;
            assert_cheap(&scans, &values);
        }
    }
}
