//! Reading of the log.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, OptionalExtension, QueryDsl, Selectable, SelectableHelper,
};
use domain::{
    errors::StoreError,
    events::EventType,
    ids::{DeliveryId, WorkspaceId},
    paging::PageRequest,
    webhooks::{Attempt, Delivery, DeliveryDetail, DeliveryFilter, DeliveryState},
};
use time::{OffsetDateTime, macros::datetime};

use super::line::{AttemptRow, DeliveryRow, LineRow, delivery, line, queued_event, queued_line};
use crate::{
    Database,
    error::{failed, locked},
    places,
    schema::{delivery_attempts, delivery_log, delivery_queue},
    sql::RunQueryDsl,
};

/// Times before and after all deliveries.
const FIRST: OffsetDateTime = datetime!(1970-01-01 00:00 UTC);
const LAST: OffsetDateTime = datetime!(9999-12-31 00:00 UTC);

#[derive(diesel::Queryable, Selectable)]
#[diesel(table_name = delivery_attempts)]
struct AnsweredRow {
    #[diesel(embed)]
    attempt: AttemptRow,
    answer_sealed: Option<Vec<u8>>,
}

/// Returns the page's position, which earlier deliveries, and those of its time with smaller ids, come after.
pub(super) fn place(page: PageRequest) -> (OffsetDateTime, uuid::Uuid) {
    page.after.map_or((LAST, uuid::Uuid::max()), |place| (place.at, place.id))
}

pub(super) fn rows(page: PageRequest) -> i64 {
    i64::from(page.limit.rows()) + 1
}

pub(super) async fn list(
    database: &Database,
    workspace: WorkspaceId,
    filter: &DeliveryFilter,
    page: PageRequest,
) -> Result<Vec<Delivery>, StoreError> {
    if filter.state == Some(DeliveryState::Pending) {
        return list_pending(database, workspace, filter, page).await;
    }
    let (at, id) = place(page);
    let logged = delivery_log::table
        .filter(delivery_log::workspace_id.eq(workspace.uuid()))
        .filter(delivery_log::address_id.eq(filter.address.uuid()))
        .filter(delivery_log::created_at.ge(filter.since.unwrap_or(FIRST)))
        .filter(delivery_log::created_at.lt(filter.until.unwrap_or(LAST)))
        .filter(delivery_log::created_at.le(at))
        .filter(delivery_log::created_at.lt(at).or(delivery_log::id.lt(id)))
        .order((delivery_log::created_at.desc(), delivery_log::id.desc()))
        .limit(rows(page))
        .select(line(workspace.uuid()))
        .into_boxed();
    let logged = match filter.state {
        Some(DeliveryState::Delivered) => {
            let queued = delivery_queue::table
                .filter(delivery_queue::workspace_id.eq(workspace.uuid()))
                .filter(delivery_queue::delivery_id.eq(delivery_log::id))
                .select(delivery_queue::delivery_id)
                .single_value();
            logged.filter(delivery_log::undelivered.is_null()).filter(queued.is_null())
        }
        Some(state @ (DeliveryState::Failed | DeliveryState::Held)) => logged
            .filter(delivery_log::undelivered.is_not_null())
            .filter(delivery_log::undelivered.eq(state.as_str())),
        Some(DeliveryState::Pending) | None => logged,
    };
    let logged = match filter.event {
        Some(event) => logged.filter(delivery_log::event.eq(event.as_str())),
        None => logged,
    };
    let mut connection = database.delivering().await?;
    let lines: Vec<LineRow> = logged.load(&mut connection).await.map_err(failed)?;
    lines.iter().map(LineRow::read).collect()
}

/// Lists pending deliveries, by an index of the queue that is ordered like the log.
async fn list_pending(
    database: &Database,
    workspace: WorkspaceId,
    filter: &DeliveryFilter,
    page: PageRequest,
) -> Result<Vec<Delivery>, StoreError> {
    let (at, id) = place(page);
    let queued = delivery_queue::table
        .filter(delivery_queue::workspace_id.eq(workspace.uuid()))
        .filter(delivery_queue::address_id.eq(filter.address.uuid()))
        .filter(delivery_queue::created_at.ge(filter.since.unwrap_or(FIRST)))
        .filter(delivery_queue::created_at.lt(filter.until.unwrap_or(LAST)))
        .filter(delivery_queue::created_at.le(at))
        .filter(delivery_queue::created_at.lt(at).or(delivery_queue::delivery_id.lt(id)))
        .order((delivery_queue::created_at.desc(), delivery_queue::delivery_id.desc()))
        .limit(rows(page))
        .select(queued_line(workspace.uuid()))
        .into_boxed();
    let event = queued_event(workspace.uuid());
    let queued = match filter.event.map(EventType::as_str) {
        Some(wanted) => queued.filter(event.eq(wanted)),
        None => queued.filter(event.is_not_null()),
    };
    let mut connection = database.delivering().await?;
    let lines: Vec<LineRow> = queued.load(&mut connection).await.map_err(failed)?;
    lines.iter().map(LineRow::read).collect()
}

pub(super) async fn find(
    database: &Database,
    workspace: WorkspaceId,
    id: DeliveryId,
) -> Result<Option<DeliveryDetail>, StoreError> {
    let mut connection = database.delivering().await?;
    let found: Option<(DeliveryRow, Vec<u8>)> = delivery_log::table
        .filter(delivery_log::workspace_id.eq(workspace.uuid()))
        .filter(delivery_log::id.eq(id.uuid()))
        .select((delivery(workspace.uuid()), delivery_log::body_sealed))
        .get_result(&mut connection)
        .await
        .optional()
        .map_err(failed)?;
    let Some((row, body)) = found else { return Ok(None) };
    let attempts: Vec<AnsweredRow> = delivery_attempts::table
        .filter(delivery_attempts::workspace_id.eq(workspace.uuid()))
        .filter(delivery_attempts::delivery_id.eq(id.uuid()))
        .filter(delivery_attempts::created_at.eq(row.created_at))
        .order(delivery_attempts::attempt)
        .select(AnsweredRow::as_select())
        .load(&mut connection)
        .await
        .map_err(failed)?;
    drop(connection);
    let attempts =
        attempts.into_iter().map(|row| row.read(database, workspace, id)).collect::<Result<Vec<_>, _>>()?;
    let body = database.vault.open(&body, &places::delivery_body(workspace, id)).map_err(locked)?;
    let delivery = row.read(u32::try_from(attempts.len()).unwrap_or(u32::MAX))?;
    Ok(Some(DeliveryDetail { delivery, body, attempts }))
}

impl AnsweredRow {
    fn read(
        self,
        database: &Database,
        workspace: WorkspaceId,
        delivery: DeliveryId,
    ) -> Result<Attempt, StoreError> {
        let place = places::answer(workspace, delivery, self.attempt.attempt);
        let open = |sealed: Vec<u8>| database.vault.open(&sealed, &place).map_err(locked);
        let answer = self.answer_sealed.map(open).transpose()?;
        Ok(self.attempt.read(answer))
    }
}
