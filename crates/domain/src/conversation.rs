//! A conversation: the state that is moved.

use time::OffsetDateTime;

use crate::{
    channels::ChannelKind,
    ids::{ChannelId, ContactId, ConversationId, GroupId, MemberId},
};

/// State of a conversation: who answers it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationStatus {
    /// The assistant answers.
    Bot,
    /// A person answers, or nobody yet after a hand-over.
    Open,
    /// Nobody answers: the conversation is finished.
    Closed,
}

impl ConversationStatus {
    pub const ALL: [Self; 3] = [Self::Bot, Self::Open, Self::Closed];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bot => "bot",
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }

    /// Parses a name; `None` if it is unknown.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

/// Part of a workspace's team, such as sales or support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub id: GroupId,
    pub name: String,
}

/// The one conversation between a contact and a channel, which lasts for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    pub id: ConversationId,
    pub contact: ContactId,
    pub channel: ChannelId,
    pub channel_kind: ChannelKind,
    pub status: ConversationStatus,
    /// Member who holds it; `None` unless it is open, and while it waits for one.
    pub assigned_to: Option<MemberId>,
    /// Group that it was sent to, which stays when it closes; `None` if it waits for anyone.
    pub group: Option<Group>,
    /// Whether `conversation.created` has told of it: a conversation that a template send made is announced
    /// when the customer first writes.
    pub announced: bool,
    /// Number that begins at 1 and grows with each move, and that guards changes. A message alone is no move.
    pub version: i64,
    /// Time given to its latest event or system message; `None` if there was none.
    pub stamped_at: Option<OffsetDateTime>,
    /// When its last message was recorded, its own system messages not counted.
    pub last_message_at: OffsetDateTime,
    pub created_at: OffsetDateTime,
}

impl Conversation {
    /// Creates a conversation that the assistant answers and that is not announced yet.
    pub const fn new(
        id: ConversationId,
        contact: ContactId,
        channel: ChannelId,
        channel_kind: ChannelKind,
        now: OffsetDateTime,
    ) -> Self {
        Self {
            id,
            contact,
            channel,
            channel_kind,
            status: ConversationStatus::Bot,
            assigned_to: None,
            group: None,
            announced: false,
            version: 1,
            stamped_at: None,
            last_message_at: now,
            created_at: now,
        }
    }
}
