//! Ports of the live feeds.

use async_trait::async_trait;
use time::OffsetDateTime;
use uuid::Uuid;

use super::{Feed, LiveEvent, feed_position::FeedPosition};
use crate::{errors::StoreError, ids::WorkspaceId};

/// Storage of the feeds of workspaces.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait LiveStore: Send + Sync {
    /// Returns the workspace's feed, created with `epoch` if there is none, once everything committed before
    /// has a number.
    async fn open(
        &self,
        workspace: WorkspaceId,
        epoch: Uuid,
        now: OffsetDateTime,
    ) -> Result<Feed, StoreError>;

    /// Returns the end of the workspace's feed, once everything committed before has a number; `None` if
    /// nobody has listened lately, or if too much has no number yet.
    async fn position(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
    ) -> Result<Option<FeedPosition>, StoreError>;

    /// Numbers the changes committed before; `None` if the feed is gone.
    async fn number(&self, workspace: WorkspaceId, now: OffsetDateTime) -> Result<Option<Feed>, StoreError>;

    /// Lists, of these workspaces, those with changes after the number beside each, or without a number yet.
    /// Writes nothing.
    async fn stirred(&self, seen: &[(WorkspaceId, i64)]) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Lists up to `most` changes after a number, in order.
    async fn events(
        &self,
        workspace: WorkspaceId,
        after: i64,
        most: u32,
    ) -> Result<Vec<LiveEvent>, StoreError>;

    /// Lists the workspaces with changes from before that time. Writes nothing.
    async fn stale(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Deletes some of the workspace's changes from before that time; `false` if none is left.
    async fn forget(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError>;
}
