//! Returning logged deliveries to the queue.

use diesel::{ExpressionMethods, QueryDsl, Queryable, dsl::auto_type};
use domain::ids::WorkspaceId;
use time::OffsetDateTime;

use super::mark::{LogKey, mark};
use crate::{
    schema::{delivery_attempts, delivery_log, delivery_queue},
    sql::insert,
    transaction::Flight,
};

#[derive(Queryable, Clone)]
pub(super) struct Again {
    pub(super) id: uuid::Uuid,
    pub(super) address_id: uuid::Uuid,
    pub(super) created_at: OffsetDateTime,
    pub(super) last_attempt: Option<i32>,
}

#[auto_type]
pub(super) fn last_attempt(workspace: uuid::Uuid) -> _ {
    delivery_attempts::table
        .filter(delivery_attempts::workspace_id.eq(workspace))
        .filter(delivery_attempts::delivery_id.eq(delivery_log::id))
        .filter(delivery_attempts::created_at.eq(delivery_log::created_at))
        .order(delivery_attempts::attempt.desc())
        .select(delivery_attempts::attempt)
        .single_value()
}

impl Again {
    pub(super) fn place(&self) -> LogKey {
        LogKey { delivery_id: self.id, created_at: self.created_at }
    }
}

/// Returns deliveries to the queue, due at `now`; one that already waits becomes due no later. With `once`
/// they are attempted even if their address is disabled, which holds all others.
pub(super) fn requeue(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    again: &[Again],
    now: OffsetDateTime,
    once: bool,
) {
    flight.insert(
        insert(delivery_queue::table, workspace, again)
            .column(delivery_queue::delivery_id, |again| again.id)
            .column(delivery_queue::address_id, |again| again.address_id)
            .column(delivery_queue::attempt, |again| again.last_attempt.unwrap_or_default().saturating_add(1))
            .column(delivery_queue::due_at, |_| now)
            .column(delivery_queue::once, |_| once)
            .column(delivery_queue::created_at, |again| again.created_at)
            .on_conflict((delivery_queue::delivery_id,))
            .set_least(delivery_queue::due_at)
            .set_excluded(delivery_queue::once),
    );
    let places: Vec<_> = again.iter().map(Again::place).collect();
    mark(flight, workspace, &places, None);
}
