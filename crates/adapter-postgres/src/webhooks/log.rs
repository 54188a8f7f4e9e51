//! Reading the log.

use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{BigInt, Binary, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{DeliveryId, WorkspaceId},
    paging::PageRequest,
    webhooks::{Attempt, Delivery, DeliveryDetail, DeliveryFilter, DeliveryState, EventType},
};
use time::{OffsetDateTime, macros::datetime};

use super::line::{AttemptRow, DeliveryRow};
use crate::{
    PgStore,
    error::{failed, locked},
    places,
    sql::{Bind, sql},
};

/// Before all deliveries, and after them.
const FIRST: OffsetDateTime = datetime!(1970-01-01 00:00 UTC);
pub(super) const LAST: OffsetDateTime = datetime!(9999-12-31 00:00 UTC);

/// What a line shows of a delivery `log` besides its row, for the few that stand on a page.
macro_rules! lines {
    ($page:expr) => {
        concat!(
            "WITH log AS MATERIALIZED (",
            $page,
            ") SELECT log.id, log.address_id, log.event, log.undelivered, log.created_at, queue.due_at,
                   (SELECT count(*) FROM delivery_attempts attempt
                    WHERE attempt.workspace_id = $1 AND attempt.delivery_id = log.id
                      AND attempt.created_at = log.created_at) AS attempts
            FROM log LEFT JOIN LATERAL (
                SELECT due_at FROM delivery_queue queue
                WHERE queue.workspace_id = $1 AND queue.delivery_id = log.id LIMIT 1
            ) queue ON true
            ORDER BY log.created_at DESC, log.id DESC"
        )
    };
}
pub(super) use lines;

/// A page: of the address $2, from $3 until before $4, after the row at $5 and $6, $7 rows, of the event $8.
macro_rules! page {
    ($condition:literal) => {
        concat!(
            "SELECT id, address_id, event, undelivered, created_at FROM delivery_log log
             WHERE workspace_id = $1 AND address_id = $2 AND created_at >= $3 AND created_at < $4
               AND created_at <= $5 AND (created_at, id) < ($5, $6) AND ($8 IS NULL OR event = $8)",
            $condition,
            " ORDER BY created_at DESC, id DESC LIMIT $7"
        )
    };
}

pub(super) const LIST: &str = lines!(page!(""));
pub(super) const LIST_FAILED: &str = lines!(page!(" AND undelivered IS NOT NULL AND undelivered = 'failed'"));
pub(super) const LIST_HELD: &str = lines!(page!(" AND undelivered IS NOT NULL AND undelivered = 'held'"));
pub(super) const LIST_DELIVERED: &str = lines!(page!(
    " AND undelivered IS NULL AND (
        SELECT queue.delivery_id FROM delivery_queue queue
        WHERE queue.workspace_id = $1 AND queue.delivery_id = log.id LIMIT 1) IS NULL"
));
/// By an index of the queue that is ordered like the log.
pub(super) const LIST_PENDING: &str = lines!(
    "SELECT log.id, log.address_id, log.event, log.undelivered, log.created_at
     FROM delivery_queue queued CROSS JOIN LATERAL (
         SELECT * FROM delivery_log log
         WHERE log.workspace_id = $1 AND log.id = queued.delivery_id AND log.created_at = queued.created_at
           AND ($8 IS NULL OR log.event = $8)
         LIMIT 1
     ) log
     WHERE queued.workspace_id = $1 AND queued.address_id = $2
       AND queued.created_at >= $3 AND queued.created_at < $4
       AND queued.created_at <= $5 AND (queued.created_at, queued.delivery_id) < ($5, $6)
     ORDER BY queued.created_at DESC, queued.delivery_id DESC LIMIT $7"
);

pub(super) const FIND: &str = "
    SELECT log.id, log.address_id, log.event, log.undelivered, log.created_at, queue.due_at,
           log.body_sealed
    FROM delivery_log log LEFT JOIN LATERAL (
        SELECT due_at FROM delivery_queue queue
        WHERE queue.workspace_id = $1 AND queue.delivery_id = log.id LIMIT 1
    ) queue ON true
    WHERE log.workspace_id = $1 AND log.id = $2";

