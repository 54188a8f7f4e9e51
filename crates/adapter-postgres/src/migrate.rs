//! Bringing the schema up to date.

use std::time::Duration;

use diesel::{migration::MigrationSource, pg::Pg};
use diesel_async::{AsyncMigrationHarness, RunQueryDsl};
use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};
use domain::errors::StoreError;
use tls_trust::Trust;

use crate::{connect::Address, sql::pg_try_advisory_lock};

const MIGRATIONS: EmbeddedMigrations = embed_migrations!("../../migrations");

diesel::table! {
    /// The tables that there are.
    pg_tables (tablename) {
        tablename -> Text,
    }
}

diesel::table! {
    /// Where diesel remembers what it has applied.
    __diesel_schema_migrations (version) {
        version -> Text,
    }
}

/// The name of that table.
pub(crate) const TABLE: &str = "__diesel_schema_migrations";

/// Any number that this product uses for nothing else: the lock under which one node at a time migrates.
const LOCK: i64 = 0x6d73_675f_6d69_6772;

/// How long a node waits before it asks for the lock again.
const POLL: Duration = Duration::from_millis(200);

/// The schema could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// There is no connection to the database.
    #[error("cannot connect to the database: {0}")]
    Connect(#[from] diesel::ConnectionError),
    /// The lock could not be asked for.
    #[error("cannot lock the schema: {0}")]
    Lock(#[source] diesel::result::Error),
    /// A migration failed; those before it are in force.
    #[error("a migration failed: {0}")]
    Migration(#[source] Box<dyn std::error::Error + Send + Sync>),
}

/// Applies what is missing, in order, and answers the versions that were applied now. Any number of nodes may
/// do this at once: one applies, the others wait for it.
///
/// It uses a connection of its own, without a limit on a statement's time. The lock belongs to that session,
/// so `url` must lead to the server itself or to a pooler that keeps sessions. `trust` judges its certificate, as in
/// [`crate::PoolConfig`].
///
/// # Errors
/// See [`MigrateError`].
pub async fn migrate(url: &str, trust: &Trust) -> Result<Vec<String>, MigrateError> {
    let mut connection = Address::read(url, trust)?.connect().await?;
    // Polled, not awaited in the server: a waiting statement would hold a snapshot, and building an index
    // concurrently waits for every older one.
    loop {
        let lock = diesel::select(pg_try_advisory_lock(LOCK));
        if lock.get_result(&mut connection).await.map_err(MigrateError::Lock)? {
            break;
        }
        tokio::time::sleep(POLL).await;
    }
    // The harness blocks its thread, which a thread that drives other work must not.
    let applied = tokio::task::spawn_blocking(move || {
        let mut harness = AsyncMigrationHarness::new(connection);
        let applied = harness.run_pending_migrations(MIGRATIONS)?;
        Ok(applied.iter().map(ToString::to_string).collect())
    });
    applied.await.map_err(|error| MigrateError::Migration(error.into()))?.map_err(MigrateError::Migration)
}

/// The versions that this program knows.
pub(crate) fn versions() -> Result<Vec<String>, StoreError> {
    let migrations = MigrationSource::<Pg>::migrations(&MIGRATIONS);
    let migrations = migrations.map_err(|error| StoreError::Internal(error.to_string()))?;
    Ok(migrations.iter().map(|migration| migration.name().version().to_string()).collect())
}
