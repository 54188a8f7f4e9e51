//! Sent messages that a status or an echo names.

use time::OffsetDateTime;

use crate::{
    events::{Customer, Event},
    ids::{ConversationId, MessageId},
    messages::{NetworkMessageId, Progress},
    sending::{LedgerEntry, SendState},
};

/// Ids by which a status names its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageNames {
    /// Id of the send, if its tag came back.
    pub tag: Option<MessageId>,
    pub network_id: NetworkMessageId,
}

/// A send and the person it went to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentMessage {
    pub entry: LedgerEntry,
    /// `None` if recipient and content are not stored.
    pub customer: Option<Customer>,
    /// Time stamp of the latest event about the message or its conversation.
    pub stamped_at: Option<OffsetDateTime>,
}

/// Change of one message by its statuses.
#[derive(Debug, Clone)]
pub struct StatusChange {
    pub id: MessageId,
    /// Progress on which this was decided: the guard against races.
    pub before: Progress,
    pub after: Progress,
    /// Network's words for the failure; `None` if the content is not stored.
    pub kept_error: Option<String>,
    /// Network's code for the failure, stored for every send.
    pub error_code: Option<i64>,
    /// Events to announce, in order.
    pub events: Vec<Event>,
}

impl SentMessage {
    /// Returns the conversation that it was sent in; `None` until the network has taken it, and if it is
    /// stored in none.
    pub const fn conversation(&self) -> Option<ConversationId> {
        match &self.entry.state {
            SendState::Sent(result) => result.conversation,
            SendState::InFlight | SendState::Refused => None,
        }
    }
}

impl StatusChange {
    /// Returns the time stamp of the last of its events; `None` if nothing is announced.
    pub fn stamped_at(&self) -> Option<OffsetDateTime> {
        self.events.last().map(|event| event.created_at)
    }
}
