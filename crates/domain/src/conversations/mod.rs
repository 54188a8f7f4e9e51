//! Threads between a contact and a channel.

mod get;
mod list;
pub mod ports;
mod since;

pub use get::GetConversation;
pub use list::{ConversationFilter, ListConversations};
pub use since::read_since;

use time::OffsetDateTime;

use crate::{
    channels::ChannelKind,
    ids::{ChannelId, ContactId, ConversationId, GroupId, MemberId},
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
    /// Every status.
    pub const ALL: [Self; 3] = [Self::Bot, Self::Open, Self::Closed];

    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bot => "bot",
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }

    /// Reads its name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

/// A part of a workspace's team, such as sales or support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its id.
    pub id: GroupId,
    /// What it is called now.
    pub name: String,
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
    /// The person who holds it; only an open thread has one, and it may wait for one.
    pub assigned_to: Option<MemberId>,
    /// The group it was sent to, which stays when it closes; `None` when it waits for anyone.
    pub group: Option<Group>,
    /// When its last message was recorded.
    pub last_message_at: OffsetDateTime,
    /// When it was made.
    pub created_at: OffsetDateTime,
}
