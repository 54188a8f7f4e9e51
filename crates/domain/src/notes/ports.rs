//! What notes need from outside.

use async_trait::async_trait;

use super::Note;
use crate::{
    errors::StoreError,
    ids::{ConversationId, MemberId, WorkspaceId},
    paging::PageRequest,
};

/// It says what became of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteAdded {
    /// It is in this conversation: the one that was named, or the one that this has become part of.
    To(ConversationId),
    NoConversation,
    /// Somebody that it mentions is not on the team.
    NoMember,
}

/// A `NoteStore` keeps notes, and whom they mention.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NoteStore: Send + Sync {
    /// Writes a note and whom it mentions.
    async fn add(&self, workspace: WorkspaceId, note: &Note) -> Result<NoteAdded, StoreError>;

    /// Lists the notes of a conversation after the page's place, newest first, ties by the highest id; `None`
    /// when the workspace has no such conversation.
    async fn list(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        page: PageRequest,
    ) -> Result<Option<Vec<Note>>, StoreError>;

    /// Returns the notes that mention a member and that they have not seen, newest first: `most` of them.
    async fn mentions(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        most: u32,
    ) -> Result<Vec<Note>, StoreError>;

    /// Marks what mentions a member in a conversation as seen. Where there was something, that member's browsers hear of
    /// it, as of what they have read.
    async fn see(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        conversation: ConversationId,
    ) -> Result<(), StoreError>;
}
