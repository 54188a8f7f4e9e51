//! Conversations between a contact and a channel: reading them, and moving them.
//!
//! `moves` has who asks for a move and for what; `decide` has the rules, one function in one table; a
//! [`Change`] is what is committed; `wrote` is the effect of a customer's message, and `system_message` what
//! the conversation itself says of a move. `inbox` has the team's lists.

mod change_conversation;
mod decide;
mod get;
pub mod inbox;
mod list;
mod merge;
mod moves;
pub mod ports;
mod receipts;
mod since;
mod system_message;
mod tags;
mod waiting;
mod wire;
mod wrote;

pub use change_conversation::{ChangeConversation, ChangeError, Moved};
pub use decide::{DecisionContext, MoveRefusal, TeamMembership, decide};
pub use get::GetConversation;
pub use list::{ConversationFilter, ListConversations};
pub use merge::{ConversationMerge, MergedConversation, merge};
pub use moves::{Actor, Command, Move, Sweeper};
pub use receipts::{DueReceipt, PersonId, ReadMark, ReceiptError, TellRead};
pub use since::read_since;
pub use system_message::{Cause, Step, SystemMessage};
pub use tags::{InvalidTag, MOST_LISTED_TAGS, MOST_TAGS, Tag, TagConversation, TagError};
pub use waiting::Waiting;
pub use wire::EventConversationBody;
pub use wrote::customer_wrote;

use time::OffsetDateTime;

use crate::{
    channels::ChannelKind,
    consent::PreparedReply,
    ids::{ChannelId, ContactId, ConversationId, GroupId, MemberId, MessageId},
    messages::Message,
    webhooks::Event,
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

/// A step of what a customer's message set off by the workspace's rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepOf {
    pub message: MessageId,
    /// Position among the steps, from 0.
    pub place: u32,
}

/// A conversation after a decision, with what is said of it. Commits only if the conversation is as it was
/// read.
#[derive(Debug, Clone)]
pub struct Change {
    /// Version that the change was decided on.
    pub before_version: i64,
    /// Last message that it was decided on: a message in between may speak against it.
    pub before_last_message_at: OffsetDateTime,
    /// Step that is recorded as done with the change, which commits only if that step is next.
    pub step: Option<StepOf>,
    /// Whether it gives the conversation back to the assistant while the customer waits for an answer.
    pub returns_unanswered: bool,
    pub at: OffsetDateTime,
    pub conversation: Conversation,
    /// The conversation's own system messages, in order.
    pub system_messages: Vec<Message>,
    pub events: Vec<Event>,
    /// Message that tells the customer of the move, and answers nothing they have written.
    pub says: Option<SaidOfMove>,
}

/// A reply that goes with a move.
#[derive(Debug, Clone)]
pub struct SaidOfMove {
    pub reply: PreparedReply,
    /// When it is to be sent.
    pub due_at: OffsetDateTime,
}
