//! What an answer of the assistant rests on, so that it is not begun once that has passed.

use crate::ids::ConversationId;

/// It is a conversation as a turn has seen it. It is compared in the transaction that begins a send: a
/// take-over, a close, a person's reply or a new message of the customer before that drops the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fence {
    pub conversation: ConversationId,
    /// It had made so many moves.
    pub version: i64,
    /// Somebody had spoken in it so often, as turns count that.
    pub heard: i64,
}

/// It says what a send means to the assistant's turn in its conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TurnEffect {
    /// It means nothing.
    #[default]
    None,
    /// A person has spoken: what the assistant was about to say is dropped.
    Silences,
    /// It is the assistant's answer, if nothing has passed the fence.
    Answers(Fence),
    /// It goes with an answer of the assistant's, if nothing has passed the fence.
    Accompanies(Fence),
}
