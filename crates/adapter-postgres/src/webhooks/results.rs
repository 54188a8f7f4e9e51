//! Writing down what a batch of attempts came to.

use std::collections::{BTreeMap, HashSet};

use diesel::{
    QueryResult, QueryableByName,
    sql_types::{Array, BigInt, Bool, Integer, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    webhooks::{AddressHealth, AddressState, Verdict, ports::AttemptRecord},
};

use crate::{
    PgStore,
    error::failed,
    sql::{Bind, sql},
};

/// In the order of their ids, so that two batches cannot wait for each other. Without KEY: new deliveries,
/// which refer to the address, need not wait.
const LOCK_ADDRESSES: &str = "
    SELECT id, state, consecutive_failures, disabled_reason FROM webhook_addresses
    WHERE workspace_id = $1 AND id = ANY($2)
    ORDER BY id FOR NO KEY UPDATE";

/// A result counts when the queue still waits for this very attempt. A success counts always: another node that
/// took the delivery over when its lease had run out cannot undo it.
const SETTLE: &str = "
    WITH result AS (
        SELECT * FROM unnest($2, $3, $4, $5, $6, $7, $8, $9)
            AS result (delivery_id, attempt, started_at, duration_ms, status, failure, verdict, due_at)
    ), queue AS MATERIALIZED (
        SELECT delivery_id, attempt FROM delivery_queue
        WHERE workspace_id = $1 AND delivery_id = ANY($2)
        ORDER BY delivery_id FOR UPDATE
    ), settled AS (
        UPDATE deliveries delivery
        SET attempts = greatest(delivery.attempts, result.attempt),
            state = CASE
                WHEN result.verdict = 'delivered' THEN 'delivered'
                WHEN result.verdict = 'failed' AND queue.attempt = result.attempt THEN 'failed'
                ELSE delivery.state END
        FROM result LEFT JOIN queue ON queue.delivery_id = result.delivery_id
        WHERE delivery.workspace_id = $1 AND delivery.id = result.delivery_id
        RETURNING delivery.id, result.attempt, result.started_at, result.duration_ms, result.status,
                  result.failure, result.verdict, result.due_at,
                  result.verdict = 'delivered' OR queue.attempt IS NOT DISTINCT FROM result.attempt AS counts
    ), attempt AS (
        INSERT INTO delivery_attempts
            (workspace_id, delivery_id, attempt, started_at, duration_ms, status, failure)
        SELECT $1, id, attempt, started_at, duration_ms, status, failure FROM settled
        ON CONFLICT DO NOTHING
    ), finished AS (
        DELETE FROM delivery_queue USING settled
        WHERE workspace_id = $1 AND delivery_id = settled.id AND counts AND verdict <> 'retry'
    ), postponed AS (
        UPDATE delivery_queue SET attempt = settled.attempt + 1, due_at = settled.due_at FROM settled
        WHERE workspace_id = $1 AND delivery_id = settled.id AND counts AND verdict = 'retry'
    )
    SELECT id, counts FROM settled";

const KEEP_HEALTH: &str = "
    WITH health AS (
        SELECT * FROM unnest($2, $3, $4, $5) AS health (id, state, consecutive_failures, disabled_reason)
    ), kept AS (
        UPDATE webhook_addresses address
        SET state = health.state, consecutive_failures = health.consecutive_failures,
            disabled_reason = health.disabled_reason
        FROM health WHERE address.workspace_id = $1 AND address.id = health.id
    ), dropped AS (
        DELETE FROM delivery_queue queue USING health
        WHERE queue.workspace_id = $1 AND queue.address_id = health.id AND health.state = 'disabled'
        RETURNING queue.delivery_id
    )
    UPDATE deliveries delivery SET state = 'held' FROM dropped
    WHERE delivery.workspace_id = $1 AND delivery.id = dropped.delivery_id";

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
    id: uuid::Uuid,
    #[diesel(sql_type = Bool)]
    counts: bool,
}

type Healths = BTreeMap<uuid::Uuid, AddressHealth>;

