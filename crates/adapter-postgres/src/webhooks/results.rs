//! Recording of a batch of attempts' results.

use std::collections::{BTreeMap, HashMap, HashSet};

use diesel::{ExpressionMethods, QueryDsl, QueryResult, Queryable, Selectable, SelectableHelper};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    live::LiveKind,
    webhooks::{
        AddressHealth, AddressState, DeliveryState, Failure, NextStep,
        ports::{AttemptRecord, DeliveryQueue},
    },
};
use futures_util::future::{try_join, try_join4};
use time::OffsetDateTime;

use super::{
    first_and_last,
    mark::{LogKey, mark},
};
use crate::{
    Database,
    error::{failed, locked},
    live, places,
    schema::{delivery_attempts, delivery_queue, webhook_addresses},
    sql::{Prepared, RunQueryDsl, insert, update},
    transaction::Flight,
    webhooks::PgWebhooks,
};

/// Most deliveries of a newly disabled address that are held together with it; the rest follow.
const HELD_AT_ONCE: u32 = 1_000;

#[derive(Queryable, Selectable)]
#[diesel(table_name = webhook_addresses)]
struct HealthRow {
    id: uuid::Uuid,
    state: String,
    consecutive_failures: i32,
    disabled_reason: Option<String>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = delivery_queue)]
struct QueuedRow {
    delivery_id: uuid::Uuid,
    attempt: i32,
    leased_until: Option<OffsetDateTime>,
}

type Healths = BTreeMap<uuid::Uuid, AddressHealth>;
type DeliveryIds = HashSet<uuid::Uuid>;

/// Results of one workspace's attempts.
///
/// A result counts if the queue still waits for this attempt under this lease. A success always counts:
/// another node that took the delivery over after its lease cannot undo it.
pub(super) struct Results<'a> {
    workspace: WorkspaceId,
    attempts: &'a [AttemptRecord],
    logged: Vec<(&'a AttemptRecord, Option<Vec<u8>>)>,
}