pub(super) const ATTEMPTS: &str = "
    SELECT attempt, started_at, duration_ms, status, failure, answer_sealed FROM delivery_attempts
    WHERE workspace_id = $1 AND delivery_id = $2 AND created_at = $3 ORDER BY attempt";

#[derive(QueryableByName)]
pub(super) struct LineRow {
    #[diesel(embed)]
    delivery: DeliveryRow,
    #[diesel(sql_type = BigInt)]
    attempts: i64,
}

#[derive(QueryableByName)]
struct BodyRow {
    #[diesel(sql_type = Binary)]
    body_sealed: Vec<u8>,
    #[diesel(embed)]
    delivery: DeliveryRow,
}

#[derive(QueryableByName)]
struct AnsweredRow {
    #[diesel(embed)]
    attempt: AttemptRow,
    #[diesel(sql_type = Nullable<Binary>)]
    answer_sealed: Option<Vec<u8>>,
}

impl PgStore {
    pub(super) async fn list_deliveries(
        &self,
        workspace: WorkspaceId,
        filter: &DeliveryFilter,
        page: PageRequest,
    ) -> Result<Vec<Delivery>, StoreError> {
        let statement = match filter.state {
            None => LIST,
            Some(DeliveryState::Pending) => LIST_PENDING,
            Some(DeliveryState::Delivered) => LIST_DELIVERED,
            Some(DeliveryState::Failed) => LIST_FAILED,
            Some(DeliveryState::Held) => LIST_HELD,
        };
        let (at, id) = page.after.map_or((LAST, uuid::Uuid::max()), |place| (place.at, place.id));
        let mut connection = self.delivering().await?;
        let rows: Vec<LineRow> = sql(statement)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(filter.address.uuid())
            .bind::<Timestamptz, _>(filter.since.unwrap_or(FIRST))
            .bind::<Timestamptz, _>(filter.until.unwrap_or(LAST))
            .bind::<Timestamptz, _>(at)
            .bind::<Uuid, _>(id)
            .bind::<BigInt, _>(i64::from(page.limit.rows()) + 1)
            .bind::<Nullable<Text>, _>(filter.event.map(EventType::as_str))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.iter().map(LineRow::read).collect()
    }

    pub(super) async fn find_delivery(
        &self,
        workspace: WorkspaceId,
        delivery: DeliveryId,
    ) -> Result<Option<DeliveryDetail>, StoreError> {
        let mut connection = self.delivering().await?;
        let found: Option<BodyRow> = sql(FIND)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(delivery.uuid())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some(found) = found else { return Ok(None) };
        let rows: Vec<AnsweredRow> = sql(ATTEMPTS)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(delivery.uuid())
            .bind::<Timestamptz, _>(found.delivery.created_at)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let attempts = rows
            .into_iter()
            .map(|row| self.read_attempt(workspace, delivery, row))
            .collect::<Result<Vec<_>, _>>()?;
        let body = self
            .vault
            .open(&found.body_sealed, &places::delivery_body(workspace, delivery))
            .map_err(locked)?;
        let delivery = found.delivery.read(u32::try_from(attempts.len()).unwrap_or(u32::MAX))?;
        Ok(Some(DeliveryDetail { delivery, body, attempts }))
    }

    fn read_attempt(
        &self,
        workspace: WorkspaceId,
        delivery: DeliveryId,
        row: AnsweredRow,
    ) -> Result<Attempt, StoreError> {
        let place = places::answer(workspace, delivery, row.attempt.attempt);
        let open = |sealed: Vec<u8>| self.vault.open(&sealed, &place).map_err(locked);
        let answer = row.answer_sealed.map(open).transpose()?;
        Ok(row.attempt.read(answer))
    }
}

impl LineRow {
    pub(super) fn read(&self) -> Result<Delivery, StoreError> {
        self.delivery.read(u32::try_from(self.attempts).unwrap_or_default())
    }
}
