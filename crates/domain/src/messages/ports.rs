//! What reading messages needs from outside.

use async_trait::async_trait;

use super::Message;
use crate::{
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
    paging::PageRequest,
};

/// The messages of a workspace's threads.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessageStore: Send + Sync {
    /// The thread's messages after the page's place, newest first, ties by the highest id: up to one more than
    /// the page holds. `None` when the workspace has no such thread.
    async fn list(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        page: PageRequest,
    ) -> Result<Option<Vec<Message>>, StoreError>;
}
