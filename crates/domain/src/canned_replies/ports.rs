//! The port of canned replies.

use async_trait::async_trait;

use super::canned_reply::{CannedReply, CannedReplyError};
use crate::{
    errors::StoreError,
    ids::{CannedReplyId, WorkspaceId},
};

/// Storage of canned replies. Shortcuts that fold to the same text are the same.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CannedReplyStore: Send + Sync {
    /// Lists all canned replies, by shortcut.
    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<CannedReply>, StoreError>;

    /// Adds a canned reply, unless there are `most` already.
    async fn add(
        &self,
        workspace: WorkspaceId,
        reply: &CannedReply,
        most: u32,
    ) -> Result<(), CannedReplyError>;

    /// Replaces the canned reply with this id.
    async fn replace(&self, workspace: WorkspaceId, reply: &CannedReply) -> Result<(), CannedReplyError>;

    /// Removes a canned reply; `false` if there is none with this id.
    async fn remove(&self, workspace: WorkspaceId, reply: CannedReplyId) -> Result<bool, StoreError>;
}
