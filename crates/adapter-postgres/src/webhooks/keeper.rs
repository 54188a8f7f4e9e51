//! The log's days: a table for each, made ahead and dropped after its month.

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{BigInt, Bool, Text, Timestamptz},
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

const TRY_LOCK: &str = "SELECT pg_try_advisory_xact_lock($1) AS holds";

/// How long a change of the days may wait for statements under way, while others wait behind it.
const WAIT: &str = "SET LOCAL lock_timeout = '2s'";

const DAYS: &str = "
    SELECT child.relname::text AS name FROM pg_inherits
    JOIN pg_class child ON child.oid = inhrelid
    WHERE inhparent = to_regclass($1)";

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
    Parted {
        name: "delivery_log",
        has_strays: "SELECT EXISTS (SELECT FROM delivery_log_default
                     WHERE created_at >= $1 AND created_at < $2) AS holds",
        remove_strays: "DELETE FROM delivery_log_default WHERE (workspace_id, id, created_at) IN (
                            SELECT workspace_id, id, created_at FROM delivery_log_default
                            WHERE created_at < $1 LIMIT $2)",
    },
    Parted {
        name: "delivery_attempts",
        has_strays: "SELECT EXISTS (SELECT FROM delivery_attempts_default
                     WHERE created_at >= $1 AND created_at < $2) AS holds",
        remove_strays: "DELETE FROM delivery_attempts_default
                        WHERE (workspace_id, delivery_id, attempt, created_at) IN (
                            SELECT workspace_id, delivery_id, attempt, created_at FROM delivery_attempts_default
                            WHERE created_at < $1 LIMIT $2)",
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
        let mut transaction = self.begin().await?;
        let lock = sql(TRY_LOCK).bind::<BigInt, _>(LOCK);
        if !lock.get_result::<Holds>(&mut *transaction).await.map_err(failed)?.holds {
            return Ok(());
        }
        for parted in &PARTED {
            let mut changes = vec![WAIT.to_owned()];
            let days: Vec<Name> =
                sql(DAYS).bind::<Text, _>(parted.name).load(&mut *transaction).await.map_err(failed)?;
            let days: Vec<String> = days.into_iter().map(|row| row.name).collect();
            let ahead = std::iter::successors(Some(now.date()), |day| day.next_day());
            for day in ahead.take_while(|day| *day <= until.date()) {
                if !days.contains(&parted.day(day)) && !parted.has_strays(&mut transaction, day).await? {
                    changes.push(parted.make(day));
                }
            }
            // A day is past when its last moment is.
            let is_past = |name: &&String| name.as_str() > parted.name && **name < parted.day(before.date());
            let is_day = |name: &&String| !name.ends_with("default");
            changes
                .extend(days.iter().filter(is_day).filter(is_past).map(|name| format!("DROP TABLE {name}")));
            if changes.len() > 1 {
                tracing::info!(table = parted.name, changes = changes.len() - 1, "the log's days change");
                transaction.batch_execute(&changes.join(";\n")).await.map_err(failed)?;
            }
        }
        transaction.commit().await?;
        for parted in &PARTED {
            self.remove_strays(parted, before).await?;
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
