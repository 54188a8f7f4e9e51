//! The queue of deliveries: what is due, taking it, giving it back.
//!
//! A plan is made once for a connection, perhaps while the queue is empty, when reading all of a workspace seems to
//! cost what one look-up costs; a join by key may then read a million rows for each. So no statement here joins:
//! rows are found by key in lateral subqueries that cannot be turned round, changed by `ON CONFLICT` on that key,
//! and deleted by their place, with the workspace named so that no index offers itself.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Binary, Bool, Integer, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    vault,
    webhooks::{
        DeliveryState, EventType, WebhookSecret,
        ports::{AttemptRecord, DeliveryQueue, DueDelivery, DueWorkspace, Lanes, Leased, Taken},
    },
};
use time::OffsetDateTime;

use super::{
    Count,
    mark::{LogKey, mark},
};
use crate::{
    PgStore,
    error::{failed, locked, unreadable},
    places,
    sql::{Bind, at_places, sql},
};

/// One look at the index for each address, however much is due.
pub(super) const DUE: &str = "
    SELECT address.workspace_id,
           min(queue.due_at) FILTER (WHERE address.state = 'enabled') AS due_since,
           bool_or(address.state <> 'enabled') AS has_stranded
    FROM webhook_addresses address CROSS JOIN LATERAL (
        SELECT due_at FROM delivery_queue queue
        WHERE queue.workspace_id = address.workspace_id AND queue.address_id = address.id
          AND queue.due_at <= $1
        ORDER BY queue.due_at LIMIT 1
    ) queue
    GROUP BY address.workspace_id";

/// Of each address that has room, those longest due. A claim does not wait for the disk: one that a crash of the
/// database undoes is a lease that has ended early.
pub(super) const CLAIM: &str = "
    WITH unsynced AS MATERIALIZED (
        SELECT set_config('synchronous_commit', 'off', true)
    ), target AS MATERIALIZED (
        SELECT address.id, address.url, address.secret_sealed, address.standard_headers,
               CASE WHEN address.previous_secret_until > $2 THEN address.previous_secret_sealed END
                   AS previous_secret_sealed,
               coalesce(lane.room, $6) AS room
        FROM webhook_addresses address
        LEFT JOIN unnest($4, $5) AS lane (address_id, room) ON lane.address_id = address.id
        WHERE address.workspace_id = $1 AND address.state = 'enabled'
    ), due AS MATERIALIZED (
        SELECT target.*, waiting.* FROM target CROSS JOIN LATERAL (
            SELECT delivery_id, created_at, attempt, due_at FROM delivery_queue queue
            WHERE queue.workspace_id = $1 AND queue.address_id = target.id AND queue.due_at <= $2
              AND (queue.leased_until IS NULL OR queue.leased_until <= $2)
            ORDER BY queue.due_at LIMIT target.room
            FOR UPDATE SKIP LOCKED
        ) waiting
        WHERE target.room > 0 LIMIT $7
    ), leased AS (
        INSERT INTO delivery_queue
            (workspace_id, delivery_id, address_id, attempt, due_at, leased_until, created_at)
        SELECT $1, delivery_id, id, attempt, due_at, $3, created_at FROM due
        ON CONFLICT (workspace_id, delivery_id) DO UPDATE SET leased_until = excluded.leased_until
    )
    SELECT due.delivery_id, due.id AS address_id, due.created_at, due.attempt, due.url, due.secret_sealed,
           due.previous_secret_sealed, due.standard_headers, log.event, log.body_sealed
    FROM unsynced CROSS JOIN due LEFT JOIN LATERAL (
        SELECT event, body_sealed FROM delivery_log log
        WHERE log.workspace_id = $1 AND log.id = due.delivery_id AND log.created_at = due.created_at LIMIT 1
    ) log ON true";

pub(super) const RELEASE: &str = "
    INSERT INTO delivery_queue AS queue (workspace_id, delivery_id, address_id, attempt, due_at, created_at)
    SELECT $1, held.delivery_id, held.address_id, held.attempt, held.due_at, held.created_at
    FROM unnest($2, $3) AS leased (delivery_id, until) CROSS JOIN LATERAL (
        SELECT * FROM delivery_queue queue
        WHERE queue.workspace_id = $1 AND queue.delivery_id = leased.delivery_id
          AND queue.leased_until = leased.until
        LIMIT 1 FOR UPDATE
    ) held
    ON CONFLICT (workspace_id, delivery_id) DO UPDATE SET leased_until = NULL";

