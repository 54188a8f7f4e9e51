//! Changes of conversations, as they are committed.

use time::OffsetDateTime;

use crate::{
    conversation::Conversation,
    events::Event,
    ids::MessageId,
    messages::{Message, PreparedReply},
};

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
