//! Sending again what is in the log.

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::{DeliveryId, ResendId, WebhookAddressId, WorkspaceId},
    paging::PageRequest,
    webhooks::{
        Delivery, DeliveryDetail, DeliveryFilter, DeliverySubject, Resend, ResendWindow,
        ports::{AddressStore, DeliveryLog, ResendOutcome, ResendStep, Resent},
    },
};
use time::OffsetDateTime;

use super::mark::{LogKey, mark};
use crate::{
    PgStore,
    access::write_audit,
    error::failed,
    owners::Owner,
    sql::{Bind, at_places, sql},
};

/// Puts the deliveries of a table `again` back in the queue, due at `$2`, for one more attempt than they had.
macro_rules! requeue {
    () => {
        "queued AS (
            INSERT INTO delivery_queue AS queue
                (workspace_id, delivery_id, address_id, attempt, due_at, created_at)
            SELECT $1, again.delivery_id, again.address_id, 1 + coalesce((
                       SELECT attempt.attempt FROM delivery_attempts attempt
                       WHERE attempt.workspace_id = $1 AND attempt.delivery_id = again.delivery_id
                         AND attempt.created_at = again.created_at
                       ORDER BY attempt.attempt DESC LIMIT 1), 0), $2, again.created_at
            FROM again
            ON CONFLICT (workspace_id, delivery_id)
                DO UPDATE SET due_at = least(queue.due_at, excluded.due_at)
        )"
    };
}

pub(super) const RESEND: &str = concat!(
    "WITH found AS MATERIALIZED (
        SELECT log.id AS delivery_id, log.address_id, log.created_at, (
                   SELECT state FROM webhook_addresses address
                   WHERE address.workspace_id = $1 AND address.id = log.address_id) AS address_state
        FROM delivery_log log WHERE log.workspace_id = $1 AND log.id = $3
    ), again AS MATERIALIZED (SELECT * FROM found WHERE address_state = 'enabled'), ",
    requeue!(),
    " SELECT delivery_id, created_at, address_state = 'enabled' AS enabled FROM found
      WHERE address_state <> 'deleted'",
);

pub(super) const BEGIN: &str = "
    INSERT INTO webhook_resends (workspace_id, id, address_id, since, until, total, created_at)
    SELECT $1, $2, $3, $4, $5, (
               SELECT count(*) FROM delivery_log
               WHERE workspace_id = $1 AND address_id = $3 AND created_at >= $4 AND created_at < $5
                 AND undelivered IS NOT NULL
           ) + (
               SELECT count(*) FROM delivery_queue
               WHERE workspace_id = $1 AND address_id = $3 AND created_at >= $4 AND created_at < $5),
           $6
    FROM webhook_addresses WHERE workspace_id = $1 AND id = $3 AND state = 'enabled'
    RETURNING id, address_id, since, until, total, resent, created_at, ended_at, stopped,
              0::bigint AS in_queue, 0::bigint AS refused, 0::bigint AS held";

/// What has become of all that a re-send has passed: it has an outcome, or is in the queue.
macro_rules! progress {
    ($condition:literal) => {
        concat!(
            "SELECT resend.id, resend.address_id, resend.since, resend.until, resend.total, resend.resent,
                    resend.created_at, resend.ended_at, resend.stopped, queued.in_queue, missed.refused, missed.held
             FROM webhook_resends resend CROSS JOIN LATERAL (
                 SELECT count(*) AS in_queue FROM delivery_queue queue
                 WHERE queue.workspace_id = $1 AND queue.address_id = resend.address_id
                   AND queue.created_at >= resend.since AND queue.created_at <= resend.reached_at
                   AND (queue.created_at, queue.delivery_id) <= (resend.reached_at, resend.reached_id)
             ) queued CROSS JOIN LATERAL (
                 SELECT count(*) FILTER (WHERE undelivered = 'failed') AS refused,
                        count(*) FILTER (WHERE undelivered = 'held') AS held
                 FROM delivery_log log
                 WHERE log.workspace_id = $1 AND log.address_id = resend.address_id
                   AND log.undelivered IS NOT NULL
                   AND log.created_at >= resend.since AND log.created_at <= resend.reached_at
                   AND (log.created_at, log.id) <= (resend.reached_at, resend.reached_id)
             ) missed
             WHERE resend.workspace_id = $1 AND ",
            $condition
        )
    };
}

pub(super) const FIND: &str = progress!("resend.id = $2");

pub(super) const LIST: &str = progress!("resend.address_id = $2 ORDER BY resend.created_at DESC LIMIT 50");

