//! Migration of the schema, and its distribution by workspace.

mod commands;
mod distribute;
#[cfg(test)]
mod rules;

use std::time::Duration;

use tls_trust::Trust;
use tokio_postgres::{Client, error::SqlState};

use self::commands::{built_index, commands};
use crate::{connect::Address, sql::bare};

struct Migration {
    version: &'static str,
    in_transaction: bool,
    text: &'static str,
}

const MIGRATIONS: &[Migration] = include!(concat!(env!("OUT_DIR"), "/migrations.rs"));

pub(crate) const TABLE: &str = "__diesel_schema_migrations";

const MAKE_TABLE: &str = "
    CREATE TABLE IF NOT EXISTS __diesel_schema_migrations (
        version varchar(50) PRIMARY KEY NOT NULL, run_on timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP)";

const APPLIED: &str = "SELECT version FROM __diesel_schema_migrations";

const REMEMBER: &str = "INSERT INTO __diesel_schema_migrations (version) VALUES (:version)";

/// Lock under which one node at a time migrates. An arbitrary number that this product uses for nothing else.
const LOCK: i64 = 0x6d73_675f_6d69_6772;

const TAKE_LOCK: &str = "SELECT pg_try_advisory_lock(:lock) AS taken";

/// Interval between attempts to take the lock.
const POLL: Duration = Duration::from_millis(200);

/// Limits silence: the server would keep the locks of a session whose machine is gone for hours.
const SILENCE: &str = "SET idle_in_transaction_session_timeout = '1min'; SET idle_session_timeout = '5min'";

/// Limits how long a migration waits for a table. Everybody else who wants to use it waits behind the
/// migration, and should not notice. The server itself cancels an autovacuum of the table after a second.
const WAIT_SHORTLY: &str = "SET LOCAL lock_timeout = '2s'";

/// Pause before a table that is in use is asked for again.
const LEFT_ALONE: Duration = Duration::from_secs(5);

/// Whether the index of that name is valid; no row if it does not exist.
const IS_WHOLE: &str = "SELECT built.indisvalid FROM pg_catalog.pg_index built
    JOIN pg_catalog.pg_class named ON named.oid = built.indexrelid
    WHERE named.relname = :name AND named.relnamespace = current_schema()::regnamespace";

/// Reasons why the schema could not be migrated. The message includes its causes.
#[derive(Debug, thiserror::Error)]
pub enum MigrateError {
    /// No connection to the database.
    #[error("cannot connect to the database: {0}")]
    Connect(diesel::ConnectionError),
    /// The connection broke, or the database refused a query.
    #[error("{}", asked(.0))]
    Asked(tokio_postgres::Error),
    /// A migration failed; those before it are applied.
    #[error("migration {version} failed: {}", said(.cause))]
    Migration {
        /// Version of the migration.
        version: &'static str,
        /// The database's error.
        cause: tokio_postgres::Error,
    },
    /// The database cannot be distributed.
    #[error("the database cannot be distributed: {0}")]
    Undistributable(&'static str),
    /// The tables are already distributed over another number of shards.
    #[error("the tables have {0} shards already: leave --shards out")]
    OtherShards(i64),
    /// A table could not be distributed; those before it are.
    #[error("table {table} could not be distributed: {}", said(.cause))]
    Distribute {
        /// Name of the table.
        table: String,
        /// The database's error.
        cause: tokio_postgres::Error,
    },
}

impl From<diesel::ConnectionError> for MigrateError {
    fn from(error: diesel::ConnectionError) -> Self {
        Self::Connect(error)
    }
}

impl From<tokio_postgres::Error> for MigrateError {
    fn from(error: tokio_postgres::Error) -> Self {
        Self::Asked(error)
    }
}

/// Returns the server's message on one line; that of the driver only says that there was a server error.
fn said(error: &tokio_postgres::Error) -> String {
    error.as_db_error().map_or_else(
        || error.to_string(),
        |said| {
            let more = said.detail().or(said.hint()).map(|more| format!(" ({more})")).unwrap_or_default();
            format!("{}{more}", said.message())
        },
    )
}

fn asked(error: &tokio_postgres::Error) -> String {
    let said = said(error);
    match error.code() {
        None => format!("the database does not answer: {said}"),
        Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
            format!("the database refuses: {said}; its address must be that of who owns the database")
        }
        Some(&SqlState::READ_ONLY_SQL_TRANSACTION) => {
            format!("the database refuses: {said}; its address must lead to the server that is written to")
        }
        Some(_) => format!("the database refuses: {said}"),
    }
}

/// Changes made to a schema.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Migrated {
    /// Versions of the applied migrations.
    pub applied: Vec<String>,
    /// Names of the distributed tables.
    pub distributed: Vec<String>,
    /// Versions applied to the database that this program does not know, since a later one was here.
    pub newer: Vec<String>,
}

/// A migration about to be applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MigrationBegun {
    /// Prefix of the migration's name.
    pub version: &'static str,
    /// Number among those to apply, from 1.
    pub nth: usize,
    /// Number of migrations to apply.
    pub of: usize,
}

/// Progress of a migration run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MigrationNews {
    /// Another node is migrating, and is waited for.
    Waiting,
    /// A migration is about to be applied.
    Begun(MigrationBegun),
    /// Another transaction uses a table that this migration changes, and is waited for.
    Held(&'static str),
}

/// Receiver of progress.
pub type Told = fn(MigrationNews);