/// What somebody is at is left to its result. That is asked again of what is deleted: not every release of PostgreSQL
/// tries a row's place again once it has changed meanwhile.
pub(super) const HOLD: &str = concat!(
    "WITH stranded AS MATERIALIZED (
        SELECT waiting.place FROM webhook_addresses address CROSS JOIN LATERAL (
            SELECT queue.ctid AS place FROM delivery_queue queue
            WHERE queue.workspace_id = $1 AND queue.address_id = address.id
              AND queue.due_at > '-infinity' AND (queue.leased_until IS NULL OR queue.leased_until <= $2)
            LIMIT $3 FOR UPDATE SKIP LOCKED
        ) waiting
        WHERE address.workspace_id = $1 AND address.state <> 'enabled' LIMIT $3
    )
    DELETE FROM delivery_queue WHERE ",
    at_places!("delivery_queue", "SELECT place FROM stranded"),
    " AND (leased_until IS NULL OR leased_until <= $2) RETURNING delivery_id, created_at"
);

const DEPTH: &str = "SELECT count(*) FROM delivery_queue";

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
}

#[async_trait]
impl DeliveryQueue for PgStore {
    async fn due_workspaces(&self, now: OffsetDateTime) -> Result<Vec<DueWorkspace>, StoreError> {
        let mut connection = self.delivering().await?;
        let found: Vec<WorkspaceRow> =
            sql(DUE).bind::<Timestamptz, _>(now).load(&mut connection).await.map_err(failed)?;
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
        lanes: &Lanes,
    ) -> Result<Taken, StoreError> {
        let (addresses, rooms): (Vec<_>, Vec<_>) =
            lanes.rooms.iter().map(|(address, room)| (address.uuid(), i64::from(*room))).unzip();
        let mut connection = self.delivering().await?;
        let rows: Vec<DueRow> = sql(CLAIM)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Timestamptz, _>(now)
            .bind::<Timestamptz, _>(lease_until)
            .bind::<Array<Uuid>, _>(addresses)
            .bind::<Array<BigInt>, _>(rooms)
            .bind::<BigInt, _>(i64::from(lanes.room_elsewhere))
            .bind::<BigInt, _>(i64::from(lanes.limit))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let mut taken = Taken::default();
        let mut secrets = Secrets::default();
        for row in rows {
            let leased = Leased {
                id: row.delivery_id.into(),
                address: row.address_id.into(),
                created_at: row.created_at,
                attempt: u32::try_from(row.attempt).unwrap_or_default(),
                until: lease_until,
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
        self.record_attempts(workspace, attempts).await
    }

    async fn release(&self, workspace: WorkspaceId, leased: &[Leased]) -> Result<(), StoreError> {
        let (ids, untils): (Vec<_>, Vec<_>) =
            leased.iter().map(|leased| (leased.id.uuid(), leased.until)).unzip();
        let mut connection = self.delivering().await?;
        sql(RELEASE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Uuid>, _>(ids)
            .bind::<Array<Timestamptz>, _>(untils)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }

    async fn hold(&self, workspace: WorkspaceId, now: OffsetDateTime, limit: u32) -> Result<u32, StoreError> {
        let mut transaction = self.begin_delivering().await?;
        let held: Vec<LogKey> = sql(HOLD)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Timestamptz, _>(now)
            .bind::<BigInt, _>(i64::from(limit))
            .load(&mut *transaction)
            .await
            .map_err(failed)?;
        mark(&mut transaction, workspace, &held, Some(DeliveryState::Held)).await.map_err(failed)?;
        transaction.commit().await?;
        Ok(u32::try_from(held.len()).unwrap_or(u32::MAX))
    }

    async fn depth(&self) -> Result<u64, StoreError> {
        let mut connection = self.delivering().await?;
        let depth: Count = sql(DEPTH).get_result(&mut connection).await.map_err(failed)?;
        Ok(u64::try_from(depth.count).unwrap_or_default())
    }
}

/// Secrets opened for one claim: an address has the same in all its rows. By where they are kept as well, so that what
/// was opened for one address serves no other that has a copy of it.
type Secrets = HashMap<(String, Vec<u8>), WebhookSecret>;

impl PgStore {
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
            body: self.vault.open(&body, &places::delivery_body(workspace, leased.id)).map_err(locked)?,
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
        let opened = self.vault.open(&key.1, place).map_err(locked)?;
        let secret = WebhookSecret::from(String::from_utf8(opened).map_err(|_| unreadable("secret"))?);
        Ok(secrets.entry(key).or_insert(secret).clone())
    }
}

pub(super) fn read_event(name: &str) -> Result<EventType, StoreError> {
    EventType::read(name).ok_or_else(|| unreadable("event"))
}
