//! Rows that tell of a delivery and of its attempts, wherever they are read.

use diesel::{
    QueryableByName,
    sql_types::{BigInt, Integer, Nullable, Text, Timestamptz, Uuid},
};
use domain::{
    errors::StoreError,
    webhooks::{Attempt, Delivery, DeliveryState},
};
use time::OffsetDateTime;

use super::queue::read_event;
use crate::error::unreadable;

/// What the log keeps of a delivery, and when the queue has it due.
#[derive(QueryableByName)]
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

/// An attempt without the answer to it.
#[derive(QueryableByName)]
pub(crate) struct AttemptRow {
    #[diesel(sql_type = Integer)]
    pub(crate) attempt: i32,
    #[diesel(sql_type = Timestamptz)]
    started_at: OffsetDateTime,
    #[diesel(sql_type = BigInt)]
    duration_ms: i64,
    #[diesel(sql_type = Nullable<Integer>)]
    status: Option<i32>,
    #[diesel(sql_type = Nullable<Text>)]
    failure: Option<String>,
}

impl DeliveryRow {
    /// The delivery, after so many attempts.
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

impl AttemptRow {
    /// The attempt, with what is known of its answer.
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
