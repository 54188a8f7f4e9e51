//! A note of the team.

use time::OffsetDateTime;

use crate::{
    errors::StoreError,
    ids::{ConversationId, MemberId, NoteId},
};

/// Longest note, in characters.
pub const LONGEST_NOTE: usize = 4_000;
/// Most members mentioned in one note.
pub const MOST_MENTIONS: usize = 20;

/// Reason why a note was not written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    #[error("`text` must have 1 to {LONGEST_NOTE} characters, not all of them white space")]
    Text,
    #[error("`mentions` has at most {MOST_MENTIONS} members")]
    TooManyMentions,
    #[error("`mentions` names somebody who is not on the team")]
    UnknownMember,
    #[error("there is no such conversation")]
    UnknownConversation,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Text of a member to the team about a conversation.
#[derive(Clone, PartialEq, Eq)]
pub struct Note {
    pub id: NoteId,
    pub conversation: ConversationId,
    pub author: MemberId,
    pub text: String,
    pub mentions: Vec<MemberId>,
    pub created_at: OffsetDateTime,
}

impl std::fmt::Debug for Note {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Note").field("id", &self.id).finish_non_exhaustive()
    }
}
