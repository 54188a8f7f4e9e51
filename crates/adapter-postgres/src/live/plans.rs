//! How PostgreSQL runs the feeds' statements when a workspace has much and others lie beside it.

use domain::{ids::WorkspaceId, live::ports::LiveStore};
use time::{OffsetDateTime, macros::datetime};

use crate::{
    explained::{ExplainedStore, client},
    seeded::{assert_ran_cheaply, id},
    testing::TestDatabase,
};

/// A workspace with 20,000 changes and 20,000 events, beside 400 with ten of each.
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

const NOW: OffsetDateTime = datetime!(2026-11-21 20:00 UTC);

async fn seeded() -> (TestDatabase, ExplainedStore) {
    let database = TestDatabase::fresh().await;
    client(&database).await.batch_execute(SEED).await.unwrap();
    let explained = ExplainedStore::over(&database);
    (database, explained)
}

fn large() -> WorkspaceId {
    id(1, 0).into()
}

#[tokio::test]
async fn numbering_and_reading_take_what_they_take_by_keys() {
    let (_database, explained) = seeded().await;
    let stores = &explained.stores;
    stores.live.stirred(&[(large(), 24_000)]).await.unwrap();
    assert_ran_cheaply(&explained, 1).await;
    assert_eq!(stores.live.position(large(), NOW).await.unwrap(), None, "much has no number yet");
    assert_ran_cheaply(&explained, 1_000).await;
    assert_eq!(stores.live.events(large(), 15_000, 200).await.unwrap().len(), 200);
    assert_ran_cheaply(&explained, 200).await;
    let feed = stores.live.number(large(), NOW).await.unwrap().unwrap();
    assert_eq!(feed.last, 24_000 + 20_000);
    assert_ran_cheaply(&explained, 1_000).await;
    stores.live.open(id(1, 9_999).into(), id(1, 9_999), NOW).await.unwrap();
    assert_ran_cheaply(&explained, 1).await;
}

#[tokio::test]
async fn forgetting_takes_what_it_takes_by_keys() {
    let (_database, explained) = seeded().await;
    let stores = &explained.stores;
    assert!(stores.live.forget(large(), NOW).await.unwrap());
    assert_ran_cheaply(&explained, 1_000).await;
    assert!(!stores.live.forget(large(), datetime!(2026-11-21 09:00 UTC)).await.unwrap());
    assert_ran_cheaply(&explained, 1_000).await;
    stores.live.stale(datetime!(2026-11-21 09:00 UTC)).await.unwrap();
    assert_ran_cheaply(&explained, 401).await;
}

/// The plans are made by numbering a batch while the tables are empty; then these fill.
#[tokio::test]
async fn plans_that_were_made_over_nothing_read_no_more() {
    let database = TestDatabase::fresh().await;
    let explained = ExplainedStore::over(&database);
    let client = client(&database).await;
    let first = "INSERT INTO workspaces SELECT gen_random_uuid(), 'w', 'ar', 'IQ', NULL, false, now();
        INSERT INTO live_feeds SELECT workspace_id, workspace_id FROM workspaces;
        INSERT INTO live_changes (workspace_id, kind, conversations, messages)
            SELECT workspace_id, 'message.recorded', ARRAY[workspace_id], ARRAY[workspace_id] FROM workspaces;
        VACUUM (ANALYZE)";
    for statement in first.split(';') {
        client.batch_execute(statement).await.unwrap();
    }
    let workspace = client.query_one("SELECT workspace_id FROM workspaces", &[]).await.unwrap();
    let workspace: WorkspaceId = workspace.get::<_, uuid::Uuid>(0).into();
    explained.stores.live.number(workspace, NOW).await.unwrap();
    explained.stores.live.forget(workspace, NOW + time::Duration::DAY).await.unwrap();
    explained.ran().await;
    let more = "INSERT INTO live_changes (workspace_id, kind, conversations, messages)
        SELECT workspace_id, 'message.recorded', ARRAY[workspace_id], ARRAY[workspace_id]
        FROM workspaces, generate_series(1, 20000)";
    client.batch_execute(more).await.unwrap();
    let feed = explained.stores.live.number(workspace, NOW).await.unwrap().unwrap();
    assert_eq!(feed.last, 20_001);
    assert_ran_cheaply(&explained, 1_000).await;
    assert!(explained.stores.live.forget(workspace, NOW + time::Duration::DAY).await.unwrap());
    assert_ran_cheaply(&explained, 1_000).await;
}
