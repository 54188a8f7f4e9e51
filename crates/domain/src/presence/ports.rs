//! The port of presence.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::present::Present;
use crate::{
    errors::StoreError,
    ids::{ConversationId, MemberId, WorkspaceId},
};

/// Storage of who is in which conversation.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PresenceStore: Send + Sync {
    /// Notes a member, and tells browsers unless the member was shown doing the same already; drops what of
    /// the member's has run out by `now`. `false` if the workspace has no such conversation.
    async fn note(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        here: Present,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Removes a member from the conversation, and tells browsers of it.
    async fn leave(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        member: MemberId,
    ) -> Result<(), StoreError>;

    /// Lists everybody who is shown at `now`. `None` if the workspace has no such conversation.
    async fn present(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        now: OffsetDateTime,
    ) -> Result<Option<Vec<Present>>, StoreError>;
}
