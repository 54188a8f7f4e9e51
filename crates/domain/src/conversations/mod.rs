//! Threads between a contact and a channel.

use time::OffsetDateTime;

use crate::{
    channels::ChannelKind,
    ids::{ChannelId, ContactId, ConversationId},
};

/// Who is answering a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationStatus {
    /// The assistant.
    Bot,
    /// A person, or nobody yet after a hand-over.
    Open,
    /// Nobody: it is finished.
    Closed,
}

impl ConversationStatus {
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bot => "bot",
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }
}

/// A thread. There is one for each (contact, channel), for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// Its id.
    pub id: ConversationId,
    /// With whom.
    pub contact: ContactId,
    /// Over which connection.
    pub channel: ChannelId,
    /// Of which network.
    pub channel_kind: ChannelKind,
    /// Who answers.
    pub status: ConversationStatus,
    /// When its last message was recorded.
    pub last_message_at: OffsetDateTime,
    /// When it was made.
    pub created_at: OffsetDateTime,
}
