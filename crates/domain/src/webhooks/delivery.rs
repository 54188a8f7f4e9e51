//! A delivery as its log shows it.

use std::str::FromStr;

use time::OffsetDateTime;

use super::EventType;
use crate::ids::{ContactId, DeliveryId, MessageId, WebhookAddressId};

/// It says what has become of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryState {
    /// It waits for an attempt, or for the end of one.
    Pending,
    /// It was answered with a 2xx.
    Delivered,
    /// It was given up on.
    Failed,
    /// Its address was disabled when its time came.
    Held,
}

/// The text names no state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a delivery is pending, delivered, failed or held")]
pub struct UnknownState;

impl DeliveryState {
    /// Returns its name.
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

/// It is one line of an address's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// The id is the same over all attempts.
    pub id: DeliveryId,
    pub address: WebhookAddressId,
    /// The delivery tells of this.
    pub event: EventType,
    /// It says what has become of the delivery.
    pub state: DeliveryState,
    /// It was attempted so often.
    pub attempts: u32,
    /// It is attempted next then, while it is pending.
    pub next_attempt_at: Option<OffsetDateTime>,
    /// What it tells of happened then.
    pub created_at: OffsetDateTime,
}

/// It is a delivery with all there is about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryDetail {
    /// It is the delivery's line in the log.
    pub delivery: Delivery,
    /// They are the bytes of its body, the same in every attempt.
    pub body: Vec<u8>,
    /// They are its attempts, the first first.
    pub attempts: Vec<Attempt>,
}

/// It is an attempt at a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// It counts from 1.
    pub number: u32,
    pub started_at: OffsetDateTime,
    pub duration_ms: i64,
    /// It is the answer's status, where there was an answer.
    pub status: Option<u16>,
    /// It says why the attempt failed, in words.
    pub failure: Option<String>,
    /// It is the beginning of the answer's body.
    pub answer: Option<Vec<u8>>,
}

/// Deliveries are searched by it, over all addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliverySubject {
    /// They tell of this person, or of one who has turned out to be the same.
    Contact(ContactId),
    /// They tell of this message.
    Message(MessageId),
    /// They tell of a message that was sent with this reference; of its newest 200.
    Reference(String),
}

/// It says which deliveries of an address are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// The log of this address is listed.
    pub address: WebhookAddressId,
    /// Only those in this state are listed.
    pub state: Option<DeliveryState>,
    /// Only those that tell of this are listed. What lies between them is read as well: a window bounds it.
    pub event: Option<EventType>,
    /// Only those created at this time or later are listed.
    pub since: Option<OffsetDateTime>,
    /// Only those created before this time are listed.
    pub until: Option<OffsetDateTime>,
}

impl DeliveryFilter {
    /// Makes one that lists the whole log of an address.
    pub const fn of(address: WebhookAddressId) -> Self {
        Self { address, state: None, event: None, since: None, until: None }
    }
}
