//! A change of a conversation, ready to be committed.

use time::OffsetDateTime;

use super::Conversation;
use crate::{ids::MessageId, messages::Message, webhooks::Event};

/// A step of what a customer's message set off by the workspace's rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepOf {
    /// The message.
    pub message: MessageId,
    /// The step's place, from 0.
    pub place: u32,
}

/// A conversation before and after, with what is said of it. It takes place only where the conversation is as it was read.
#[derive(Debug, Clone)]
pub struct Change {
    /// The version that it was decided on.
    pub before_version: i64,
    /// The last message that it was decided on: a message in between may speak against it.
    pub before_last_message_at: OffsetDateTime,
    /// The step that it is, which is counted as done with it: it takes place only where that step is next.
    pub step: Option<StepOf>,
    /// Whether it gives the conversation back to the assistant while the customer waits for an answer.
    pub returns_unanswered: bool,
    /// When it was decided.
    pub at: OffsetDateTime,
    /// The conversation from now on.
    pub conversation: Conversation,
    /// The conversation's own notices, in their order.
    pub notices: Vec<Message>,
    /// What it announces.
    pub events: Vec<Event>,
}
