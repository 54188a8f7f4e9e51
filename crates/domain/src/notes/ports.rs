//! The port of notes.

use async_trait::async_trait;

use super::note::{Note, NoteError};
use crate::{
    errors::StoreError,
    ids::{ConversationId, MemberId, WorkspaceId},
    paging::PageRequest,
};

/// Storage of notes and of their mentions.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NoteStore: Send + Sync {
    /// Writes a note and its mentions. Returns the conversation that has it: the one that was named, or the
    /// one that it was merged into.
    async fn add(&self, workspace: WorkspaceId, note: &Note) -> Result<ConversationId, NoteError>;

    /// Lists the notes of a conversation after the page's position, newest first, ties by the highest id;
    /// `None` if the workspace has no such conversation.
    async fn list(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        page: PageRequest,
    ) -> Result<Option<Vec<Note>>, StoreError>;

    /// Lists up to `most` notes that mention a member and that they have not seen, newest first.
    async fn mentions(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        most: u32,
    ) -> Result<Vec<Note>, StoreError>;

    /// Marks what mentions a member in a conversation as seen. If there was anything, the member's browsers
    /// are told, as they are of what the member has read.
    async fn see(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        conversation: ConversationId,
    ) -> Result<(), StoreError>;
}
