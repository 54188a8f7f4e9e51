//! The queue of deliveries: finding, claiming and releasing what is due.
//!
//! A plan is made once for a connection, perhaps while the queue is empty, when reading all of a workspace
//! seems as cheap as one look-up; a join by key may then read a million rows for each. So due deliveries are
//! found by one look-up for each address, in lateral subqueries that cannot be reordered, and statements that
//! list keys also name the first and the last: ids are in the order of their making, so their rows are close
//! together, and no plan reads more than what is between them.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{
    ExpressionMethods, QueryDsl, QueryableByName,
    sql_types::{Array, BigInt, Binary, Bool, Integer, Nullable, Text, Timestamptz, Uuid},
};
use domain::{
    errors::StoreError,
    events::EventType,
    ids::WorkspaceId,
    vault,
    webhooks::{
        DeliveryState, WebhookSecret,
        ports::{AttemptRecord, ClaimLimits, DeliveryQueue, DueDelivery, DueWorkspace, Leased, Taken},
    },
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::{
    first_and_last,
    mark::{LogKey, mark},
    results::Results,
};
use crate::{
    error::{failed, locked, unreadable},
    places,
    schema::delivery_queue,
    sql::{Prepared, RunQueryDsl, set_config, statement, update},
    webhooks::PgWebhooks,
};

/// One look-up in the index for each address, however much is due. Deliveries to an address that is not
/// enabled are stranded at once, not only when they are due.
pub(super) const DUE: &str = "
    SELECT address.workspace_id,
           min(queue.due_at) FILTER (WHERE address.state = 'enabled'
               OR address.state = 'disabled' AND queue.once AND queue.due_at <= :now) AS due_since,
           bool_or(address.state <> 'enabled' AND NOT (address.state = 'disabled' AND queue.once)) AS has_stranded
    FROM webhook_addresses address CROSS JOIN LATERAL (
        SELECT due_at, once FROM delivery_queue queue
        WHERE queue.workspace_id = address.workspace_id AND queue.address_id = address.id
          AND queue.due_at <= CASE WHEN address.state = 'enabled' THEN :now ELSE 'infinity' END
        ORDER BY queue.due_at LIMIT 1
    ) queue
    GROUP BY address.workspace_id";

/// Claims the deliveries longest due of each address that has room, and locks them; of a disabled address
/// only those attempted once in any state, which an index of their own finds first.
pub(super) const CLAIM: &str = "
    WITH target AS MATERIALIZED (
        SELECT address.id, address.url, address.secret_sealed, address.standard_headers,
               CASE WHEN address.previous_secret_until > :now THEN address.previous_secret_sealed END
                   AS previous_secret_sealed,
               coalesce(busy.room, :elsewhere) AS room, address.state = 'enabled' AS is_enabled
        FROM webhook_addresses address
        LEFT JOIN unnest(:addresses, :rooms) AS busy (address_id, room) ON busy.address_id = address.id
        WHERE address.workspace_id = :workspace
          AND (address.state = 'enabled' OR address.state = 'disabled' AND EXISTS (
              SELECT 1 FROM delivery_queue pinged
              WHERE pinged.workspace_id = :workspace AND pinged.address_id = address.id AND pinged.once))
    ), due AS MATERIALIZED (
        SELECT target.*, waiting.* FROM target CROSS JOIN LATERAL (
            SELECT delivery_id, created_at, attempt, due_at, once FROM delivery_queue queue
            WHERE queue.workspace_id = :workspace AND queue.address_id = target.id AND queue.due_at <= :now
              AND (queue.leased_until IS NULL OR queue.leased_until <= :now)
              AND (target.is_enabled OR queue.once)
            ORDER BY queue.due_at LIMIT target.room
            FOR UPDATE SKIP LOCKED
        ) waiting
        WHERE target.room > 0 LIMIT :most
    )
    SELECT due.delivery_id, due.id AS address_id, due.created_at, due.attempt, due.once, due.url,
           due.secret_sealed, due.previous_secret_sealed, due.standard_headers, log.event, log.body_sealed,
           log.trace_parent
    FROM due LEFT JOIN LATERAL (
        SELECT event, body_sealed, trace_parent FROM delivery_log log
        WHERE log.workspace_id = :workspace AND log.id = due.delivery_id AND log.created_at = due.created_at
        LIMIT 1
    ) log ON true";

/// A delivery that is being attempted is left to its result.
pub(super) const STRANDED: &str = "
    SELECT waiting.* FROM webhook_addresses address CROSS JOIN LATERAL (
        SELECT queue.delivery_id, queue.created_at FROM delivery_queue queue
        WHERE queue.workspace_id = :workspace AND queue.address_id = address.id
          AND queue.due_at IS NOT NULL AND (queue.leased_until IS NULL OR queue.leased_until <= :now)
          AND NOT (address.state = 'disabled' AND queue.once)
        ORDER BY queue.due_at LIMIT :most FOR UPDATE SKIP LOCKED
    ) waiting
    WHERE address.workspace_id = :workspace AND address.state <> 'enabled' LIMIT :most";

#[derive(QueryableByName)]
struct WorkspaceRow {
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    due_since: Option<OffsetDateTime>,
    #[diesel(sql_type = Bool)]
    has_stranded: bool,
}

#[derive(QueryableByName)]
struct DueRow {
    #[diesel(sql_type = Uuid)]
    delivery_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    address_id: uuid::Uuid,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Integer)]
    attempt: i32,
    #[diesel(sql_type = Bool)]
    once: bool,
    #[diesel(sql_type = Text)]
    url: String,
    #[diesel(sql_type = Binary)]
    secret_sealed: Vec<u8>,
    #[diesel(sql_type = Nullable<Binary>)]
    previous_secret_sealed: Option<Vec<u8>>,
    #[diesel(sql_type = Bool)]
    standard_headers: bool,
    #[diesel(sql_type = Nullable<Text>)]
    event: Option<String>,
    #[diesel(sql_type = Nullable<Binary>)]
    body_sealed: Option<Vec<u8>>,
    #[diesel(sql_type = Nullable<Text>)]
    trace_parent: Option<String>,
}

