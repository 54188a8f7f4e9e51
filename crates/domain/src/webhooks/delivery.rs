//! A delivery as its log shows it.

use std::str::FromStr;

use time::OffsetDateTime;

use super::EventType;
use crate::ids::{ContactId, DeliveryId, MessageId, WebhookAddressId};

/// What has become of a delivery.
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
    /// Its name.
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

/// One line of an address's log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Delivery {
    /// Its id, the same over all attempts.
    pub id: DeliveryId,
    /// Where it goes.
    pub address: WebhookAddressId,
    /// Of what it tells.
    pub event: EventType,
    /// What has become of it.
    pub state: DeliveryState,
    /// How often it was attempted.
    pub attempts: u32,
    /// When it is attempted next, while it is pending.
    pub next_attempt_at: Option<OffsetDateTime>,
    /// When what it tells of happened.
    pub created_at: OffsetDateTime,
}

/// A delivery with all there is about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryDetail {
    /// Its line in the log.
    pub delivery: Delivery,
    /// The bytes of its body, the same in every attempt.
    pub body: Vec<u8>,
    /// Its attempts, the first first.
    pub attempts: Vec<Attempt>,
}

/// An attempt at a delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Which one, from 1.
    pub number: u32,
    /// When it started.
    pub started_at: OffsetDateTime,
    /// How long it took, in milliseconds.
    pub duration_ms: i64,
    /// The answer's status, where there was one.
    pub status: Option<u16>,
    /// Why it failed, in words.
    pub failure: Option<String>,
    /// The beginning of the answer's body.
    pub answer: Option<Vec<u8>>,
}

/// What deliveries are searched by, over all addresses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DeliverySubject {
    /// They tell of this person, or of one who has turned out to be the same.
    Contact(ContactId),
    /// They tell of this message.
    Message(MessageId),
    /// They tell of a message that was sent with this reference; of its newest 200.
    Reference(String),
}

/// Which deliveries of an address are listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryFilter {
    /// Whose log.
    pub address: WebhookAddressId,
    /// Only those in this state.
    pub state: Option<DeliveryState>,
    /// Only those that tell of this. What lies between them is read as well: a window bounds it.
    pub event: Option<EventType>,
    /// Only those created at this time or later.
    pub since: Option<OffsetDateTime>,
    /// Only those created before this time.
    pub until: Option<OffsetDateTime>,
}

impl DeliveryFilter {
    /// The whole log of an address.
    pub const fn of(address: WebhookAddressId) -> Self {
        Self { address, state: None, event: None, since: None, until: None }
    }
}
