//! The days of the log: a table for each, made in advance and dropped when its retention ends, together with
//! deleted addresses.
//!
//! A day that has begun gets no table any more: rows being written at that moment would no longer belong
//! where they go, and fail. On the first day, and after a week without a running process, a day's rows are in
//! the default partition.

use std::collections::BTreeMap;

use async_trait::async_trait;
use diesel::{ExpressionMethods, QueryDsl, QueryResult, QueryableByName, dsl::exists, sql_types::Text};
use diesel_async::{AsyncPgConnection, SimpleAsyncConnection};
use domain::{errors::StoreError, ids::WorkspaceId, webhooks::ports::LogKeeper};
use time::{Date, OffsetDateTime, Time};

use crate::{
    error::failed,
    schema::{delivery_attempts, delivery_log, delivery_queue, webhook_addresses, webhook_resends},
    sql::{RunQueryDsl, pg_advisory_xact_lock, statement},
    webhooks::PgWebhooks,
};

/// Lock under which one node at a time changes the days. An arbitrary number, used for nothing else.
const LOCK: i64 = 0x6d73_675f_6461_7973;

/// Limits how long a change of the days waits for running statements, since others wait behind it.
const WAIT: &str = "SET LOCAL lock_timeout = '2s'";

const DAYS: &str = "
    SELECT child.relname::text AS name FROM pg_inherits
    JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = to_regclass(:table)";

/// Rows of the default partition removed by one statement.
const AT_ONCE: i64 = 5_000;

#[derive(Clone, Copy)]
enum Parted {
    Log,
    Attempts,
}

#[derive(QueryableByName)]
struct Name {
    #[diesel(sql_type = Text)]
    name: String,
}

#[async_trait]
impl LogKeeper for PgWebhooks {
    async fn now(&self) -> Result<OffsetDateTime, StoreError> {
        self.database.now().await
    }

    async fn keep(
        &self,
        now: OffsetDateTime,
        until: OffsetDateTime,
        before: OffsetDateTime,
    ) -> Result<(), StoreError> {
        for parted in [Parted::Log, Parted::Attempts] {
            let mut connection = self.database.connection().await?;
            let days = parted.days(&mut connection).await.map_err(failed)?;
            drop(connection);
            let ahead = std::iter::successors(now.date().next_day(), |day| day.next_day());
            for day in ahead.take_while(|day| *day <= until.date()) {
                if !days.contains(&parted.day(day)) {
                    self.make(parted, day).await?;
                }
            }
            // A day is over after its last moment.
            let is_past = |name: &&String| !name.ends_with("default") && **name < parted.day(before.date());
            for name in days.iter().filter(is_past) {
                self.alter(parted, name, true, &[format!("DROP TABLE {name}")]).await?;
            }
            self.remove_strays(parted, midnight(before.date())).await?;
        }
        let mut connection = self.database.connection().await?;
        let gone: Vec<uuid::Uuid> = webhook_addresses::table
            .filter(webhook_addresses::deleted_at.lt(before))
            .select(webhook_addresses::workspace_id)
            .distinct()
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        for workspace in gone {
            self.forget_addresses(workspace.into(), before).await?;
        }
        Ok(())
    }
}

impl Parted {
    const fn name(self) -> &'static str {
        match self {
            Self::Log => "delivery_log",
            Self::Attempts => "delivery_attempts",
        }
    }

    /// Lists the tables of existing days, and the default partition.
    async fn days(self, connection: &mut AsyncPgConnection) -> QueryResult<Vec<String>> {
        let days: Vec<Name> = statement(DAYS).bind::<Text, _>("table", self.name()).load(connection).await?;
        Ok(days.into_iter().map(|row| row.name).collect())
    }

    /// Returns the name of a day's table; names sort like their days.
    fn day(self, day: Date) -> String {
        format!("{}_{:04}{:02}{:02}", self.name(), day.year(), u8::from(day.month()), day.day())
    }

    /// Returns the statements that create a day's table and attach it. Creating it as a partition would wait
    /// for every statement that reads the log.
    fn make(self, day: Date) -> [String; 2] {
        let (table, name) = (self.name(), self.day(day));
        let next = day.next_day().unwrap_or(day);
        [
            format!("CREATE TABLE {name} (LIKE {table} INCLUDING ALL)"),
            format!(
                "ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES FROM ('{day} 00:00Z') TO ('{next} 00:00Z')"
            ),
        ]
    }

    /// Whether the default partition has rows of the day, because it began without a table.
    async fn has_strays(self, connection: &mut AsyncPgConnection, day: Date) -> QueryResult<bool> {
        let (day, next) = (midnight(day), midnight(day.next_day().unwrap_or(day)));
        match self {
            Self::Log => {
                let strays = delivery_log::table
                    .filter(delivery_log::created_at.ge(day))
                    .filter(delivery_log::created_at.lt(next))
                    .select(delivery_log::id);
                diesel::select(exists(strays)).get_result(connection).await
            }
            Self::Attempts => {
                let strays = delivery_attempts::table
                    .filter(delivery_attempts::created_at.ge(day))
                    .filter(delivery_attempts::created_at.lt(next))
                    .select(delivery_attempts::delivery_id);
                diesel::select(exists(strays)).get_result(connection).await
            }
        }
    }

    /// Removes some rows of days whose tables are dropped from the default partition.
    async fn remove_some(
        self,
        connection: &mut AsyncPgConnection,
        before: OffsetDateTime,
    ) -> QueryResult<usize> {
        let mut removed = 0;
        match self {
            Self::Log => {
                let some = delivery_log::table
                    .filter(delivery_log::created_at.lt(before))
                    .select((delivery_log::workspace_id, delivery_log::id))
                    .limit(AT_ONCE)
                    .load(connection)
                    .await?;
                for (workspace, some) in by_workspace(some) {
                    removed += diesel::delete(delivery_log::table)
                        .filter(delivery_log::workspace_id.eq(workspace))
                        .filter(delivery_log::created_at.lt(before))
                        .filter(delivery_log::id.eq_any(some))
                        .execute(connection)
                        .await?;
                }
            }
            Self::Attempts => {
                let some = delivery_attempts::table
                    .filter(delivery_attempts::created_at.lt(before))
                    .select((delivery_attempts::workspace_id, delivery_attempts::delivery_id))
                    .limit(AT_ONCE)
                    .load(connection)
                    .await?;
                for (workspace, some) in by_workspace(some) {
                    removed += diesel::delete(delivery_attempts::table)
                        .filter(delivery_attempts::workspace_id.eq(workspace))
                        .filter(delivery_attempts::created_at.lt(before))
                        .filter(delivery_attempts::delivery_id.eq_any(some))
                        .execute(connection)
                        .await?;
                }
            }
        }
        Ok(removed)
    }
}