impl<'a> Results<'a> {
    pub(super) fn sealed(
        database: &Database,
        workspace: WorkspaceId,
        attempts: &'a [AttemptRecord],
    ) -> Result<Self, StoreError> {
        let seal = |record: &'a AttemptRecord| {
            let place = places::answer(workspace, record.leased.id, count(record.leased.attempt));
            let answer = (!record.answer.is_empty()).then(|| database.vault.seal(&record.answer, &place));
            Ok((record, answer.transpose().map_err(locked)?))
        };
        let logged = attempts.iter().map(seal).collect::<Result<_, _>>()?;
        Ok(Self { workspace, attempts, logged })
    }

    /// Records the results. Returns the number of those that came after their lease was lost.
    pub(super) async fn record(&self, store: &PgWebhooks) -> Result<u32, StoreError> {
        let settled = if self.attempts.iter().any(|record| record.next_step == NextStep::Failed) {
            self.record_failures(store).await?
        } else {
            self.record_others(store).await?
        };
        let lost = self.attempts.iter().filter(|record| !settled.contains(&id(record))).count();
        Ok(u32::try_from(lost).unwrap_or(u32::MAX))
    }

    /// Records results without final failures, in one flight and without locking addresses that have none.
    async fn record_others(&self, store: &PgWebhooks) -> Result<DeliveryIds, StoreError> {
        let transaction = store.database.transaction_delivering().await?;
        let connection = &*transaction;
        let delivered = self.of(|record| record.next_step == NextStep::Delivered);
        let written = try_join4(
            self.log(connection),
            self.finish(connection, &delivered),
            self.postpone(connection),
            self.heal(connection),
        );
        let (_, finished, postponed, _) = transaction.commit_with(written).await.map_err(failed)?;
        let settled: DeliveryIds = finished.into_iter().chain(postponed).collect();
        let arrived = self.arrived_late(&settled);
        if !arrived.is_empty() {
            let transaction = store.database.transaction_delivering().await?;
            let mut flight = transaction.flight();
            mark(&mut flight, self.workspace, &arrived, None);
            transaction.commit_with(flight.counts()).await.map_err(failed)?;
        }
        Ok(settled)
    }

    /// Records results with final failures. Locks addresses, then queue entries by id, to avoid deadlocks.
    async fn record_failures(&self, store: &PgWebhooks) -> Result<DeliveryIds, StoreError> {
        let transaction = store.database.transaction_delivering().await?;
        let connection = &*transaction;
        let locked = try_join(self.lock_addresses(connection), self.lock_queued(connection));
        let (before, queued) = transaction.begin_with(locked).await.map_err(failed)?;
        let settled = self.settled(&queued);
        let changed: Vec<_> = changed_health(&before, self.attempts, &settled).into_iter().collect();
        let counts = |record: &AttemptRecord| settled.contains(&id(record));
        let finished = self.of(|record| counts(record) && !matches!(record.next_step, NextStep::RetryAt(_)));
        let given_up: Vec<_> = self
            .attempts
            .iter()
            .filter(|record| record.next_step == NextStep::Failed && counts(record))
            .map(place)
            .collect();
        let mut flight = transaction.flight();
        mark(&mut flight, self.workspace, &given_up, Some(DeliveryState::Failed));
        mark(&mut flight, self.workspace, &self.arrived_late(&settled), None);
        self.keep_health(&mut flight, &changed);
        if changed.iter().any(|(id, health)| before.get(id).map(|was| was.state) != Some(health.state)) {
            live::tell(&mut flight, self.workspace, LiveKind::WebhooksChanged, &[(None, None)]);
        }
        let written = try_join4(
            self.log(connection),
            self.finish(connection, &finished),
            self.postpone(connection),
            flight.counts(),
        );
        transaction.commit_with(written).await.map_err(failed)?;
        if changed.iter().any(|(_, health)| health.state == AddressState::Disabled) {
            let now = self.attempts.iter().map(|record| record.started_at).max();
            let held = store.hold(self.workspace, now.unwrap_or(OffsetDateTime::UNIX_EPOCH), HELD_AT_ONCE);
            // The results are recorded: what is not held now is held at the next look at the queue.
            if let Err(error) = held.await {
                tracing::warn!(%error, workspace_id = %self.workspace, "not held yet");
            }
        }
        Ok(settled)
    }

    fn of(&self, which: impl Fn(&AttemptRecord) -> bool) -> Vec<uuid::Uuid> {
        self.attempts.iter().filter(|record| which(record)).map(id).collect()
    }

    fn addresses(&self, which: impl Fn(&AttemptRecord) -> bool) -> Vec<uuid::Uuid> {
        let records = self.attempts.iter().filter(|record| which(record));
        let mut ids: Vec<_> = records.map(|record| record.leased.address.uuid()).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    /// Returns deliveries that succeeded after they had left the queue.
    fn arrived_late(&self, settled: &DeliveryIds) -> Vec<LogKey> {
        let late = |record: &&AttemptRecord| {
            record.next_step == NextStep::Delivered && !settled.contains(&id(record))
        };
        self.attempts.iter().filter(late).map(place).collect()
    }

    /// Returns the deliveries whose results count, by their locked queue entries.
    fn settled(&self, queued: &[QueuedRow]) -> DeliveryIds {
        let queued: HashMap<_, _> = queued.iter().map(|row| (row.delivery_id, row)).collect();
        self.of(|record| {
            queued.get(&id(record)).is_some_and(|row| {
                record.next_step == NextStep::Delivered
                    || row.attempt == count(record.leased.attempt)
                        && row.leased_until.map(microseconds) == Some(microseconds(record.leased.until))
            })
        })
        .into_iter()
        .collect()
    }

    async fn lock_addresses(&self, connection: &AsyncPgConnection) -> QueryResult<Healths> {
        let rows: Vec<HealthRow> = webhook_addresses::table
            .filter(webhook_addresses::workspace_id.eq(self.workspace.uuid()))
            .filter(
                webhook_addresses::id
                    .eq_any(self.addresses(|record| !matches!(record.next_step, NextStep::RetryAt(_)))),
            )
            .order(webhook_addresses::id)
            .select(HealthRow::as_select())
            .for_no_key_update()
            .load(&mut { connection })
            .await?;
        Ok(rows.into_iter().map(|row| (row.id, row.health())).collect())
    }

    async fn lock_queued(&self, connection: &AsyncPgConnection) -> QueryResult<Vec<QueuedRow>> {
        let ids = self.of(|_| true);
        let Some((first, last)) = first_and_last(ids.iter().copied()) else { return Ok(Vec::new()) };
        delivery_queue::table
            .filter(delivery_queue::workspace_id.eq(self.workspace.uuid()))
            .filter(delivery_queue::delivery_id.between(first, last))
            .filter(delivery_queue::delivery_id.eq_any(ids))
            .order(delivery_queue::delivery_id)
            .select(QueuedRow::as_select())
            .for_update()
            .load(&mut { connection })
            .await
    }

    /// Logs each attempt once, whether its result counts or not.
    async fn log(&self, connection: &AsyncPgConnection) -> QueryResult<usize> {
        insert(delivery_attempts::table, self.workspace, &self.logged)
            .column(delivery_attempts::delivery_id, |(record, _)| id(record))
            .column(delivery_attempts::attempt, |(record, _)| count(record.leased.attempt))
            .column(delivery_attempts::started_at, |(record, _)| record.started_at)
            .column(delivery_attempts::duration_ms, |(record, _)| record.duration_ms)
            .column(delivery_attempts::status, |(record, _)| status(record))
            .column(delivery_attempts::failure, |(record, _)| words(record))
            .column(delivery_attempts::answer_sealed, |(_, answer)| answer.as_deref())
            .column(delivery_attempts::created_at, |(record, _)| record.leased.created_at)
            .on_conflict_do_nothing()
            .execute(&mut { connection })
            .await
    }

    /// Removes these deliveries from the queue. Returns those that were in it.
    async fn finish(
        &self,
        connection: &AsyncPgConnection,
        ids: &[uuid::Uuid],
    ) -> QueryResult<Vec<uuid::Uuid>> {
        let Some((first, last)) = first_and_last(ids.iter().copied()) else { return Ok(Vec::new()) };
        diesel::delete(delivery_queue::table)
            .filter(delivery_queue::workspace_id.eq(self.workspace.uuid()))
            .filter(delivery_queue::delivery_id.between(first, last))
            .filter(delivery_queue::delivery_id.eq_any(ids))
            .returning(delivery_queue::delivery_id)
            .load(&mut { connection })
            .await
    }

    /// Schedules the next attempts. Returns the deliveries whose results count.
    async fn postpone(&self, connection: &AsyncPgConnection) -> QueryResult<Vec<uuid::Uuid>> {
        let again: Vec<(&AttemptRecord, OffsetDateTime)> = self
            .attempts
            .iter()
            .filter_map(|record| match record.next_step {
                NextStep::RetryAt(at) => Some((record, at)),
                NextStep::Delivered | NextStep::Failed => None,
            })
            .collect();
        let ids = first_and_last(again.iter().map(|(record, _)| id(record)));
        let Some(ids) = ids else { return Ok(Vec::new()) };
        update(delivery_queue::table, self.workspace, &again)
            .key(delivery_queue::delivery_id, |(record, _)| id(record))
            .guard(delivery_queue::attempt, |(record, _)| count(record.leased.attempt))
            .guard(delivery_queue::leased_until, |(record, _)| record.leased.until)
            .set(delivery_queue::attempt, |(record, _)| count(record.leased.attempt.saturating_add(1)))
            .set(delivery_queue::due_at, |(_, at)| *at)
            .set(delivery_queue::leased_until, |_| None::<OffsetDateTime>)
            .within(delivery_queue::delivery_id, ids)
            .returning(delivery_queue::delivery_id)
            .load(&mut { connection })
            .await
    }

    /// Resets the failures of addresses with a success.
    async fn heal(&self, connection: &AsyncPgConnection) -> QueryResult<usize> {
        let healed = self.addresses(|record| record.next_step == NextStep::Delivered);
        if healed.is_empty() {
            return Ok(0);
        }
        let healed = diesel::update(webhook_addresses::table)
            .filter(webhook_addresses::workspace_id.eq(self.workspace.uuid()))
            .filter(webhook_addresses::id.eq_any(healed))
            .filter(webhook_addresses::consecutive_failures.gt(0))
            .set(webhook_addresses::consecutive_failures.eq(0));
        Prepared(healed).execute(&mut { connection }).await
    }

    fn keep_health(&self, flight: &mut Flight<'_>, changed: &[(uuid::Uuid, AddressHealth)]) {
        flight.update(
            update(webhook_addresses::table, self.workspace, changed)
                .key(webhook_addresses::id, |(id, _)| *id)
                .set(webhook_addresses::state, |(_, health)| health.state.as_str())
                .set(webhook_addresses::consecutive_failures, |(_, health)| {
                    count(health.consecutive_failures)
                })
                .set(webhook_addresses::disabled_reason, |(_, health)| health.disabled_reason.as_deref())
                .when("webhook_addresses.state <> 'deleted'"),
        );
    }
}

