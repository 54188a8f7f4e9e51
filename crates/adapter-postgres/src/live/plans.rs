//! How PostgreSQL runs the feeds' statements when a workspace has much and others lie beside it.

use tokio_postgres::Client;

use super::{EVENTS, FEED, FORGET_CHANGES, FORGET_EVENTS, LOCK, NUMBER, OPEN, STALE, STIRRED};
use crate::{
    explained::{client, scans},
    testing::Database,
};

/// A workspace with 20,000 changes and 20,000 that are numbered, beside 400 with ten of each.
const SEED: &str = "
    CREATE FUNCTION id(kind int, number int) RETURNS uuid LANGUAGE sql IMMUTABLE AS $$
        SELECT (lpad(to_hex(kind), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(number), 12, '0'))::uuid $$;
    CREATE TEMP TABLE change AS
        SELECT n, CASE WHEN n <= 20000 THEN 0 ELSE n % 400 + 1 END AS workspace,
               '2026-11-21 10:00Z'::timestamptz + n * interval '1 second' AS at
        FROM generate_series(1, 24000) n;
    INSERT INTO workspaces SELECT id(1, n), 'w', 'ar', 'IQ', NULL, false, now() FROM generate_series(0, 400) n;
    INSERT INTO live_feeds SELECT workspace_id, workspace_id, 24000 FROM workspaces;
    INSERT INTO live_changes (workspace_id, kind, conversations, messages, at)
        SELECT id(1, workspace), 'message.recorded', ARRAY[id(2, n)], ARRAY[id(3, n)], at FROM change;
    INSERT INTO live_events
        SELECT id(1, workspace), n, 'message.recorded', id(2, n), id(3, n), at FROM change;
    ANALYZE";

async fn seeded() -> (Database, Client) {
    let database = Database::fresh().await;
    let client = client(&database).await;
    client.batch_execute(SEED).await.unwrap();
    (database, client)
}

/// The statement reads no more than so many rows, and no table but that of the workspaces from end to end.
async fn assert_cheap(client: &Client, rows: u32, (statement, types, values): (&str, &str, &str)) {
    let scans = scans(client, statement, types, values).await;
    assert!(!scans.is_empty(), "{statement}");
    for scan in &scans {
        let whole = scan.kind.starts_with("Seq") && scan.kind != "Seq Scan of workspaces";
        assert!(!whole && scan.rows <= rows.into(), "{scan:?} in {statement}");
    }
}

#[tokio::test]
async fn numbering_reading_and_forgetting_take_what_they_take_by_keys() {
    let (_database, client) = seeded().await;
    let workspace = "'00000001-0000-7000-8000-000000000000'";
    let of = |rest: &str| format!("{workspace}{rest}");
    for (statement, types, values, rows) in [
        (LOCK, "uuid", of(""), 1),
        (FEED, "uuid", of(""), 1),
        (NUMBER, "uuid, bigint, timestamptz, bigint", of(", 24000, now(), 1000"), 1_000),
        (EVENTS, "uuid, bigint, bigint", of(", 15000, 200"), 200),
        (FORGET_EVENTS, "uuid, timestamptz, bigint", of(", '2026-11-21 10:05Z', 1000"), 1_000),
        (FORGET_CHANGES, "uuid, timestamptz, bigint", of(", '2026-11-21 10:05Z', 1000"), 1_000),
        (STIRRED, "uuid[], bigint[]", format!("ARRAY[{workspace}::uuid], ARRAY[24000]"), 1),
        (STALE, "timestamptz", "'2026-11-21 09:00Z'".to_owned(), 401),
    ] {
        assert_cheap(&client, rows, (statement, types, &values)).await;
    }
    client.execute(OPEN, &[&uuid::Uuid::nil(), &uuid::Uuid::nil()]).await.unwrap();
}