impl PgStore {
    pub(super) async fn record_attempts(
        &self,
        workspace: WorkspaceId,
        attempts: &[AttemptRecord],
    ) -> Result<(), StoreError> {
        if attempts.is_empty() {
            return Ok(());
        }
        let mut transaction = self.begin().await?;
        let before = lock_addresses(&mut transaction, workspace, attempts).await.map_err(failed)?;
        let counting = settle(&mut transaction, workspace, attempts).await.map_err(failed)?;
        let changed = changed_health(&before, attempts, &counting);
        if !changed.is_empty() {
            keep_health(&mut transaction, workspace, &changed).await.map_err(failed)?;
        }
        transaction.commit().await
    }
}

/// The health of every address that has a final result.
async fn lock_addresses(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    attempts: &[AttemptRecord],
) -> QueryResult<Healths> {
    let is_final = |attempt: &&AttemptRecord| !matches!(attempt.verdict, Verdict::RetryAt(_));
    let ids: HashSet<uuid::Uuid> =
        attempts.iter().filter(is_final).map(|attempt| attempt.address.uuid()).collect();
    if ids.is_empty() {
        return Ok(Healths::new());
    }
    let rows: Vec<HealthRow> = sql(LOCK_ADDRESSES)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(ids.into_iter().collect::<Vec<_>>())
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
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    attempts: &[AttemptRecord],
) -> QueryResult<HashSet<uuid::Uuid>> {
    fn column<T>(attempts: &[AttemptRecord], value: impl Fn(&AttemptRecord) -> T) -> Vec<T> {
        attempts.iter().map(value).collect()
    }
    let status = |record: &AttemptRecord| match &record.outcome {
        Ok(status) => Some(i32::from(*status)),
        Err(failure) => failure.status().map(i32::from),
    };
    let verdict = |record: &AttemptRecord| match record.verdict {
        Verdict::Delivered => "delivered",
        Verdict::RetryAt(_) => "retry",
        Verdict::Failed => "failed",
    };
    let due_at = |record: &AttemptRecord| match record.verdict {
        Verdict::RetryAt(at) => Some(at),
        Verdict::Delivered | Verdict::Failed => None,
    };
    let settled: Vec<SettledRow> = sql(SETTLE)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(column(attempts, |record| record.delivery.uuid()))
        .bind::<Array<Integer>, _>(column(attempts, |record| count(record.attempt)))
        .bind::<Array<Timestamptz>, _>(column(attempts, |record| record.started_at))
        .bind::<Array<BigInt>, _>(column(attempts, |record| record.duration_ms))
        .bind::<Array<Nullable<Integer>>, _>(column(attempts, status))
        .bind::<Array<Nullable<Text>>, _>(column(attempts, words))
        .bind::<Array<Text>, _>(column(attempts, verdict))
        .bind::<Array<Nullable<Timestamptz>>, _>(column(attempts, due_at))
        .load(connection)
        .await?;
    Ok(settled.into_iter().filter(|row| row.counts).map(|row| row.id).collect())
}

/// The addresses whose health is another after the results that count, taken in their order.
fn changed_health(before: &Healths, attempts: &[AttemptRecord], counting: &HashSet<uuid::Uuid>) -> Healths {
    let mut after = before.clone();
    for record in attempts.iter().filter(|record| counting.contains(&record.delivery.uuid())) {
        let failure = match record.verdict {
            Verdict::RetryAt(_) => continue,
            Verdict::Delivered => None,
            Verdict::Failed => Some(words(record).unwrap_or_default()),
        };
        if let Some(health) = after.remove(&record.address.uuid()) {
            after.insert(record.address.uuid(), health.after(failure.as_deref()));
        }
    }
    after.retain(|id, health| before.get(id) != Some(health));
    after
}

async fn keep_health(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    changed: &Healths,
) -> QueryResult<()> {
    let health = changed.values();
    sql(KEEP_HEALTH)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(changed.keys().copied().collect::<Vec<_>>())
        .bind::<Array<Text>, _>(health.clone().map(|it| it.state.as_str()).collect::<Vec<_>>())
        .bind::<Array<Integer>, _>(
            health.clone().map(|it| count(it.consecutive_failures)).collect::<Vec<_>>(),
        )
        .bind::<Array<Nullable<Text>>, _>(health.map(|it| it.disabled_reason.as_deref()).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}

/// Why an attempt failed.
fn words(record: &AttemptRecord) -> Option<String> {
    record.outcome.as_ref().err().map(ToString::to_string)
}

fn count(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}
