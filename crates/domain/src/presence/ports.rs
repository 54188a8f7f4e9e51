//! What telling members of each other needs from outside.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::Present;
use crate::{
    errors::StoreError,
    ids::{ConversationId, MemberId, WorkspaceId},
};

/// It keeps who is in which conversation.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PresenceStore: Send + Sync {
    /// Notes a member, and tells browsers of it where they were not shown so before; whatever of theirs has run out by `now`
    /// is forgotten. `false` when the workspace has no such conversation.
    async fn note(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        here: Present,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Forgets a member there, and tells browsers of it.
    async fn leave(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        member: MemberId,
    ) -> Result<(), StoreError>;

    /// Lists everybody who is shown at `now`. `None` when the workspace has no such conversation.
    async fn present(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        now: OffsetDateTime,
    ) -> Result<Option<Vec<Present>>, StoreError>;
}
