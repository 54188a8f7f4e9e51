//! The log's days: a table for each, made ahead and dropped after its month; with them the addresses that were deleted.
//!
//! A day that has begun is not given a table any more: what is being written at that moment would go where it no
//! longer belongs, and fail. On the first day, and after a week of rest, a day's rows are among those of no day.

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{BigInt, Bool, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use domain::{errors::StoreError, webhooks::ports::LogKeeper};
use time::{Date, OffsetDateTime, Time};

use crate::{
    PgStore,
    error::failed,
    sql::{Bind, sql},
};

/// Any number that this product uses for nothing else: the lock under which one node at a time changes the days.
const LOCK: i64 = 0x6d73_675f_6461_7973;

const TAKE_LOCK: &str = "SELECT pg_advisory_xact_lock($1) IS NOT NULL AS holds";

const EXISTS: &str = "SELECT to_regclass($1) IS NOT NULL AS holds";

/// How long a change of the days may wait for statements under way, while others wait behind it.
const WAIT: &str = "SET LOCAL lock_timeout = '2s'";

const DAYS: &str = "
    SELECT child.relname::text AS name FROM pg_inherits
    JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = to_regclass($1)";

const LOG_HAS_STRAYS: &str =
    "SELECT EXISTS (SELECT FROM delivery_log_default WHERE created_at >= $1 AND created_at < $2) AS holds";

const REMOVE_LOG_STRAYS: &str = "
    DELETE FROM delivery_log_default WHERE (workspace_id, id, created_at) IN (
        SELECT workspace_id, id, created_at FROM delivery_log_default WHERE created_at < $1 LIMIT $2)";

const ATTEMPTS_HAVE_STRAYS: &str = "SELECT EXISTS (SELECT FROM delivery_attempts_default WHERE created_at >= $1 AND created_at < $2) AS holds";

const REMOVE_ATTEMPT_STRAYS: &str = "
    DELETE FROM delivery_attempts_default WHERE (workspace_id, delivery_id, attempt, created_at) IN (
        SELECT workspace_id, delivery_id, attempt, created_at FROM delivery_attempts_default
        WHERE created_at < $1 LIMIT $2)";

/// One look for each workspace, which has a few addresses.
pub(super) const WITH_GONE: &str = "
    SELECT workspace_id FROM workspaces workspace WHERE EXISTS (
        SELECT FROM webhook_addresses address
        WHERE address.workspace_id = workspace.workspace_id AND address.deleted_at < $1)";

/// Deleted addresses that nothing is queued for any more, and what was sent again to them.
pub(super) const FORGET: &str = "
    WITH gone AS (
        DELETE FROM webhook_addresses address
        WHERE workspace_id = $1 AND deleted_at < $2 AND (
            SELECT delivery_id FROM delivery_queue queue
            WHERE queue.workspace_id = $1 AND queue.address_id = address.id AND queue.due_at > '-infinity'
            LIMIT 1) IS NULL
        RETURNING id
    )
    DELETE FROM webhook_resends WHERE workspace_id = $1 AND address_id = ANY (ARRAY(SELECT id FROM gone))";

/// Rows of no day removed by one statement.
const AT_ONCE: i64 = 5_000;

/// A table that is parted by days.
struct Parted {
    name: &'static str,
    /// Whether it has rows from one time to another that belong to no day.
    has_strays: &'static str,
    /// Removes some rows that belong to no day and are older than a time.
    remove_strays: &'static str,
}

const PARTED: [Parted; 2] = [
    Parted { name: "delivery_log", has_strays: LOG_HAS_STRAYS, remove_strays: REMOVE_LOG_STRAYS },
    Parted {
        name: "delivery_attempts",
        has_strays: ATTEMPTS_HAVE_STRAYS,
        remove_strays: REMOVE_ATTEMPT_STRAYS,
    },
];

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct Holds {
    #[diesel(sql_type = Bool)]
    holds: bool,
}

#[async_trait]
impl LogKeeper for PgStore {
    async fn keep(
        &self,
        now: OffsetDateTime,
        until: OffsetDateTime,
        before: OffsetDateTime,
    ) -> Result<(), StoreError> {
        for parted in &PARTED {
            let days = self.days(parted).await?;
            let ahead = std::iter::successors(now.date().next_day(), |day| day.next_day());
            for day in ahead.take_while(|day| *day <= until.date()) {
                if !days.contains(&parted.day(day)) {
                    self.make(parted, day).await?;
                }
            }
            // A day is past when its last moment is.
            let is_past = |name: &&String| !name.ends_with("default") && **name < parted.day(before.date());
            for name in days.iter().filter(is_past) {
                self.alter(name, true, &format!("DROP TABLE {name}")).await?;
            }
            self.remove_strays(parted, before).await?;
        }
        for workspace in self.workspaces(WITH_GONE, before).await? {
            let mut connection = self.delivering().await?;
            let forget = sql(FORGET).bind::<Uuid, _>(workspace.uuid()).bind::<Timestamptz, _>(before);
            forget.execute(&mut connection).await.map_err(failed)?;
        }
        Ok(())
    }
}

impl Parted {
    /// The name of a day's table; names sort as their days.
    fn day(&self, day: Date) -> String {
        format!("{}_{:04}{:02}{:02}", self.name, day.year(), u8::from(day.month()), day.day())
    }

    /// Attached, not made as a part: that would wait for every statement that reads the log.
    fn make(&self, day: Date) -> String {
        let (table, name) = (self.name, self.day(day));
        let next = day.next_day().unwrap_or(day);
        format!(
            "CREATE TABLE {name} (LIKE {table} INCLUDING ALL);
             ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES FROM ('{day} 00:00Z') TO ('{next} 00:00Z')"
        )
    }

    /// A day that began without a table keeps its rows among those of no day.
    async fn has_strays(&self, connection: &mut AsyncPgConnection, day: Date) -> Result<bool, StoreError> {
        let next = day.next_day().unwrap_or(day);
        let strays = sql(self.has_strays)
            .bind::<Timestamptz, _>(day.with_time(Time::MIDNIGHT).assume_utc())
            .bind::<Timestamptz, _>(next.with_time(Time::MIDNIGHT).assume_utc());
        Ok(strays.get_result::<Holds>(connection).await.map_err(failed)?.holds)
    }
}

impl PgStore {
    /// The tables of the days there are, and that of no day.
    async fn days(&self, parted: &Parted) -> Result<Vec<String>, StoreError> {
        let mut connection = self.connection().await?;
        let days: Vec<Name> =
            sql(DAYS).bind::<Text, _>(parted.name).load(&mut connection).await.map_err(failed)?;
        Ok(days.into_iter().map(|row| row.name).collect())
    }

    async fn make(&self, parted: &Parted, day: Date) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let has_strays = parted.has_strays(&mut connection, day).await?;
        drop(connection);
        if has_strays { Ok(()) } else { self.alter(&parted.day(day), false, &parted.make(day)).await }
    }

    /// Changes one day, in a transaction of its own, unless another node has done so.
    async fn alter(&self, name: &str, exists: bool, statements: &str) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        transaction.batch_execute(WAIT).await.map_err(failed)?;
        let lock = sql(TAKE_LOCK).bind::<BigInt, _>(LOCK);
        lock.get_result::<Holds>(&mut *transaction).await.map_err(failed)?;
        let found = sql(EXISTS).bind::<Text, _>(name);
        if found.get_result::<Holds>(&mut *transaction).await.map_err(failed)?.holds == exists {
            transaction.batch_execute(statements).await.map_err(failed)?;
            tracing::info!(table = name, dropped = exists, "the log's days have changed");
        }
        transaction.commit().await
    }

    async fn remove_strays(&self, parted: &Parted, before: OffsetDateTime) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        loop {
            let removed = sql(parted.remove_strays)
                .bind::<Timestamptz, _>(before)
                .bind::<BigInt, _>(AT_ONCE)
                .execute(&mut connection)
                .await
                .map_err(failed)?;
            if i64::try_from(removed).unwrap_or(i64::MAX) < AT_ONCE {
                return Ok(());
            }
        }
    }
}