/// Groups rows by workspace, since a change must name a single one.
fn by_workspace(rows: Vec<(uuid::Uuid, uuid::Uuid)>) -> BTreeMap<uuid::Uuid, Vec<uuid::Uuid>> {
    let mut by_workspace: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for (workspace, id) in rows {
        by_workspace.entry(workspace).or_default().push(id);
    }
    by_workspace
}

impl PgWebhooks {
    async fn make(&self, parted: Parted, day: Date) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        let has_strays = parted.has_strays(&mut connection, day).await.map_err(failed)?;
        drop(connection);
        if has_strays { Ok(()) } else { self.alter(parted, &parted.day(day), false, &parted.make(day)).await }
    }

    /// Changes the table of one day in a transaction of its own, unless another node has done so.
    async fn alter(
        &self,
        parted: Parted,
        name: &str,
        exists: bool,
        statements: &[String],
    ) -> Result<(), StoreError> {
        let mut transaction = self.database.begin().await?;
        transaction.batch_execute(WAIT).await.map_err(failed)?;
        let lock = diesel::select(pg_advisory_xact_lock(LOCK));
        lock.execute(&mut *transaction).await.map_err(failed)?;
        let days = parted.days(&mut transaction).await.map_err(failed)?;
        if days.iter().any(|day| day == name) == exists {
            // One by one: of two in one message a distributed database executes the first twice.
            for statement in statements {
                transaction.batch_execute(statement).await.map_err(failed)?;
            }
            tracing::info!(table = name, dropped = exists, "the log's days have changed");
        }
        transaction.commit().await
    }

    async fn remove_strays(&self, parted: Parted, before: OffsetDateTime) -> Result<(), StoreError> {
        let mut connection = self.database.connection().await?;
        while parted.remove_some(&mut connection, before).await.map_err(failed)? > 0 {}
        Ok(())
    }

    /// Removes deleted addresses for which nothing is queued any more, with their re-sends.
    async fn forget_addresses(
        &self,
        workspace: WorkspaceId,
        before: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let queued = delivery_queue::table
            .filter(delivery_queue::workspace_id.eq(workspace.uuid()))
            .filter(delivery_queue::address_id.eq(webhook_addresses::id))
            .filter(delivery_queue::due_at.is_not_null())
            .select(delivery_queue::delivery_id)
            .single_value();
        let transaction = self.database.transaction_delivering().await?;
        let gone = diesel::delete(webhook_addresses::table)
            .filter(webhook_addresses::workspace_id.eq(workspace.uuid()))
            .filter(webhook_addresses::deleted_at.lt(before))
            .filter(queued.is_null())
            .returning(webhook_addresses::id)
            .load::<uuid::Uuid>(&mut &*transaction);
        let gone = transaction.begin_with(gone).await.map_err(failed)?;
        let resends = diesel::delete(webhook_resends::table)
            .filter(webhook_resends::workspace_id.eq(workspace.uuid()))
            .filter(webhook_resends::address_id.eq_any(gone))
            .execute(&mut &*transaction);
        transaction.commit_with(resends).await.map_err(failed)?;
        Ok(())
    }
}

fn midnight(day: Date) -> OffsetDateTime {
    day.with_time(Time::MIDNIGHT).assume_utc()
}