pub(super) const RUNNING: &str = "SELECT DISTINCT workspace_id FROM webhook_resends WHERE ended_at IS NULL";

/// A step goes through what failed, was held or waits, in the order of the log, and never back: what fails again
/// meanwhile is not its business. What waits is due at once; what is being attempted is left to its attempt. It ends
/// when it finds less than it may take, or when the address is not delivered to.
pub(super) const STEP: &str = concat!(
    "WITH job AS MATERIALIZED (
        SELECT resend.*, EXISTS (
                   SELECT FROM webhook_addresses address
                   WHERE address.workspace_id = $1 AND address.id = resend.address_id
                     AND address.state = 'enabled') AS enabled
        FROM webhook_resends resend
        WHERE workspace_id = $1 AND ended_at IS NULL
        ORDER BY created_at LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
    ), owed AS MATERIALIZED (
        SELECT owed.* FROM job CROSS JOIN LATERAL (
            (SELECT log.id AS delivery_id, log.address_id, log.created_at, false AS waits FROM delivery_log log
             WHERE log.workspace_id = $1 AND log.address_id = job.address_id AND log.undelivered IS NOT NULL
               AND log.created_at >= coalesce(job.reached_at, job.since) AND log.created_at < job.until
               AND (job.reached_id IS NULL OR (log.created_at, log.id) > (job.reached_at, job.reached_id))
             ORDER BY log.created_at, log.id LIMIT $3)
            UNION ALL
            (SELECT queue.delivery_id, queue.address_id, queue.created_at, true FROM delivery_queue queue
             WHERE queue.workspace_id = $1 AND queue.address_id = job.address_id
               AND queue.created_at >= coalesce(job.reached_at, job.since) AND queue.created_at < job.until
               AND (job.reached_id IS NULL
                    OR (queue.created_at, queue.delivery_id) > (job.reached_at, job.reached_id))
             ORDER BY queue.created_at, queue.delivery_id LIMIT $3)
            ORDER BY created_at, delivery_id LIMIT $3
        ) owed
        WHERE job.enabled
    ), again AS MATERIALIZED (SELECT * FROM owed WHERE NOT waits), ",
    requeue!(),
    ", hastened AS (
        UPDATE delivery_queue SET due_at = $2 WHERE ",
    at_places!(
        "delivery_queue",
        "SELECT waiting.place FROM owed CROSS JOIN LATERAL (
            SELECT queue.ctid AS place FROM delivery_queue queue
            WHERE queue.workspace_id = $1 AND queue.delivery_id = owed.delivery_id AND queue.due_at > $2
            LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED
         ) waiting WHERE owed.waits"
    ),
    "), last AS (SELECT created_at, delivery_id FROM owed ORDER BY created_at DESC, delivery_id DESC LIMIT 1),
    taken AS (SELECT count(*) AS count FROM owed),
    advanced AS (
        UPDATE webhook_resends resend
        SET resent = resend.resent + taken.count,
            reached_at = coalesce((SELECT created_at FROM last), resend.reached_at),
            reached_id = coalesce((SELECT delivery_id FROM last), resend.reached_id),
            ended_at = CASE WHEN taken.count < $3 THEN $2 END,
            stopped = CASE WHEN NOT job.enabled THEN 'the address is disabled' END
        FROM job, taken
        WHERE resend.workspace_id = $1 AND resend.id = job.id
    )
    SELECT again.delivery_id, again.created_at FROM job LEFT JOIN again ON true",
);

#[derive(QueryableByName)]
struct Found {
    #[diesel(embed)]
    place: LogKey,
    #[diesel(sql_type = Bool)]
    enabled: bool,
}

/// A delivery of a step; one of no delivery where the job has none left.
#[derive(QueryableByName)]
struct Stepped {
    #[diesel(sql_type = Nullable<Uuid>)]
    delivery_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    created_at: Option<OffsetDateTime>,
}

#[derive(QueryableByName)]
struct ResendRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    address_id: uuid::Uuid,
    #[diesel(sql_type = Timestamptz)]
    since: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    until: OffsetDateTime,
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(sql_type = BigInt)]
    resent: i64,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    ended_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Text>)]
    stopped: Option<String>,
    #[diesel(sql_type = BigInt)]
    in_queue: i64,
    #[diesel(sql_type = BigInt)]
    refused: i64,
    #[diesel(sql_type = BigInt)]
    held: i64,
}

