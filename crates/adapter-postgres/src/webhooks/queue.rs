//! The queue of deliveries: claiming what is due, forgetting what is old.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{BigInt, Binary, Integer, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{DeliveryId, WebhookAddressId, WorkspaceId},
    webhooks::{
        EventType, WebhookSecret,
        ports::{AttemptRecord, DeliveryQueue, DueDelivery},
    },
};
use time::OffsetDateTime;

use super::{addresses::secret_context, owed::body_context};
use crate::{
    PgStore,
    error::{failed, locked, unreadable},
    sql::{Bind, sql},
};

/// Deliveries removed by one statement, so that none runs for long.
const FORGOTTEN_AT_ONCE: i64 = 5_000;

/// One look at the index for each workspace, however much is due.
pub(super) const WITH_DUE: &str = "
    SELECT workspace_id FROM workspaces workspace WHERE EXISTS (
        SELECT FROM delivery_queue queue
        WHERE queue.workspace_id = workspace.workspace_id AND queue.due_at <= $1)";

/// What was queued while its address was being disabled is taken out of the queue here.
pub(super) const CLAIM: &str = "
    WITH due AS MATERIALIZED (
        SELECT delivery_id, address_id, attempt, due_at FROM delivery_queue
        WHERE workspace_id = $1 AND due_at <= $2
        ORDER BY due_at LIMIT $4
        FOR UPDATE SKIP LOCKED
    ), target AS MATERIALIZED (
        SELECT due.*, address.url, address.secret_sealed, address.state = 'enabled' AS enabled
        FROM due JOIN webhook_addresses address
          ON address.workspace_id = $1 AND address.id = due.address_id
    ), leased AS (
        UPDATE delivery_queue queue SET due_at = $3 FROM target
        WHERE queue.workspace_id = $1 AND queue.delivery_id = target.delivery_id AND target.enabled
    ), dropped AS (
        DELETE FROM delivery_queue queue USING target
        WHERE queue.workspace_id = $1 AND queue.delivery_id = target.delivery_id AND NOT target.enabled
    ), held AS (
        UPDATE deliveries delivery SET state = 'held' FROM target
        WHERE delivery.workspace_id = $1 AND delivery.id = target.delivery_id AND NOT target.enabled
    )
    SELECT target.delivery_id, target.address_id, target.attempt, target.url, target.secret_sealed,
           delivery.event, delivery.body_sealed
    FROM target JOIN deliveries delivery
      ON delivery.workspace_id = $1 AND delivery.id = target.delivery_id
    WHERE target.enabled
    ORDER BY target.due_at, target.delivery_id";

const FORGET: &str = "
    WITH old AS MATERIALIZED (
        SELECT id FROM deliveries delivery
        WHERE workspace_id = $1 AND created_at < $2 AND NOT EXISTS (
            SELECT FROM delivery_queue queue
            WHERE queue.workspace_id = $1 AND queue.delivery_id = delivery.id)
        LIMIT $3
    )
    DELETE FROM deliveries delivery USING old WHERE delivery.workspace_id = $1 AND delivery.id = old.id";

const TO_FORGET: &str = "
    SELECT workspace_id FROM workspaces workspace WHERE EXISTS (
        SELECT FROM deliveries delivery
        WHERE delivery.workspace_id = workspace.workspace_id AND delivery.created_at < $1)";

#[derive(QueryableByName)]
struct Owner {
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
}

#[derive(QueryableByName)]
struct DueRow {
    #[diesel(sql_type = Uuid)]
    delivery_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    address_id: uuid::Uuid,
    #[diesel(sql_type = Integer)]
    attempt: i32,
    #[diesel(sql_type = Text)]
    url: String,
    #[diesel(sql_type = Binary)]
    secret_sealed: Vec<u8>,
    #[diesel(sql_type = Text)]
    event: String,
    #[diesel(sql_type = Binary)]
    body_sealed: Vec<u8>,
}

#[async_trait]
impl DeliveryQueue for PgStore {
    async fn workspaces_with_due(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        self.workspaces(WITH_DUE, now).await
    }

    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<DueDelivery>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<DueRow> = sql(CLAIM)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Timestamptz, _>(now)
            .bind::<Timestamptz, _>(lease_until)
            .bind::<BigInt, _>(i64::from(limit))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let mut secrets = HashMap::new();
        let mut due = Vec::with_capacity(rows.len());
        for row in rows {
            let id = row.delivery_id;
            match self.open_due(row, &mut secrets) {
                Ok(delivery) => due.push(delivery),
                // It is due again when its lease runs out; the others go on.
                Err(error) => tracing::error!(delivery = %id, %error, "a delivery cannot be read"),
            }
        }
        Ok(due)
    }

    async fn record(&self, workspace: WorkspaceId, attempts: &[AttemptRecord]) -> Result<(), StoreError> {
        self.record_attempts(workspace, attempts).await
    }

    async fn forget(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<u64, StoreError> {
        let mut connection = self.connection().await?;
        let mut forgotten = 0;
        loop {
            let removed = sql(FORGET)
                .bind::<Uuid, _>(workspace.uuid())
                .bind::<Timestamptz, _>(before)
                .bind::<BigInt, _>(FORGOTTEN_AT_ONCE)
                .execute(&mut connection)
                .await
                .map_err(failed)?;
            forgotten += u64::try_from(removed).unwrap_or(u64::MAX);
            if i64::try_from(removed).unwrap_or(i64::MAX) < FORGOTTEN_AT_ONCE {
                return Ok(forgotten);
            }
        }
    }

    async fn workspaces_to_forget(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        self.workspaces(TO_FORGET, before).await
    }
}

impl PgStore {
    /// What `query`, which takes a time, finds across workspaces.
    pub(crate) async fn workspaces(
        &self,
        query: &'static str,
        at: OffsetDateTime,
    ) -> Result<Vec<WorkspaceId>, StoreError> {
        let mut connection = self.connection().await?;
        let found: Vec<Owner> =
            sql(query).bind::<Timestamptz, _>(at).load(&mut connection).await.map_err(failed)?;
        Ok(found.into_iter().map(|owner| owner.workspace_id.into()).collect())
    }

    fn open_due(
        &self,
        row: DueRow,
        secrets: &mut HashMap<uuid::Uuid, WebhookSecret>,
    ) -> Result<DueDelivery, StoreError> {
        let (id, address) = (DeliveryId::from(row.delivery_id), WebhookAddressId::from(row.address_id));
        let secret = if let Some(secret) = secrets.get(&row.address_id) {
            secret.clone()
        } else {
            let opened = self.vault.open(&row.secret_sealed, &secret_context(address)).map_err(locked)?;
            let opened = String::from_utf8(opened).map_err(|_| unreadable("secret"))?;
            secrets.entry(row.address_id).or_insert(WebhookSecret::from(opened)).clone()
        };
        Ok(DueDelivery {
            id,
            address,
            url: row.url,
            secret,
            event: read_event(&row.event)?,
            body: self.vault.open(&row.body_sealed, &body_context(id)).map_err(locked)?,
            attempt: u32::try_from(row.attempt).unwrap_or_default(),
        })
    }
}

fn read_event(name: &str) -> Result<EventType, StoreError> {
    if name == EventType::Ping.as_str() {
        return Ok(EventType::Ping);
    }
    name.parse().map_err(|_| unreadable("event"))
}
