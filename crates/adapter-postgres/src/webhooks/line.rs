//! Rows of deliveries and their attempts.

use diesel::{
    ExpressionMethods, NullableExpressionMethods, QueryDsl, Queryable, QueryableByName, Selectable,
    dsl::auto_type,
    sql_types::{BigInt, Nullable, Text, Timestamptz, Uuid},
};
use domain::{
    errors::StoreError,
    webhooks::{Attempt, Delivery, DeliveryState},
};
use time::OffsetDateTime;

use super::queue::read_event;
use crate::{
    error::unreadable,
    schema::{delivery_attempts, delivery_log, delivery_queue},
};

/// A logged delivery, with the time when it is due in the queue.
#[derive(Queryable, QueryableByName)]
pub(crate) struct DeliveryRow {
    #[diesel(sql_type = Uuid)]
    pub(crate) id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    address_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    event: String,
    #[diesel(sql_type = Nullable<Text>)]
    undelivered: Option<String>,
    #[diesel(sql_type = Timestamptz)]
    pub(crate) created_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    due_at: Option<OffsetDateTime>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = delivery_attempts)]
pub(crate) struct AttemptRow {
    pub(crate) attempt: i32,
    started_at: OffsetDateTime,
    duration_ms: i64,
    status: Option<i32>,
    failure: Option<String>,
}

#[derive(Queryable, QueryableByName)]
pub(super) struct LineRow {
    #[diesel(embed)]
    delivery: DeliveryRow,
    #[diesel(sql_type = Nullable<BigInt>)]
    attempts: Option<i64>,
}

/// Selects the columns of a [`DeliveryRow`]. The due time is looked up for each row, as a page has only few:
/// a join may be planned the wrong way round.
#[auto_type]
pub(crate) fn delivery(workspace: uuid::Uuid) -> _ {
    let due_at = delivery_queue::table
        .filter(delivery_queue::workspace_id.eq(workspace))
        .filter(delivery_queue::delivery_id.eq(delivery_log::id))
        .select(delivery_queue::due_at)
        .single_value();
    (
        delivery_log::id,
        delivery_log::address_id,
        delivery_log::event,
        delivery_log::undelivered,
        delivery_log::created_at,
        due_at,
    )
}

#[auto_type]
pub(super) fn line(workspace: uuid::Uuid) -> _ {
    let columns: delivery = delivery(workspace);
    let attempts = delivery_attempts::table
        .filter(delivery_attempts::workspace_id.eq(workspace))
        .filter(delivery_attempts::delivery_id.eq(delivery_log::id))
        .filter(delivery_attempts::created_at.eq(delivery_log::created_at))
        .count()
        .single_value();
    (columns, attempts)
}

/// Selects the columns of a [`LineRow`] for a queued delivery; event and state are NULL if not in the log.
#[auto_type]
pub(super) fn queued_line(workspace: uuid::Uuid) -> _ {
    let event: queued_event = queued_event(workspace);
    let undelivered = delivery_log::table
        .filter(delivery_log::workspace_id.eq(workspace))
        .filter(delivery_log::id.eq(delivery_queue::delivery_id))
        .filter(delivery_log::created_at.eq(delivery_queue::created_at))
        .select(delivery_log::undelivered)
        .single_value();
    let attempts = delivery_attempts::table
        .filter(delivery_attempts::workspace_id.eq(workspace))
        .filter(delivery_attempts::delivery_id.eq(delivery_queue::delivery_id))
        .filter(delivery_attempts::created_at.eq(delivery_queue::created_at))
        .count()
        .single_value();
    let columns = (
        delivery_queue::delivery_id,
        delivery_queue::address_id,
        event.assume_not_null(),
        undelivered,
        delivery_queue::created_at,
        delivery_queue::due_at.nullable(),
    );
    (columns, attempts)
}

#[auto_type]
pub(super) fn queued_event(workspace: uuid::Uuid) -> _ {
    delivery_log::table
        .filter(delivery_log::workspace_id.eq(workspace))
        .filter(delivery_log::id.eq(delivery_queue::delivery_id))
        .filter(delivery_log::created_at.eq(delivery_queue::created_at))
        .select(delivery_log::event)
        .single_value()
}

impl DeliveryRow {
    pub(crate) fn read(&self, attempts: u32) -> Result<Delivery, StoreError> {
        let state = match (&self.undelivered, self.due_at) {
            (Some(name), _) => name.parse().map_err(|_| unreadable("state"))?,
            (None, Some(_)) => DeliveryState::Pending,
            (None, None) => DeliveryState::Delivered,
        };
        Ok(Delivery {
            id: self.id.into(),
            address: self.address_id.into(),
            event: read_event(&self.event)?,
            state,
            attempts,
            next_attempt_at: self.due_at,
            created_at: self.created_at,
        })
    }
}

impl LineRow {
    pub(super) const fn place(&self) -> (OffsetDateTime, uuid::Uuid) {
        (self.delivery.created_at, self.delivery.id)
    }

    pub(super) fn read(&self) -> Result<Delivery, StoreError> {
        self.delivery.read(self.attempts.and_then(|count| u32::try_from(count).ok()).unwrap_or_default())
    }
}

impl AttemptRow {
    pub(crate) fn read(self, answer: Option<Vec<u8>>) -> Attempt {
        Attempt {
            number: u32::try_from(self.attempt).unwrap_or_default(),
            started_at: self.started_at,
            duration_ms: self.duration_ms,
            status: self.status.and_then(|status| u16::try_from(status).ok()),
            failure: self.failure,
            answer,
        }
    }
}
