//! What reading conversations needs from outside.

use async_trait::async_trait;

use super::{Conversation, ConversationFilter};
use crate::{
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    paging::PageRequest,
};

/// The threads of a workspace.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ConversationStore: Send + Sync {
    /// The threads that pass the filter after the page's place, newest first, ties by the highest id: up to one
    /// more than the page holds.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: ConversationFilter,
        page: PageRequest,
    ) -> Result<Vec<Conversation>, StoreError>;

    /// The thread, or `None`.
    async fn find(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
    ) -> Result<Option<Conversation>, StoreError>;
}
