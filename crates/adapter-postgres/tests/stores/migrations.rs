//! Bringing the schema up to date.

use adapter_postgres::{
    Database, MigrateError, Migrated, MigrationNews, PoolConfig, migrate, migrate_distributed,
};
use domain::{errors::StoreError, ids::IdSource, testing::SequentialIds};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tls_trust::Trust;
use tokio::time::{sleep, timeout};

use crate::stores::support::{Fixture, GlassVault};

#[tokio::test]
async fn migrating_twice_does_nothing_the_second_time() {
    let fixture = Fixture::unmigrated().await;
    let applied = migrate(fixture.database.url(), &Trust::default(), |_| ()).await.unwrap();
    assert!(applied.applied.contains(&"0001".to_owned()), "{applied:?}");
    assert_eq!(
        migrate(fixture.database.url(), &Trust::default(), |_| ()).await.unwrap(),
        Migrated::default()
    );
}

#[tokio::test]
async fn three_nodes_that_migrate_at_once_apply_each_migration_once() {
    let fixture = Fixture::unmigrated().await;
    let url = fixture.database.url();
    let trust = Trust::default();
    let once = || migrate(url, &trust, |_| ());
    let (first, second, third) = tokio::join!(once(), once(), once());
    let mut applied = [first.unwrap().applied, second.unwrap().applied, third.unwrap().applied].concat();
    let count = applied.len();
    applied.sort_unstable();
    applied.dedup();
    assert_eq!(applied.len(), count);
    fixture.stores.database.ready().await.unwrap();
}

#[tokio::test]
async fn an_index_at_which_somebody_was_killed_is_built_by_the_next_who_migrates() {
    let fixture = Fixture::new().await;
    let client = fixture.client().await;
    for (version, index) in [("0128", "accounts_pages_due"), ("0084", "broadcast_people_by_state")] {
        // Half built, and built but not remembered.
        for is_whole in [false, true] {
            let forget = "DELETE FROM __diesel_schema_migrations WHERE version = $1";
            assert_eq!(client.execute(forget, &[&version]).await.unwrap(), 1, "{version}");
            let leave = "UPDATE pg_index SET indisvalid = $2 WHERE indexrelid = to_regclass($1::text)";
            assert_eq!(client.execute(leave, &[&index, &is_whole]).await.unwrap(), 1, "{index}");
            let migrated = migrate(fixture.database.url(), &Trust::default(), |_| ()).await.unwrap();
            assert_eq!(migrated.applied, [version]);
            let built = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1::text)";
            assert!(
                client.query_one(built, &[&index]).await.unwrap().get::<_, bool>(0),
                "{index} {is_whole}"
            );
        }
    }
}

#[tokio::test]
async fn a_migration_that_waits_for_a_table_keeps_nobody_else_from_it() {
    let fixture = Fixture::new().await;
    let (reader, other) = (fixture.client().await, fixture.client().await);
    for undo in [
        "ALTER TABLE live_changes DROP COLUMN member_id",
        "ALTER TABLE live_events DROP COLUMN member_id",
        "DELETE FROM __diesel_schema_migrations WHERE version = '0130'",
        // A transaction like that of a backup, which lasts for hours.
        "BEGIN",
        "SELECT count(*) FROM live_changes",
    ] {
        reader.batch_execute(undo).await.unwrap();
    }
    let waits = "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted AND relation = 'live_changes'::regclass
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())";
    let meanwhile = async {
        while !other.query_one(waits, &[]).await.unwrap().get::<_, bool>(0) {
            sleep(Duration::from_millis(20)).await;
        }
        other.batch_execute("SET lock_timeout = '10s'").await.unwrap();
        other.query_one("SELECT count(*) FROM live_changes", &[]).await.expect("the table can be read");
        reader.batch_execute("COMMIT").await.unwrap();
    };
    let trust = Trust::default();
    let both = async { tokio::join!(migrate(fixture.database.url(), &trust, |_| ()), meanwhile) };
    let (migrated, ()) = timeout(Duration::from_mins(1), both).await.unwrap();
    assert_eq!(migrated.unwrap().applied, ["0130"]);
}

