//! State that an answer of the assistant rests on, so that it is not sent once that has changed.

use crate::ids::ConversationId;

/// A conversation as a turn has seen it. The transaction that begins a send compares it: a take-over, a
/// close, a person's reply or a new message of the customer before that drops the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    pub conversation: ConversationId,
    /// Number of its moves.
    pub version: i64,
    /// Number of times that somebody had spoken in it, as in [`DueTurn`](crate::assistant::DueTurn).
    pub heard: i64,
}

/// Effect of a send on the assistant's turn in its conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnEffect {
    #[default]
    None,
    /// A person has spoken: what the assistant was about to say is dropped.
    Silences,
    /// The assistant's answer, sent only if nothing has passed the fence.
    Answers(Fence),
    /// Sent with an answer of the assistant's, only if nothing has passed the fence.
    Accompanies(Fence),
}
