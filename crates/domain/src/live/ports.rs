//! What telling a team of changes needs from outside.

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Feed, FeedPosition, LiveEvent};
use crate::{errors::StoreError, ids::WorkspaceId};

/// A `LiveStore` keeps the feeds of workspaces.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait LiveStore: Send + Sync {
    /// Returns the workspace's feed, which is made with `epoch` where there is none, with everything numbered
    /// that was committed before.
    async fn open(
        &self,
        workspace: WorkspaceId,
        epoch: Uuid,
        now: OffsetDateTime,
    ) -> Result<Feed, StoreError>;

    /// Returns where the workspace's feed is, with everything numbered that was committed before. `None` when nobody has
    /// listened lately, or too much has no number yet.
    async fn position(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
    ) -> Result<Option<FeedPosition>, StoreError>;

    /// Numbers what was committed before; `None` when the feed is gone.
    async fn number(&self, workspace: WorkspaceId, now: OffsetDateTime) -> Result<Option<Feed>, StoreError>;

    /// Returns, of these workspaces, those with changes after the number beside each, or without a number
    /// yet. It only reads.
    async fn stirred(&self, seen: &[(WorkspaceId, i64)]) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Lists up to `most` changes after a number, in their order.
    async fn events(
        &self,
        workspace: WorkspaceId,
        after: i64,
        most: u32,
    ) -> Result<Vec<LiveEvent>, StoreError>;

    /// Lists the workspaces with changes from before that time. It only reads.
    async fn stale(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Forgets some of the workspace's changes from before that time; `false` when none is left.
    async fn forget(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError>;
}
