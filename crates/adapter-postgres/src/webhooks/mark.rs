//! Marks in the log of why a delivery is no longer queued.

use diesel::{
    Queryable, QueryableByName,
    sql_types::{Timestamptz, Uuid},
};
use domain::{ids::WorkspaceId, webhooks::DeliveryState};
use time::OffsetDateTime;

use super::first_and_last;
use crate::{schema::delivery_log, sql::update, transaction::Flight};

#[derive(Queryable, QueryableByName, Debug, Clone, Copy)]
pub(super) struct LogKey {
    #[diesel(sql_type = Uuid)]
    pub(super) delivery_id: uuid::Uuid,
    #[diesel(sql_type = Timestamptz)]
    pub(super) created_at: OffsetDateTime,
}

/// Marks deliveries as undelivered for a reason; `None` removes the mark.
pub(super) fn mark(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    places: &[LogKey],
    undelivered: Option<DeliveryState>,
) {
    let ids = first_and_last(places.iter().map(|place| place.delivery_id));
    let times = first_and_last(places.iter().map(|place| place.created_at));
    let Some((ids, times)) = ids.zip(times) else { return };
    flight.update(
        update(delivery_log::table, workspace, places)
            .key(delivery_log::id, |place| place.delivery_id)
            .key(delivery_log::created_at, |place| place.created_at)
            .set(delivery_log::undelivered, |_| undelivered.map(DeliveryState::as_str))
            .within(delivery_log::id, ids)
            .within(delivery_log::created_at, times)
            .when("delivery_log.undelivered IS DISTINCT FROM new.undelivered"),
    );
}
