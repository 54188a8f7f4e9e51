//! What an answer of the assistant rests on, so that it is not begun once that has passed.

use crate::ids::ConversationId;

/// A conversation as a turn has seen it. It is compared in the transaction that begins a send: a take-over, a close, a
/// person's reply or a new message of the customer before that drops the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    /// The conversation.
    pub conversation: ConversationId,
    /// How many moves it had made.
    pub version: i64,
    /// How often somebody had spoken in it, as turns count that.
    pub heard: i64,
}

/// What a send means to the assistant's turn in its conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnEffect {
    /// Nothing.
    #[default]
    None,
    /// A person has spoken: what the assistant was about to say is dropped.
    Silences,
    /// It is the assistant's answer, if nothing has passed the fence.
    Answers(Fence),
    /// It goes with an answer of the assistant's, if nothing has passed the fence.
    Accompanies(Fence),
}
