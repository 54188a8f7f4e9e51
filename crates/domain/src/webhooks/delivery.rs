//! Deliveries and their attempts as the log shows them.

use std::str::FromStr;

use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    events::EventType,
    ids::{ContactId, DeliveryId, MessageId, WebhookAddressId},
};

/// State of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryState {
    /// Waits for an attempt or for the result of one.
    Pending,
    /// Answered with a 2xx.
    Delivered,
    /// Given up on after a final failure.
    Failed,
    /// Held back because its address was disabled or deleted.
    Held,
}

/// Error for a name that is no delivery state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a delivery is pending, delivered, failed or held")]
pub struct UnknownState;

impl DeliveryState {
    /// Returns the name on the wire and in the store.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Delivered => "delivered",
            Self::Failed => "failed",
            Self::Held => "held",
        }
    }
}

impl FromStr for DeliveryState {
    type Err = UnknownState;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = [Self::Pending, Self::Delivered, Self::Failed, Self::Held];
        all.into_iter().find(|state| state.as_str() == text).ok_or(UnknownState)
    }
}

/// A delivery as a line of its address's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Constant over all attempts.
    pub id: DeliveryId,
    pub address: WebhookAddressId,
    pub event: EventType,
    pub state: DeliveryState,
    /// Attempts made so far.
    pub attempts: u32,
    /// `None` unless the delivery is pending.
    pub next_attempt_at: Option<OffsetDateTime>,
    /// Time of the event.
    pub created_at: OffsetDateTime,
}

/// A delivery with its body and attempts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryDetail {
    pub delivery: Delivery,
    /// Bytes that every attempt sends unchanged.
    pub body: Vec<u8>,
    /// Oldest first.
    pub attempts: Vec<Attempt>,
}

/// An attempt at a delivery, as the log shows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Counted from 1.
    pub number: u32,
    pub started_at: OffsetDateTime,
    pub duration_ms: i64,
    /// Status of the answer, if there was one.
    pub status: Option<u16>,
    /// Reason of a failure, in words for the owner.
    pub failure: Option<String>,
    /// Beginning of the answer's body.
    pub answer: Option<Vec<u8>>,
}

/// Subject by which deliveries of all addresses are searched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliverySubject {
    /// Deliveries about this contact, or about one that was merged with it.
    Contact(ContactId),
    Message(MessageId),
    /// Deliveries about the newest 200 messages sent with this reference.
    Reference(String),
}

/// Filter of an address's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryFilter {
    pub address: WebhookAddressId,
    pub state: Option<DeliveryState>,
    /// Scans the deliveries of other events on the way; `since` and `until` bound that.
    pub event: Option<EventType>,
    /// Inclusive.
    pub since: Option<OffsetDateTime>,
    /// Exclusive.
    pub until: Option<OffsetDateTime>,
}

impl DeliveryFilter {
    /// Creates a filter that matches the address's whole log.
    pub const fn of(address: WebhookAddressId) -> Self {
        Self { address, state: None, event: None, since: None, until: None }
    }
}
