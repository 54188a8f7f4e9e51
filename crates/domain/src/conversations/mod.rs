//! Conversations between a contact and a channel: reading them, and their life.
//!
//! `moves` says who may ask for what; `decide` has the rules, one function in one table; a [`Change`] is what is
//! committed, `wrote` what a customer's message does, `system_message` what the conversation itself says of it. `inbox` has the team's
//! lists.

mod change_conversation;
mod decide;
mod get;
pub mod inbox;
mod list;
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

/// It says who is answering a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConversationStatus {
    /// The assistant answers.
    Bot,
    /// A person answers, or nobody yet after a hand-over.
    Open,
    /// Nobody answers: it is finished.
    Closed,
}

impl ConversationStatus {
    pub const ALL: [Self; 3] = [Self::Bot, Self::Open, Self::Closed];

    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bot => "bot",
            Self::Open => "open",
            Self::Closed => "closed",
        }
    }

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == name)
    }
}

/// It is a part of a workspace's team, such as sales or support.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub id: GroupId,
    pub name: String,
}

/// There is one conversation for each (contact, channel), for good.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    pub id: ConversationId,
    pub contact: ContactId,
    /// It runs over this connection.
    pub channel: ChannelId,
    pub channel_kind: ChannelKind,
    pub status: ConversationStatus,
    /// It is the person who holds it; only an open conversation has one, and it may wait for one.
    pub assigned_to: Option<MemberId>,
    /// It is the group it was sent to, which stays when it closes; `None` when it waits for anyone.
    pub group: Option<Group>,
    /// It says whether `conversation.created` has told of it: a conversation that a notice made is announced
    /// when the customer first writes.
    pub announced: bool,
    /// It says how many moves it has made, from 1: what a change is guarded by. A message alone is no move.
    pub version: i64,
    /// It is the time that the latest event about it, or system message of its own, was given; `None` as long as
    /// there was none.
    pub stamped_at: Option<OffsetDateTime>,
    /// Its last message was recorded then, its own system messages not counted.
    pub last_message_at: OffsetDateTime,
    pub created_at: OffsetDateTime,
}

impl Conversation {
    /// Makes a conversation that nobody has heard of yet: the assistant's, unannounced.
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

/// It is a step of what a customer's message set off by the workspace's rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepOf {
    pub message: MessageId,
    /// It is the step's place, from 0.
    pub place: u32,
}

/// It is a conversation before and after, with what is said of it. It takes place only where the conversation
/// is as it was read.
#[derive(Debug, Clone)]
pub struct Change {
    /// The change was decided on this version.
    pub before_version: i64,
    /// It was decided on this last message: a message in between may speak against it.
    pub before_last_message_at: OffsetDateTime,
    /// It is the step that it is, which is counted as done with it: it takes place only where that step is
    /// next.
    pub step: Option<StepOf>,
    /// It says whether it gives the conversation back to the assistant while the customer waits for an
    /// answer.
    pub returns_unanswered: bool,
    pub at: OffsetDateTime,
    pub conversation: Conversation,
    /// They are the conversation's own system messages, in their order.
    pub system_messages: Vec<Message>,
    pub events: Vec<Event>,
    /// What the customer is told of it, in a message that answers nothing they have written.
    pub says: Option<SaidOfMove>,
}

/// A reply that goes with a move.
#[derive(Debug, Clone)]
pub struct SaidOfMove {
    pub reply: PreparedReply,
    /// When it is sent.
    pub due_at: OffsetDateTime,
}
