//! A note of the team.

use time::OffsetDateTime;

use crate::ids::{ConversationId, MemberId, NoteId};

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
