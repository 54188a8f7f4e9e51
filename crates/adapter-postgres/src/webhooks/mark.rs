//! Saying in the log why a delivery is no longer queued.

use diesel::{
    QueryResult, QueryableByName,
    sql_types::{Array, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{ids::WorkspaceId, webhooks::DeliveryState};
use time::OffsetDateTime;

use crate::sql::{Bind, sql};

/// By keys, without a join: see the queue. The rows are there, so that none is inserted.
pub(super) const MARK: &str = "
    INSERT INTO delivery_log (workspace_id, id, address_id, event, body_sealed, undelivered, created_at)
    SELECT found.workspace_id, found.id, found.address_id, found.event, found.body_sealed, $4, found.created_at
    FROM unnest($2, $3) AS place (id, created_at) CROSS JOIN LATERAL (
        SELECT * FROM delivery_log log
        WHERE log.workspace_id = $1 AND log.id = place.id AND log.created_at = place.created_at LIMIT 1
    ) found
    WHERE found.undelivered IS DISTINCT FROM $4
    ON CONFLICT (workspace_id, id, created_at) DO UPDATE SET undelivered = excluded.undelivered";

/// A delivery's place in the log.
#[derive(QueryableByName, Debug, Clone, Copy)]
pub(super) struct LogKey {
    #[diesel(sql_type = Uuid)]
    pub(super) delivery_id: uuid::Uuid,
    #[diesel(sql_type = Timestamptz)]
    pub(super) created_at: OffsetDateTime,
}

/// Marks deliveries as undelivered for a reason, or no longer.
pub(super) async fn mark(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    places: &[LogKey],
    undelivered: Option<DeliveryState>,
) -> QueryResult<()> {
    if places.is_empty() {
        return Ok(());
    }
    let (ids, times): (Vec<_>, Vec<_>) =
        places.iter().map(|place| (place.delivery_id, place.created_at)).unzip();
    sql(MARK)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(ids)
        .bind::<Array<Timestamptz>, _>(times)
        .bind::<Nullable<Text>, _>(undelivered.map(DeliveryState::as_str))
        .execute(connection)
        .await?;
    Ok(())
}
