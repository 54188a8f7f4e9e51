//! Writing down what a batch of attempts came to.

use std::collections::{BTreeMap, HashSet};

use diesel::{
    QueryResult, QueryableByName,
    sql_types::{Array, BigInt, Binary, Integer, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    webhooks::{
        AddressHealth, AddressState, DeliveryState, Failure, NextStep,
        ports::{AttemptRecord, DeliveryQueue},
    },
};
use time::OffsetDateTime;

use super::mark::{LogKey, mark};
use crate::{
    PgStore,
    error::{failed, locked},
    places,
    sql::{Bind, at_places, sql},
};

/// Deliveries of a newly disabled address that are held with it; the rest follow.
const HELD_AT_ONCE: u32 = 1_000;

/// In the order of their ids, so that two batches cannot wait for each other.
pub(super) const LOCK_ADDRESSES: &str = "
    SELECT id, state, consecutive_failures, disabled_reason FROM webhook_addresses
    WHERE workspace_id = $1 AND id = ANY($2)
    ORDER BY id FOR NO KEY UPDATE";

/// A result counts when the queue still waits for this very attempt under this very lease. A success counts
/// always: another node that took the delivery over when its lease had run out cannot undo it. A success to the
/// addresses of $13 ends their failures. Without joins: see the queue.
pub(super) const SETTLE: &str = concat!(
    "WITH result AS MATERIALIZED (
        SELECT * FROM unnest($2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) AS result
            (delivery_id, created_at, attempt, leased_until, started_at, duration_ms, status, failure,
             answer_sealed, verdict, due_at)
    ), logged AS (
        INSERT INTO delivery_attempts
            (workspace_id, delivery_id, attempt, started_at, duration_ms, status, failure, answer_sealed,
             created_at)
        SELECT $1, delivery_id, attempt, started_at, duration_ms, status, failure, answer_sealed, created_at
        FROM result
        ON CONFLICT DO NOTHING
    ), finished AS (
        DELETE FROM delivery_queue WHERE ",
    at_places!(
        "delivery_queue",
        "SELECT queued.place FROM result CROSS JOIN LATERAL (
                SELECT queue.ctid AS place FROM delivery_queue queue
                WHERE queue.workspace_id = $1 AND queue.delivery_id = result.delivery_id
                  AND (result.verdict = 'delivered' OR (
                      queue.attempt = result.attempt AND queue.leased_until = result.leased_until))
                LIMIT 1
            ) queued
            WHERE result.verdict <> 'retry'"
    ),
    " RETURNING delivery_id
    ), postponed AS (
        INSERT INTO delivery_queue (workspace_id, delivery_id, address_id, attempt, due_at, created_at)
        SELECT $1, queued.delivery_id, queued.address_id, queued.attempt + 1, result.due_at, queued.created_at
        FROM result CROSS JOIN LATERAL (
            SELECT * FROM delivery_queue queue
            WHERE queue.workspace_id = $1 AND queue.delivery_id = result.delivery_id
              AND queue.attempt = result.attempt AND queue.leased_until = result.leased_until
            LIMIT 1 FOR UPDATE
        ) queued
        WHERE result.verdict = 'retry'
        ON CONFLICT (workspace_id, delivery_id) DO UPDATE
            SET attempt = excluded.attempt, due_at = excluded.due_at, leased_until = NULL
        RETURNING delivery_id
    ), healed AS (
        UPDATE webhook_addresses SET consecutive_failures = 0
        WHERE workspace_id = $1 AND id = ANY($13) AND consecutive_failures > 0
    )
    SELECT delivery_id FROM finished UNION ALL SELECT delivery_id FROM postponed"
);

pub(super) const KEEP_HEALTH: &str = "
    UPDATE webhook_addresses address
    SET state = health.state, consecutive_failures = health.consecutive_failures,
        disabled_reason = health.disabled_reason
    FROM unnest($2, $3, $4, $5) AS health (id, state, consecutive_failures, disabled_reason)
    WHERE address.workspace_id = $1 AND address.id = health.id AND address.state <> 'deleted'";

#[derive(QueryableByName)]
struct HealthRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    state: String,
    #[diesel(sql_type = Integer)]
    consecutive_failures: i32,
    #[diesel(sql_type = Nullable<Text>)]
    disabled_reason: Option<String>,
}

#[derive(QueryableByName)]
struct SettledRow {
    #[diesel(sql_type = Uuid)]
    delivery_id: uuid::Uuid,
}

type Healths = BTreeMap<uuid::Uuid, AddressHealth>;
type SettledIds = HashSet<uuid::Uuid>;