#[async_trait]
impl DeliveryQueue for PgWebhooks {
    async fn due_workspaces(&self, now: OffsetDateTime) -> Result<Vec<DueWorkspace>, StoreError> {
        let mut connection = self.database.delivering().await?;
        let found = statement(DUE).bind::<Timestamptz, _>("now", now).load(&mut connection).await;
        let unknown = |workspace_id| WorkspaceRow { workspace_id, due_since: Some(now), has_stranded: true };
        let found = self.database.or_living(&mut connection, found, unknown).await?;
        let due = |row: WorkspaceRow| DueWorkspace {
            workspace: row.workspace_id.into(),
            due_since: row.due_since,
            has_stranded: row.has_stranded,
        };
        Ok(found.into_iter().map(due).collect())
    }

    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limits: &ClaimLimits,
    ) -> Result<Taken, StoreError> {
        let (addresses, rooms): (Vec<_>, Vec<_>) =
            limits.rooms.iter().map(|(address, room)| (address.uuid(), i64::from(*room))).unzip();
        let transaction = self.database.transaction_delivering().await?;
        let due = statement(CLAIM)
            .of(workspace)
            .bind::<Timestamptz, _>("now", now)
            .bind::<Array<Uuid>, _>("addresses", addresses)
            .bind::<Array<BigInt>, _>("rooms", rooms)
            .bind::<BigInt, _>("elsewhere", i64::from(limits.room_elsewhere))
            .bind::<BigInt, _>("most", i64::from(limits.limit))
            .load::<DueRow>(&mut &*transaction);
        let rows = transaction.begin_with(due).await.map_err(failed)?;
        let keys = rows.iter().map(|row| row.delivery_id);
        let Some((first, last)) = first_and_last(keys) else { return Ok(Taken::default()) };
        // Does not wait for the disk: a claim undone by a crash is like a lease that ended early.
        let unsynced =
            diesel::select(set_config("synchronous_commit", "off", true)).execute(&mut &*transaction);
        // A list, not a join with one, which would go through the list for each row.
        let ids: Vec<_> = rows.iter().map(|row| row.delivery_id).collect();
        let lease = diesel::update(delivery_queue::table)
            .filter(delivery_queue::workspace_id.eq(workspace.uuid()))
            .filter(delivery_queue::delivery_id.between(first, last))
            .filter(delivery_queue::delivery_id.eq_any(ids))
            .set(delivery_queue::leased_until.eq(lease_until));
        let lease = Prepared(lease).execute(&mut &*transaction);
        transaction.commit_with(try_join(unsynced, lease)).await.map_err(failed)?;
        drop(transaction);
        let mut taken = Taken::default();
        let mut secrets = Secrets::default();
        for row in rows {
            let leased = Leased {
                id: row.delivery_id.into(),
                address: row.address_id.into(),
                created_at: row.created_at,
                attempt: u32::try_from(row.attempt).unwrap_or_default(),
                until: lease_until,
                once: row.once,
            };
            match self.open_due(workspace, row, leased, &mut secrets) {
                Ok(delivery) => taken.due.push(delivery),
                Err(error) => {
                    tracing::error!(delivery_id = %leased.id, %error, "a delivery cannot be read");
                    taken.unreadable.push(leased);
                }
            }
        }
        Ok(taken)
    }

    async fn record(&self, workspace: WorkspaceId, attempts: &[AttemptRecord]) -> Result<u32, StoreError> {
        if attempts.is_empty() {
            return Ok(0);
        }
        Results::sealed(&self.database, workspace, attempts)?.record(self).await
    }

    async fn release(&self, workspace: WorkspaceId, leased: &[Leased]) -> Result<(), StoreError> {
        let Some(ids) = first_and_last(leased.iter().map(|leased| leased.id.uuid())) else { return Ok(()) };
        let mut connection = self.database.delivering().await?;
        update(delivery_queue::table, workspace, leased)
            .key(delivery_queue::delivery_id, |leased| leased.id.uuid())
            .guard(delivery_queue::leased_until, |leased| leased.until)
            .set(delivery_queue::leased_until, |_| None::<OffsetDateTime>)
            .within(delivery_queue::delivery_id, ids)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }

    async fn hold(&self, workspace: WorkspaceId, now: OffsetDateTime, limit: u32) -> Result<u32, StoreError> {
        let transaction = self.database.transaction_delivering().await?;
        let stranded = statement(STRANDED)
            .of(workspace)
            .bind::<Timestamptz, _>("now", now)
            .bind::<BigInt, _>("most", i64::from(limit))
            .load::<LogKey>(&mut &*transaction);
        let held = transaction.begin_with(stranded).await.map_err(failed)?;
        let ids: Vec<_> = held.iter().map(|key| key.delivery_id).collect();
        if let Some((first, last)) = first_and_last(ids.iter().copied()) {
            let mut flight = transaction.flight();
            flight.add(
                diesel::delete(delivery_queue::table)
                    .filter(delivery_queue::workspace_id.eq(workspace.uuid()))
                    .filter(delivery_queue::delivery_id.between(first, last))
                    .filter(delivery_queue::delivery_id.eq_any(ids)),
            );
            mark(&mut flight, workspace, &held, Some(DeliveryState::Held));
            transaction.commit_with(flight.counts()).await.map_err(failed)?;
        }
        Ok(u32::try_from(held.len()).unwrap_or(u32::MAX))
    }

    async fn depth(&self) -> Result<u64, StoreError> {
        let mut connection = self.database.delivering().await?;
        let depth: i64 = delivery_queue::table.count().get_result(&mut connection).await.map_err(failed)?;
        Ok(u64::try_from(depth).unwrap_or_default())
    }
}