#[tokio::test]
async fn whoever_waits_for_another_who_migrates_is_told_so_once() {
    static TOLD: AtomicUsize = AtomicUsize::new(0);
    let fixture = Fixture::new().await;
    let client = fixture.client().await;
    // The bytes "msg_migr".
    let lock = i64::from_be_bytes(*b"msg_migr");
    client.execute("SELECT pg_advisory_lock($1)", &[&lock]).await.unwrap();
    let meanwhile = async {
        while TOLD.load(Ordering::Relaxed) == 0 {
            sleep(Duration::from_millis(20)).await;
        }
        sleep(Duration::from_secs(1)).await;
        client.execute("SELECT pg_advisory_unlock($1)", &[&lock]).await.unwrap();
    };
    let told = |news: MigrationNews| {
        if news == MigrationNews::Waiting {
            TOLD.fetch_add(1, Ordering::Relaxed);
        }
    };
    let trust = Trust::default();
    let both = async { tokio::join!(migrate(fixture.database.url(), &trust, told), meanwhile) };
    let (migrated, ()) = timeout(Duration::from_mins(1), both).await.unwrap();
    assert_eq!((migrated.unwrap(), TOLD.load(Ordering::Relaxed)), (Migrated::default(), 1));
}

#[tokio::test]
async fn a_store_is_ready_once_it_is_migrated() {
    let fixture = Fixture::unmigrated().await;
    let client = fixture.client().await;
    let unready = async || matches!(fixture.stores.database.ready().await, Err(StoreError::Unavailable(_)));
    assert!(unready().await);
    migrate(fixture.database.url(), &Trust::default(), |_| ()).await.unwrap();
    fixture.stores.database.ready().await.unwrap();
    client.execute("INSERT INTO __diesel_schema_migrations VALUES ('9999')", &[]).await.unwrap();
    fixture.stores.database.ready().await.unwrap();
    // Migrating changes nothing of it, and says that a later program was here.
    let migrated = migrate(fixture.database.url(), &Trust::default(), |_| ()).await.unwrap();
    assert_eq!(migrated, Migrated { newer: vec!["9999".to_owned()], ..Migrated::default() });
    client.execute("DELETE FROM __diesel_schema_migrations WHERE version = '0001'", &[]).await.unwrap();
    assert!(unready().await);
}

#[tokio::test]
async fn a_database_that_is_not_there_is_unavailable() {
    let url = "postgres://nobody@127.0.0.1:1/nothing";
    let config =
        PoolConfig { url: url.to_owned(), trust: Trust::default(), size: 1, wait: Duration::from_secs(5) };
    let ids: Arc<dyn IdSource> = Arc::new(SequentialIds::default());
    let database = Database::new(&config, Arc::new(GlassVault), ids).unwrap();
    // A message without mention of a pool, and without repetition.
    let refused = "error connecting to server: Connection refused";
    let met = database.ready().await.unwrap_err();
    assert!(matches!(met, StoreError::Unavailable(_)), "{met:?}");
    assert!(met.to_string().starts_with(&format!("the store is unavailable: {refused}")), "{met}");
    let met = migrate(url, &Trust::default(), |_| ()).await.unwrap_err();
    assert!(met.to_string().starts_with(&format!("cannot connect to the database: {refused}")), "{met}");
    assert!(std::error::Error::source(&met).is_none(), "it says it once");
}

#[tokio::test]
async fn a_database_that_refuses_to_be_written_to_does_answer() {
    let fixture = Fixture::new().await;
    let url = fixture.database.url();
    let joined = if url.contains('?') { '&' } else { '?' };
    // Like a standby.
    let read_only = format!("{url}{joined}options=-c%20default_transaction_read_only%3Don");
    let refused = migrate(&read_only, &Trust::default(), |_| ()).await.unwrap_err().to_string();
    assert!(refused.starts_with("the database refuses: "), "{refused}");
    assert!(refused.ends_with("; its address must lead to the server that is written to"), "{refused}");
    // Like a user who owns nothing here.
    let other = format!("{url}{joined}options=-c%20role%3Dpg_monitor");
    let refused = migrate(&other, &Trust::default(), |_| ()).await.unwrap_err().to_string();
    assert!(refused.starts_with("the database refuses: "), "{refused}");
    assert!(refused.ends_with("; its address must be that of who owns the database"), "{refused}");
}

#[tokio::test]
async fn a_server_that_cannot_distribute_says_so_before_it_changes_anything() {
    let fixture = Fixture::unmigrated().await;
    let client = fixture.client().await;
    let refused =
        migrate_distributed(fixture.database.url(), &Trust::default(), Some(8), |_| ()).await.unwrap_err();
    assert!(matches!(refused, MigrateError::Undistributable(_)), "{refused:?}");
    assert_eq!(
        refused.to_string(),
        "the database cannot be distributed: it lacks the extension citus (CREATE EXTENSION citus, on every node)"
    );
    let tables = client.query("SELECT 1 FROM pg_tables WHERE schemaname = 'public'", &[]).await.unwrap();
    assert!(tables.is_empty());
}