impl PgStore {
    pub(super) async fn record_attempts(
        &self,
        workspace: WorkspaceId,
        attempts: &[AttemptRecord],
    ) -> Result<u32, StoreError> {
        if attempts.is_empty() {
            return Ok(0);
        }
        let answers = attempts
            .iter()
            .map(|record| self.seal_answer(workspace, record))
            .collect::<Result<Vec<_>, _>>()?;
        let batch = Batch { workspace, attempts, answers: &answers };
        let settled = if attempts.iter().any(|record| record.verdict == NextStep::Failed) {
            self.record_failures(&batch).await?
        } else {
            // No failure to count: one statement, and no lock on an address.
            let mut connection = self.delivering().await?;
            let healed = ids_of(attempts, |record| record.verdict == NextStep::Delivered);
            let settled = batch.settle(&mut connection, &healed).await.map_err(failed)?;
            batch.mark(&mut connection, &settled).await.map_err(failed)?;
            settled
        };
        let lost = attempts.iter().filter(|record| !settled.contains(&record.leased.id.uuid())).count();
        Ok(u32::try_from(lost).unwrap_or(u32::MAX))
    }

    async fn record_failures(&self, batch: &Batch<'_>) -> Result<SettledIds, StoreError> {
        let mut transaction = self.begin_delivering().await?;
        let before = batch.lock_addresses(&mut transaction).await.map_err(failed)?;
        let settled = batch.settle(&mut transaction, &[]).await.map_err(failed)?;
        batch.mark(&mut transaction, &settled).await.map_err(failed)?;
        let changed = changed_health(&before, batch.attempts, &settled);
        if !changed.is_empty() {
            batch.keep_health(&mut transaction, &changed).await.map_err(failed)?;
        }
        transaction.commit().await?;
        if changed.values().any(|health| health.state == AddressState::Disabled) {
            let now = batch.attempts.iter().map(|record| record.started_at).max();
            let held = self.hold(batch.workspace, now.unwrap_or(OffsetDateTime::UNIX_EPOCH), HELD_AT_ONCE);
            // The results are written: what is not held now is held when the queue is looked at next.
            if let Err(error) = held.await {
                tracing::warn!(%error, workspace_id = %batch.workspace, "not held yet");
            }
        }
        Ok(settled)
    }

    fn seal_answer(
        &self,
        workspace: WorkspaceId,
        record: &AttemptRecord,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        if record.answer.is_empty() {
            return Ok(None);
        }
        let place = places::answer(workspace, record.leased.id, count(record.leased.attempt));
        self.vault.seal(&record.answer, &place).map(Some).map_err(locked)
    }
}

/// The addresses of some results.
fn ids_of(attempts: &[AttemptRecord], which: impl Fn(&&AttemptRecord) -> bool) -> Vec<uuid::Uuid> {
    let mut ids: Vec<_> = attempts.iter().filter(which).map(|record| record.leased.address.uuid()).collect();
    ids.sort_unstable();
    ids.dedup();
    ids
}

/// Results of one workspace.
struct Batch<'a> {
    workspace: WorkspaceId,
    attempts: &'a [AttemptRecord],
    answers: &'a [Option<Vec<u8>>],
}

