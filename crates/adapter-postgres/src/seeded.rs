//! For tests: a large ledger, journal and queue.

use domain::{
    audit::{Acting, Action, AuditEntry},
    testing::SequentialIds,
};
use ring::digest::{SHA256, digest};
use time::{OffsetDateTime, macros::datetime};
use tokio_postgres::Client;
use uuid::Uuid;

use crate::{
    explained::{ExplainedStore, Plan, Scan, client, scans, scans_planned_over_none},
    sql::positional,
    testing::TestDatabase,
};

/// A workspace of 20,000 people, each with a conversation, a message, a settled send, its key, an update and
/// a delivery, every two hundredth active this month, beside `SMALL` small ones. Number 1 of its sends is
/// under way. Each workspace has an owner, twenty agents, and ten groups of two of them.
const SEED: &str = "
    CREATE FUNCTION id(kind int, number int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
        SELECT (lpad(to_hex(kind), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid $$;
    CREATE FUNCTION hash(number int) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
        SELECT sha256(number::text::bytea) $$;
    CREATE FUNCTION ids(kind int, first int, count int) RETURNS uuid[] LANGUAGE sql IMMUTABLE AS $$
        SELECT array_agg(id(kind, n)) FROM generate_series(first, first + count - 1) n $$;
    CREATE FUNCTION hashes(first int, count int) RETURNS bytea[] LANGUAGE sql IMMUTABLE AS $$
        SELECT array_agg(hash(n)) FROM generate_series(first, first + count - 1) n $$;
    CREATE FUNCTION times(first int, count int) RETURNS timestamptz[] LANGUAGE sql IMMUTABLE AS $$
        SELECT array_agg('2026-11-21 10:00Z'::timestamptz + n * interval '1 second')
        FROM generate_series(first, first + count - 1) n $$;
    CREATE TABLE delivery_log_20261121 PARTITION OF delivery_log
        FOR VALUES FROM ('2026-11-21 00:00Z') TO ('2026-11-22 00:00Z');
    CREATE TABLE delivery_log_20261122 PARTITION OF delivery_log
        FOR VALUES FROM ('2026-11-22 00:00Z') TO ('2026-11-23 00:00Z');
    CREATE TABLE delivery_attempts_20261121 PARTITION OF delivery_attempts
        FOR VALUES FROM ('2026-11-21 00:00Z') TO ('2026-11-22 00:00Z');
    CREATE TABLE delivery_attempts_20261122 PARTITION OF delivery_attempts
        FOR VALUES FROM ('2026-11-22 00:00Z') TO ('2026-11-23 00:00Z');
    CREATE TABLE workspace AS SELECT n FROM generate_series(0, SMALL) n;
    CREATE TABLE row AS
        SELECT n, id(1, CASE WHEN n <= 20000 THEN 0 ELSE n % SMALL + 1 END) AS workspace,
               CASE WHEN n <= 20000 THEN 0 ELSE n % SMALL + 1 END AS number,
               '2026-11-21 10:00Z'::timestamptz + n * interval '1 second' AS at
        FROM generate_series(1, 24000) n;
    INSERT INTO workspaces SELECT id(1, n), 'w', 'ar', 'IQ', NULL, false, now() FROM workspace;
    INSERT INTO members SELECT id(1, n), id(10, n), 'o@o.example', 'owner', now(), NULL FROM workspace;
    INSERT INTO members (workspace_id, id, email, role, created_at, password_hash, totp_sealed)
        SELECT id(1, n / 20), id(17, n), 'a' || n || '@a.example', 'agent', now(), '', ''
        FROM generate_series(0, 20 * SMALL + 19) n;
    INSERT INTO automations
        SELECT id(1, n / 2), id(13, n), 'rule ' || n, id(10, n / 2), true, '{}', now()
        FROM generate_series(0, 2 * SMALL + 1) n;
    INSERT INTO conversation_settings
        SELECT id(1, n), jsonb_build_object('week', repeat('09:00', 300)), 60, 60 FROM workspace;
    INSERT INTO accounts SELECT id(1, n), id(2, n), 'a', '', now(), NULL, now() FROM workspace;
    INSERT INTO channels
        SELECT id(1, n), id(3, n), 'whatsapp', id(2, n), 'n', '+9647', false, now(), 0, NULL FROM workspace;
    INSERT INTO webhook_addresses
        SELECT id(1, n), id(4, n), 'https://n.example', '{}', '', 'enabled', 0, NULL, now() FROM workspace;
    INSERT INTO api_keys SELECT hash(n), id(12, n), workspace, id(10, number), '', '{}', at, NULL FROM row;
    INSERT INTO rate_windows SELECT id(12, n), at, 1 FROM row;
    INSERT INTO groups SELECT id(1, n / 10), id(11, n), 'group', now() FROM generate_series(0, 10 * SMALL + 9) n;
    INSERT INTO group_members SELECT id(1, n / 20), id(11, n / 2), id(17, n) FROM generate_series(0, 20 * SMALL + 19) n;
    INSERT INTO templates
        SELECT workspace, id(2, number), 'template ' || n, 'ar', 'n', 'UTILITY', 'approved', NULL, '{}', NULL, NULL
        FROM row WHERE n > 19000;
    INSERT INTO contacts (workspace_id, id, phone, source, active_month, created_at)
        SELECT workspace, id(5, n), '+' || n, 'messaged',
               CASE WHEN n % 200 = 0 THEN date '2026-11-01' ELSE date '2026-10-01' END, at FROM row;
    INSERT INTO conversations
        (workspace_id, id, contact_id, channel_id, channel, status, group_id, last_message_at, created_at)
        SELECT workspace, id(6, n), id(5, n), id(3, number), 'whatsapp', 'bot', id(11, number * 10), at, at
        FROM row;
    INSERT INTO contact_aliases SELECT workspace, id(13, n), id(5, n) FROM row;
    INSERT INTO conversation_aliases SELECT workspace, id(14, n), id(6, n) FROM row;
    INSERT INTO identities SELECT workspace, 'whatsapp_user', 'IQ.' || n, id(5, n), at FROM row;
    INSERT INTO sends (workspace_id, id, channel_id, state, network_id_hash, contact_id, conversation_id,
                       notice_content, created_at, settled_at)
        SELECT workspace, id(7, n), id(3, number), CASE WHEN n > 1 THEN 'sent' ELSE 'in_flight' END, hash(n),
               id(5, n), id(6, n), CASE WHEN n = 1 THEN 'text' END, at, at FROM row;
    INSERT INTO messages (workspace_id, id, conversation_id, role, content, created_at)
        SELECT workspace, id(7, n), id(6, n), 'team', 'text', at FROM row WHERE n > 1;
    INSERT INTO messages (workspace_id, id, conversation_id, role, content, created_at, network_id_hash)
        SELECT workspace, id(15, n), id(6, n), 'customer', 'text', at, hash(-n) FROM row;
    INSERT INTO uploads
        SELECT workspace, id(20, n), id(10, number), 'image', 'image/png', NULL, '', 1, at, id(7, n) FROM row;
    INSERT INTO uploads
        SELECT workspace, id(21, n), id(10, number), 'image', 'image/png', NULL, '', 1, at, NULL FROM row;
    INSERT INTO idempotency_keys SELECT workspace, hash(n), hash(n), id(7, n), at FROM row;
    INSERT INTO plan_reservations
        SELECT workspace, (date '2026-09-01' + (n % 3) * interval '1 month')::date, '+' || n, id(7, n) FROM row
        WHERE n < 60 OR n > 20000;
    INSERT INTO journal SELECT workspace, id(8, n), 'status', '', 0, at, at FROM row;
    INSERT INTO delivery_log
        SELECT workspace, id(9, n), id(4, number), 'message.sent', '',
               CASE WHEN n % 100 = 0 THEN 'failed' END, at FROM row;
    INSERT INTO delivery_attempts
        SELECT workspace, id(9, n), 1, at, 1, 500, 'status 500', NULL, at FROM row WHERE n % 100 = 0;
    INSERT INTO delivery_queue
        SELECT workspace, id(9, n), id(4, number), 1, at, NULL, at FROM row WHERE n % 100 <> 0;
    INSERT INTO systems
        SELECT id(1, n), id(22, n), 'https://n.example', '', 'n', 'IQD', '{}', 'active', NULL, 0, 0, 0,
               CASE WHEN n % 10 = 0 THEN '2026-11-21 10:00Z'::timestamptz END, NULL, now(), now(), now(), 0
        FROM workspace;
    INSERT INTO model_keys SELECT id(1, n), id(29, n), '', now(), NULL FROM workspace;
    INSERT INTO leads SELECT workspace, id(24, n), NULL, NULL, CASE WHEN n % 100 = 0 THEN 'waiting' ELSE 'told' END,
               '', 1, CASE WHEN n % 100 = 0 THEN at END, at FROM row;
    INSERT INTO drafts
        SELECT workspace, id(25, n), id(6, n), 'order', CASE WHEN n % 100 = 0 THEN 'open' ELSE 'confirmed' END, 'ar', '',
               id(7, n), id(17, 1), id(22, number), hash(n), hash(n), CASE WHEN n % 100 = 0 THEN at END, NULL, at, false, at,
               at + interval '30 minutes' FROM row;
    INSERT INTO prepared_replies
        SELECT workspace, id(26, n), id(6, n), id(17, 1), '', id(25, n), at, at + interval '30 minutes' FROM row;
    INSERT INTO commitments
        SELECT workspace, id(27, n), id(25, n), id(6, n), id(7, n), 'k' || n, CASE WHEN n % 100 = 1 THEN 'asked' ELSE 'done' END,
               1, CASE WHEN n % 100 = 1 THEN at END, at, NULL FROM row WHERE n % 100 <> 0;
    INSERT INTO assistants SELECT id(1, n), 'on', '{\"test_numbers\": [], \"instructions\": \"\", \"facts\": [],
               \"languages\": [\"ar\"], \"name\": null, \"tone\": null, \"tools\": null}', NULL, 1000000, now() FROM workspace;
    INSERT INTO assistant_turns
        SELECT workspace, id(6, n), CASE WHEN n % 100 = 0 THEN at END, NULL, CASE WHEN n % 100 = 0 THEN at END, 1, NULL, NULL,
               NULL, '2026-11-21', 1 FROM row;
    INSERT INTO assistant_turn_log
        SELECT workspace, id(28, n), id(6, n), 'answered', NULL, '{}', '{}', 1, 1, 1, at FROM row;
    INSERT INTO assistant_usage SELECT id(1, n), '2026-11-21', 1, 1, 0, 10, 10, 0 FROM workspace;
    INSERT INTO knowledge_documents
        SELECT id(1, n), id(31, n), 'Policy', 'text', 100, 2, NULL, now() FROM workspace;
    INSERT INTO knowledge_passages
        SELECT id(1, n), id(31, n), number, 'Delivery', ARRAY['We deliver.', 'In two days.'] FROM workspace, generate_series(1, 2) number;
    INSERT INTO synonyms SELECT id(1, n), ARRAY['a' || chr(9) || 'b', 'c' || chr(9) || 'd'], now() FROM workspace;
    INSERT INTO system_calls
        SELECT workspace, id(23, n), 'GET /verify', 'answered', 200, 1, 1, '{}', NULL, at FROM row;
    INSERT INTO webhook_resends SELECT workspace, id(13, n), id(4, number), at, at, 1, 0, NULL, NULL, at, at, NULL
        FROM row WHERE n % 10 = 0";

/// A statement, the types of its parameters, and their values, as SQL writes them; empty without parameters.
pub(crate) type Explained<'a> = (&'a str, &'a str, &'a str);

pub(crate) async fn seeded() -> (TestDatabase, Client) {
    seeded_by(&among_few()).await
}

/// Returns a database in which an average small workspace has six rows where the large one has 20,000.
pub(crate) async fn seeded_among_many() -> (TestDatabase, Client) {
    seeded_by(&SEED.replace("SMALL", "4000")).await
}

/// Returns the database of [`seeded`] with the rows that `more` writes.
pub(crate) async fn seeded_with(more: &str) -> (TestDatabase, Client) {
    over(TestDatabase::seeded(&[&among_few(), more]).await).await
}

fn among_few() -> String {
    SEED.replace("SMALL", "400")
}

pub(crate) async fn seeded_by(seed: &str) -> (TestDatabase, Client) {
    over(TestDatabase::seeded(&[seed]).await).await
}

async fn over(database: TestDatabase) -> (TestDatabase, Client) {
    let client = client(&database).await;
    (database, client)
}

pub(crate) async fn set_aside(client: &Client, table: &str) {
    let batch = format!("CREATE TABLE {table}_set_aside AS TABLE {table}; TRUNCATE {table}; ANALYZE {table}");
    client.batch_execute(&batch).await.unwrap();
}

/// Fills the table again, without changing plans made meanwhile.
pub(crate) async fn put_back(client: &Client, table: &str) {
    client.batch_execute(&format!("INSERT INTO {table} TABLE {table}_set_aside")).await.unwrap();
}

pub(crate) fn entry(workspace: u128, number: u128) -> AuditEntry {
    let by = Acting::operator(id(1, workspace).into());
    let entry = by.does(Action::AutomationAdded, EVENING, &SequentialIds::default());
    AuditEntry { id: id(30, number).into(), ..entry }
}

pub(crate) const EVENING: OffsetDateTime = datetime!(2026-11-21 20:00 UTC);

pub(crate) fn id(kind: u128, number: u128) -> Uuid {
    Uuid::from_u128(kind << 96 | 0x7000_8000 << 48 | number)
}

pub(crate) fn hash(number: i32) -> [u8; 32] {
    digest(&SHA256, number.to_string().as_bytes()).as_ref().try_into().unwrap()
}

/// Asserts that no part of the statements reads more than `rows` rows, or scans a table other than those of
/// workspaces and their settings.
pub(crate) async fn assert_cheap(client: &Client, rows: u16, statements: &[Explained<'_>]) {
    for (statement, types, values) in statements {
        let plan = scans(client, statement, types, values).await;
        assert_reads_at_most(rows, statement, &plan);
    }
}

/// Asserts the same of statements that were planned while this table was empty.
pub(crate) async fn assert_cheap_planned_over_none(
    client: &Client,
    table: &str,
    rows: u16,
    statements: &[Explained<'_>],
) {
    for (statement, types, values) in statements {
        let plan = scans_planned_over_none(client, table, statement, types, values).await;
        assert_reads_at_most(rows, statement, &plan);
    }
}

/// Asserts the same of the statements, at least one, that the store has run since the last look.
pub(crate) async fn assert_ran_cheaply(explained: &ExplainedStore, rows: u16) {
    assert_cheap_plans(&explained.ran().await, rows);
}

/// Asserts the same, and that each of these texts was among the statements.
pub(crate) async fn assert_texts_ran_cheaply(explained: &ExplainedStore, rows: u16, texts: &[&'static str]) {
    let ran = explained.ran().await;
    for text in texts {
        let sent = positional(text);
        assert!(ran.iter().any(|plan| plan.statement == sent), "{text} has not run");
    }
    assert_cheap_plans(&ran, rows);
}

/// Asserts the same of these plans.
pub(crate) fn assert_cheap_plans(plans: &[Plan], rows: u16) {
    assert!(plans.iter().any(|plan| !plan.scans.is_empty()), "no statement has run");
    for plan in plans.iter().filter(|plan| !plan.scans.is_empty()) {
        assert_reads_at_most(rows, &plan.statement, &plan.scans);
    }
}

fn assert_reads_at_most(rows: u16, statement: &str, plan: &[Scan]) {
    assert!(!plan.is_empty(), "{statement}");
    let dear: Vec<String> =
        plan.iter().filter(|scan| is_dear(scan, rows)).map(|scan| format!("{scan:?}")).collect();
    let name: String = statement.split_whitespace().take(8).collect::<Vec<_>>().join(" ");
    assert!(dear.is_empty(), "{name}: {}", dear.join("\n"));
}

fn is_dear(scan: &Scan, rows: u16) -> bool {
    let of_all = ["Seq Scan of workspaces", "Seq Scan of conversation_settings"];
    let whole = scan.kind.starts_with("Seq") && !of_all.contains(&scan.kind.as_str());
    whole || scan.rows > rows.into()
}