impl HealthRow {
    fn health(self) -> AddressHealth {
        let enabled = self.state == AddressState::Enabled.as_str();
        AddressHealth {
            state: if enabled { AddressState::Enabled } else { AddressState::Disabled },
            consecutive_failures: u32::try_from(self.consecutive_failures).unwrap_or_default(),
            disabled_reason: self.disabled_reason,
        }
    }
}

/// Computes the addresses' health after the results that count, in their order; returns those that changed.
/// An unreadable delivery is not the fault of its address.
fn changed_health(before: &Healths, attempts: &[AttemptRecord], settled: &DeliveryIds) -> Healths {
    let mut after = before.clone();
    for record in attempts.iter().filter(|record| settled.contains(&id(record))) {
        let failure = match (record.next_step, &record.outcome) {
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

fn id(record: &AttemptRecord) -> uuid::Uuid {
    record.leased.id.uuid()
}

fn place(record: &AttemptRecord) -> LogKey {
    LogKey { delivery_id: id(record), created_at: record.leased.created_at }
}

fn status(record: &AttemptRecord) -> Option<i32> {
    match &record.outcome {
        Ok(status) => Some(i32::from(*status)),
        Err(failure) => failure.status().map(i32::from),
    }
}

fn words(record: &AttemptRecord) -> Option<String> {
    record.outcome.as_ref().err().map(ToString::to_string)
}

/// Rounds a time to the precision of the database.
fn microseconds(at: OffsetDateTime) -> i128 {
    at.unix_timestamp_nanos() / 1_000
}

fn count(value: u32) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX)
}