impl Batch<'_> {
    fn column<T>(&self, value: impl Fn(&AttemptRecord) -> T) -> Vec<T> {
        self.attempts.iter().map(value).collect()
    }

    /// The health of every address that has a final result.
    async fn lock_addresses(&self, connection: &mut AsyncPgConnection) -> QueryResult<Healths> {
        let rows: Vec<HealthRow> = sql(LOCK_ADDRESSES)
            .bind::<Uuid, _>(self.workspace.uuid())
            .bind::<Array<Uuid>, _>(ids_of(self.attempts, |record| {
                !matches!(record.verdict, NextStep::RetryAt(_))
            }))
            .load(connection)
            .await?;
        let health = |row: HealthRow| {
            let enabled = row.state == AddressState::Enabled.as_str();
            let health = AddressHealth {
                state: if enabled { AddressState::Enabled } else { AddressState::Disabled },
                consecutive_failures: u32::try_from(row.consecutive_failures).unwrap_or_default(),
                disabled_reason: row.disabled_reason,
            };
            (row.id, health)
        };
        Ok(rows.into_iter().map(health).collect())
    }

    /// Writes attempts, states and next due times. Answers the deliveries whose result counts.
    async fn settle(
        &self,
        connection: &mut AsyncPgConnection,
        healed: &[uuid::Uuid],
    ) -> QueryResult<SettledIds> {
        let status = |record: &AttemptRecord| match &record.outcome {
            Ok(status) => Some(i32::from(*status)),
            Err(failure) => failure.status().map(i32::from),
        };
        let verdict = |record: &AttemptRecord| match record.verdict {
            NextStep::Delivered => "delivered",
            NextStep::RetryAt(_) => "retry",
            NextStep::Failed => "failed",
        };
        let due_at = |record: &AttemptRecord| match record.verdict {
            NextStep::RetryAt(at) => Some(at),
            NextStep::Delivered | NextStep::Failed => None,
        };
        let settled: Vec<SettledRow> = sql(SETTLE)
            .bind::<Uuid, _>(self.workspace.uuid())
            .bind::<Array<Uuid>, _>(self.column(|record| record.leased.id.uuid()))
            .bind::<Array<Timestamptz>, _>(self.column(|record| record.leased.created_at))
            .bind::<Array<Integer>, _>(self.column(|record| count(record.leased.attempt)))
            .bind::<Array<Timestamptz>, _>(self.column(|record| record.leased.until))
            .bind::<Array<Timestamptz>, _>(self.column(|record| record.started_at))
            .bind::<Array<BigInt>, _>(self.column(|record| record.duration_ms))
            .bind::<Array<Nullable<Integer>>, _>(self.column(status))
            .bind::<Array<Nullable<Text>>, _>(self.column(words))
            .bind::<Array<Nullable<Binary>>, _>(self.answers)
            .bind::<Array<Text>, _>(self.column(verdict))
            .bind::<Array<Nullable<Timestamptz>>, _>(self.column(due_at))
            .bind::<Array<Uuid>, _>(healed)
            .load(connection)
            .await?;
        Ok(settled.into_iter().map(|row| row.delivery_id).collect())
    }

    /// Says in the log what was given up on, and what has arrived though nothing of it was queued any more.
    async fn mark(&self, connection: &mut AsyncPgConnection, settled: &SettledIds) -> QueryResult<()> {
        let places = |verdict, counts| {
            let places = self.attempts.iter().filter(move |record| {
                record.verdict == verdict && settled.contains(&record.leased.id.uuid()) == counts
            });
            let place = |record: &AttemptRecord| LogKey {
                delivery_id: record.leased.id.uuid(),
                created_at: record.leased.created_at,
            };
            places.map(place).collect::<Vec<_>>()
        };
        let failed = places(NextStep::Failed, true);
        mark(connection, self.workspace, &failed, Some(DeliveryState::Failed)).await?;
        mark(connection, self.workspace, &places(NextStep::Delivered, false), None).await
    }

    async fn keep_health(&self, connection: &mut AsyncPgConnection, changed: &Healths) -> QueryResult<()> {
        let health = changed.values();
        sql(KEEP_HEALTH)
            .bind::<Uuid, _>(self.workspace.uuid())
            .bind::<Array<Uuid>, _>(changed.keys().copied().collect::<Vec<_>>())
            .bind::<Array<Text>, _>(health.clone().map(|it| it.state.as_str()).collect::<Vec<_>>())
            .bind::<Array<Integer>, _>(
                health.clone().map(|it| count(it.consecutive_failures)).collect::<Vec<_>>(),
            )
            .bind::<Array<Nullable<Text>>, _>(
                health.map(|it| it.disabled_reason.as_deref()).collect::<Vec<_>>(),
            )
            .execute(connection)
            .await?;
        Ok(())
    }
}

/// The addresses whose health is another after the results that count, taken in their order. What could not be
/// read is no fault of its address.
fn changed_health(before: &Healths, attempts: &[AttemptRecord], settled: &SettledIds) -> Healths {
    let mut after = before.clone();
    for record in attempts.iter().filter(|record| settled.contains(&record.leased.id.uuid())) {
        let failure = match (record.verdict, &record.outcome) {
            (NextStep::RetryAt(_), _) | (_, Err(Failure::Unreadable)) => continue,
            (NextStep::Delivered, _) => None,
            (NextStep::Failed, _) => Some(words(record).unwrap_or_default()),
        };
        if let Some(health) = after.remove(&record.leased.address.uuid()) {
            after.insert(record.leased.address.uuid(), health.after(failure.as_deref()));
        }
    }
    after.retain(|id, health| before.get(id) != Some(health));
    after
}

/// Why an attempt failed.
fn words(record: &AttemptRecord) -> Option<String> {
    record.outcome.as_ref().err().map(ToString::to_string)
}

fn count(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}