impl From<ResendRow> for Resend {
    fn from(row: ResendRow) -> Self {
        let count = |count: i64| u64::try_from(count).unwrap_or_default();
        Self {
            id: row.id.into(),
            window: ResendWindow { address: row.address_id.into(), since: row.since, until: row.until },
            total: count(row.total),
            queued: count(row.resent),
            in_queue: count(row.in_queue),
            refused: count(row.refused),
            held: count(row.held),
            created_at: row.created_at,
            ended_at: row.ended_at,
            stopped: row.stopped,
        }
    }
}

#[async_trait]
impl DeliveryLog for PgStore {
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &DeliveryFilter,
        page: PageRequest,
    ) -> Result<Vec<Delivery>, StoreError> {
        self.list_deliveries(workspace, filter, page).await
    }

    async fn search(
        &self,
        workspace: WorkspaceId,
        subject: &DeliverySubject,
        page: PageRequest,
    ) -> Result<Vec<Delivery>, StoreError> {
        self.search_deliveries(workspace, subject, page).await
    }

    async fn find(
        &self,
        workspace: WorkspaceId,
        delivery: DeliveryId,
    ) -> Result<Option<DeliveryDetail>, StoreError> {
        self.find_delivery(workspace, delivery).await
    }

    async fn resend(
        &self,
        workspace: WorkspaceId,
        delivery: DeliveryId,
        entry: &AuditEntry,
    ) -> Result<Resent, StoreError> {
        let mut transaction = self.begin_delivering().await?;
        let found: Option<Found> = sql(RESEND)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Timestamptz, _>(entry.at)
            .bind::<Uuid, _>(delivery.uuid())
            .get_result(&mut *transaction)
            .await
            .optional()
            .map_err(failed)?;
        let Some(found) = found else { return Ok(Resent::Unknown) };
        if !found.enabled {
            return Ok(Resent::Disabled);
        }
        mark(&mut transaction, workspace, &[found.place], None).await.map_err(failed)?;
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(Resent::Yes)
    }

    async fn begin_resend(
        &self,
        workspace: WorkspaceId,
        id: ResendId,
        window: &ResendWindow,
        entry: &AuditEntry,
    ) -> Result<ResendOutcome, StoreError> {
        let mut transaction = self.begin_delivering().await?;
        let row: Option<ResendRow> = sql(BEGIN)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .bind::<Uuid, _>(window.address.uuid())
            .bind::<Timestamptz, _>(window.since)
            .bind::<Timestamptz, _>(window.until)
            .bind::<Timestamptz, _>(entry.at)
            .get_result(&mut *transaction)
            .await
            .optional()
            .map_err(failed)?;
        let Some(row) = row else {
            drop(transaction);
            let known = AddressStore::find(self, workspace, window.address).await?;
            return Ok(known.map_or(ResendOutcome::Unknown, |_| ResendOutcome::Disabled));
        };
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await?;
        Ok(ResendOutcome::Yes(row.into()))
    }

    async fn find_resend(
        &self,
        workspace: WorkspaceId,
        resend: ResendId,
    ) -> Result<Option<Resend>, StoreError> {
        let mut connection = self.delivering().await?;
        let row: Option<ResendRow> = sql(FIND)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(resend.uuid())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        Ok(row.map(Resend::from))
    }

    async fn list_resends(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
    ) -> Result<Vec<Resend>, StoreError> {
        let mut connection = self.delivering().await?;
        let rows: Vec<ResendRow> = sql(LIST)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(address.uuid())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(rows.into_iter().map(Resend::from).collect())
    }

    async fn workspaces_resending(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        let mut connection = self.delivering().await?;
        let rows: Vec<Owner> = sql(RUNNING).load(&mut connection).await.map_err(failed)?;
        Ok(rows.into_iter().map(|row| row.workspace_id.into()).collect())
    }

    async fn step_resend(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        limit: u32,
    ) -> Result<ResendStep, StoreError> {
        let mut transaction = self.begin_delivering().await?;
        let stepped: Vec<Stepped> = sql(STEP)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Timestamptz, _>(now)
            .bind::<BigInt, _>(i64::from(limit))
            .load(&mut *transaction)
            .await
            .map_err(failed)?;
        let place =
            |row: &Stepped| Some(LogKey { delivery_id: row.delivery_id?, created_at: row.created_at? });
        let again: Vec<LogKey> = stepped.iter().filter_map(place).collect();
        mark(&mut transaction, workspace, &again, None).await.map_err(failed)?;
        transaction.commit().await?;
        Ok(if stepped.is_empty() { ResendStep::Nothing } else { ResendStep::More })
    }
}
