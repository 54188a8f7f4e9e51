//! A change of a conversation, ready to be committed.

use time::OffsetDateTime;

use super::Conversation;
use crate::{ids::MessageId, messages::Message, webhooks::Event};

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
    /// They are the conversation's own notices, in their order.
    pub notices: Vec<Message>,
    pub events: Vec<Event>,
}
