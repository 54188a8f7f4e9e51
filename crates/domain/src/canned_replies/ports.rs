//! What canned replies need from outside.

use async_trait::async_trait;

use super::CannedReply;
use crate::{
    errors::StoreError,
    ids::{CannedReplyId, WorkspaceId},
};

/// It says what became of writing one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CannedReplyOutcome {
    /// It is kept.
    Yes,
    /// Another has its shortcut.
    Taken,
    /// There are as many as there may be.
    TooMany,
    /// There is none of this id.
    Unknown,
}

/// It keeps canned replies. Shortcuts that fold to one are one.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CannedReplyStore: Send + Sync {
    /// Lists all of them, by shortcut.
    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<CannedReply>, StoreError>;

    /// Adds one, unless there are `most`.
    async fn add(
        &self,
        workspace: WorkspaceId,
        reply: &CannedReply,
        most: u32,
    ) -> Result<CannedReplyOutcome, StoreError>;

    /// Replaces the one with this id.
    async fn replace(
        &self,
        workspace: WorkspaceId,
        reply: &CannedReply,
    ) -> Result<CannedReplyOutcome, StoreError>;

    /// Removes one; `false` when there is none of this id.
    async fn remove(&self, workspace: WorkspaceId, reply: CannedReplyId) -> Result<bool, StoreError>;
}