/// Secrets opened for one claim, since all rows of an address have the same. Keyed by place as well, so that
/// a secret opened for one address serves no other that has a copy of it.
type Secrets = HashMap<(String, Vec<u8>), WebhookSecret>;

impl PgWebhooks {
    fn open_due(
        &self,
        workspace: WorkspaceId,
        row: DueRow,
        leased: Leased,
        secrets: &mut Secrets,
    ) -> Result<DueDelivery, StoreError> {
        let body = row.body_sealed.ok_or_else(|| unreadable("body"))?;
        let address = leased.address;
        let previous = row
            .previous_secret_sealed
            .map(|sealed| self.open_secret(sealed, &places::previous_secret(workspace, address), secrets));
        let secret = self.open_secret(row.secret_sealed, &places::secret(workspace, address), secrets);
        Ok(DueDelivery {
            leased,
            url: row.url,
            secret: secret?,
            previous_secret: previous.transpose()?,
            standard_headers: row.standard_headers,
            event: read_event(&row.event.unwrap_or_default())?,
            body: self
                .database
                .vault
                .open(&body, &places::delivery_body(workspace, leased.id))
                .map_err(locked)?,
            trace_parent: row.trace_parent,
        })
    }

    fn open_secret(
        &self,
        sealed: Vec<u8>,
        place: &vault::SealContext,
        secrets: &mut Secrets,
    ) -> Result<WebhookSecret, StoreError> {
        let key = (place.bound().to_owned(), sealed);
        if let Some(secret) = secrets.get(&key) {
            return Ok(secret.clone());
        }
        let opened = self.database.vault.open(&key.1, place).map_err(locked)?;
        let secret = WebhookSecret::from(String::from_utf8(opened).map_err(|_| unreadable("secret"))?);
        Ok(secrets.entry(key).or_insert(secret).clone())
    }
}

pub(super) fn read_event(name: &str) -> Result<EventType, StoreError> {
    EventType::read(name).ok_or_else(|| unreadable("event"))
}