/// Applies missing migrations in order. Reports each to `told` before applying it, and returns the changes.
/// Any number of nodes may run this at once: one applies, the others wait. A distributed database stays so:
/// new tables are distributed after the migration that makes them.
///
/// Uses a connection of its own, without a statement timeout. The lock belongs to its session, so `url` must
/// lead to the server itself or to a pooler that keeps sessions. `trust` verifies its certificate, as in
/// [`crate::PoolConfig`].
pub async fn migrate(url: &str, trust: &Trust, told: Told) -> Result<Migrated, MigrateError> {
    connected(url, trust, told, async |client| {
        apply(client, distribute::is_distributed(client).await?, told).await
    })
    .await
}

/// Migrates like [`migrate`], and distributes the tables of workspaces over the workers of a Citus cluster,
/// into this number of shards, or by default the server's. Distributed tables stay as they are.
///
/// # Errors
/// Nothing was changed if the database cannot be distributed.
pub async fn migrate_distributed(
    url: &str,
    trust: &Trust,
    shards: Option<u16>,
    told: Told,
) -> Result<Migrated, MigrateError> {
    connected(url, trust, told, async |client| {
        distribute::check(client, shards).await?;
        let is_distributed = distribute::is_distributed(client).await?;
        let mut migrated = apply(client, is_distributed, told).await?;
        migrated.distributed.extend(distribute::all(client, shards).await?);
        Ok(migrated)
    })
    .await
}

async fn connected(
    url: &str,
    trust: &Trust,
    told: Told,
    work: impl AsyncFnOnce(&Client) -> Result<Migrated, MigrateError>,
) -> Result<Migrated, MigrateError> {
    let (client, driver) = Address::read(url, trust)?.session(|_, _| ()).await?;
    let driver = tokio::spawn(driver);
    client.batch_execute(SILENCE).await?;
    // Polled, not awaited in the server: a waiting statement would hold a snapshot, and building an index
    // concurrently waits for every older one.
    let (take_lock, values) = bare(TAKE_LOCK, &[("lock", &LOCK)]);
    let mut waits = false;
    while !client.query_one(take_lock.as_str(), &values).await?.try_get::<_, bool>(0)? {
        if !waits {
            told(MigrationNews::Waiting);
            waits = true;
        }
        tokio::time::sleep(POLL).await;
    }
    let done = work(&client).await;
    // The connection must be closed when this returns, since the lock ends with it.
    drop(client);
    let _ = driver.await;
    done
}

async fn apply(client: &Client, is_distributed: bool, told: Told) -> Result<Migrated, MigrateError> {
    client.batch_execute(MAKE_TABLE).await?;
    let rows = client.query(APPLIED, &[]).await?;
    let known = rows.iter().map(|row| row.try_get(0)).collect::<Result<Vec<String>, _>>()?;
    if is_distributed {
        client.batch_execute(distribute::ONE_BY_ONE).await?;
    }
    let is_newer = |version: &&String| !MIGRATIONS.iter().any(|one| one.version == **version);
    let newer = known.iter().filter(is_newer).cloned().collect();
    let mut migrated = Migrated { newer, ..Migrated::default() };
    let is_missing = |migration: &&Migration| !known.iter().any(|one| one == migration.version);
    let missing: Vec<&Migration> = MIGRATIONS.iter().filter(is_missing).collect();
    for (nth, migration) in (1..).zip(&missing) {
        told(MigrationNews::Begun(MigrationBegun { version: migration.version, nth, of: missing.len() }));
        run(client, migration, told)
            .await
            .map_err(|cause| MigrateError::Migration { version: migration.version, cause })?;
        migrated.applied.push(migration.version.to_owned());
        if is_distributed {
            migrated.distributed.extend(distribute::all(client, None).await?);
        }
    }
    if is_distributed && missing.is_empty() {
        // A run that was killed after its last migration may have left tables undistributed.
        migrated.distributed.extend(distribute::all(client, None).await?);
    }
    Ok(migrated)
}

/// Applies a migration. One in a transaction rolls back and starts again instead of waiting for a table.
async fn run(client: &Client, migration: &Migration, told: Told) -> Result<(), tokio_postgres::Error> {
    if !migration.in_transaction {
        return send(client, migration).await;
    }
    let mut is_told = false;
    loop {
        client.batch_execute("BEGIN").await?;
        client.batch_execute(WAIT_SHORTLY).await?;
        match send(client, migration).await {
            Ok(()) => return client.batch_execute("COMMIT").await,
            Err(error) if error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE) => {}
            Err(error) => return Err(error),
        }
        client.batch_execute("ROLLBACK").await?;
        if !is_told {
            told(MigrationNews::Held(migration.version));
            is_told = true;
        }
        tokio::time::sleep(LEFT_ALONE).await;
    }
}

/// Sends a migration command by command, since a distributed database refuses some of several in one message.
async fn send(client: &Client, migration: &Migration) -> Result<(), tokio_postgres::Error> {
    for command in commands(migration.text) {
        if let Some(index) = built_index(command)
            && is_built(client, index).await?
        {
            continue;
        }
        client.batch_execute(command).await?;
    }
    let (remember, values) = bare(REMEMBER, &[("version", &migration.version)]);
    client.execute(remember.as_str(), &values).await?;
    Ok(())
}

/// Whether the index was built by a run that was killed before it was recorded. Removes an invalid index of
/// an interrupted build, which would block a new one and is written to without being used.
async fn is_built(client: &Client, index: &str) -> Result<bool, tokio_postgres::Error> {
    let (question, values) = bare(IS_WHOLE, &[("name", &index)]);
    let Some(row) = client.query_opt(question.as_str(), &values).await? else { return Ok(false) };
    let is_whole: bool = row.try_get(0)?;
    if !is_whole {
        client.batch_execute(&format!("DROP INDEX CONCURRENTLY IF EXISTS {index}")).await?;
    }
    Ok(is_whole)
}

pub(crate) fn versions() -> Vec<&'static str> {
    MIGRATIONS.iter().map(|migration| migration.version).collect()
}
