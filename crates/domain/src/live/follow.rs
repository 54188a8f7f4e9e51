//! Following a workspace's feed.

use std::sync::Arc;

use super::{Feed, FeedPosition, LiveEvent, Start, ports::LiveStore, start};
use crate::{deps::Deps, errors::StoreError, ids::WorkspaceId};

/// So many changes are read at once.
const PAGE: u32 = 200;

/// It says how far a workspace's feed is, or why that cannot be read.
pub type News = Result<Option<Feed>, StoreError>;

/// It follows feeds.
#[derive(Clone)]
pub struct FollowFeed {
    pub store: Arc<dyn LiveStore>,
    pub deps: Deps,
}

impl FollowFeed {
    /// Says from where to tell somebody who was last told of `heard`. Whatever was committed before this is
    /// not after it.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn begin(&self, workspace: WorkspaceId, heard: Option<&str>) -> Result<Start, StoreError> {
        let feed = self.store.open(workspace, self.deps.ids.next(), self.deps.clock.now()).await?;
        Ok(start(&feed, heard))
    }

    /// Returns from where somebody has to be told who looks at the workspace now; `None` where that is not known.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn position(&self, workspace: WorkspaceId) -> Result<Option<FeedPosition>, StoreError> {
        self.store.position(workspace, self.deps.clock.now()).await
    }

    /// Returns the next changes after a number, in the order in which everybody hears of them; none when
    /// there are none yet.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn after(&self, workspace: WorkspaceId, number: i64) -> Result<Vec<LiveEvent>, StoreError> {
        self.store.events(workspace, number, PAGE).await
    }

    /// Returns, of the workspaces with the last number that was heard of each, those with more, and how far
    /// their feeds are now; `None` for a feed that is gone. One that cannot be read holds up no other.
    ///
    /// # Errors
    /// Those of the store, where it cannot say which they are.
    pub async fn news(&self, seen: &[(WorkspaceId, i64)]) -> Result<Vec<(WorkspaceId, News)>, StoreError> {
        let mut news = Vec::new();
        for workspace in self.store.stirred(seen).await? {
            news.push((workspace, self.store.number(workspace, self.deps.clock.now()).await));
        }
        Ok(news)
    }
}
