//! Following a workspace's feed.

use std::sync::Arc;

use super::{
    Feed, LiveEvent,
    feed_position::{FeedPosition, Start, start},
    ports::LiveStore,
};
use crate::{deps::Deps, errors::StoreError, ids::WorkspaceId};

/// Most changes read at once.
const PAGE: u32 = 200;

/// State of a workspace's feed, `None` if it is gone, or the error of reading it.
pub type News = Result<Option<Feed>, StoreError>;

/// Follower of workspaces' feeds.
#[derive(Clone)]
pub struct FollowFeed {
    pub store: Arc<dyn LiveStore>,
    pub deps: Deps,
}

impl FollowFeed {
    /// Decides where to start for a listener whose last event was `heard`. Changes committed before the call
    /// have their numbers by then, so that a new listener is not told of them.
    pub async fn begin(&self, workspace: WorkspaceId, heard: Option<&str>) -> Result<Start, StoreError> {
        let feed = self.store.open(workspace, self.deps.ids.next(), self.deps.clock.now()).await?;
        Ok(start(&feed, heard))
    }

    /// Returns the position from which somebody has to be told who loads the workspace now; `None` if it is
    /// not known.
    pub async fn position(&self, workspace: WorkspaceId) -> Result<Option<FeedPosition>, StoreError> {
        self.store.position(workspace, self.deps.clock.now()).await
    }

    /// Lists the next changes after a number, in the order in which everybody is told of them.
    pub async fn after(&self, workspace: WorkspaceId, number: i64) -> Result<Vec<LiveEvent>, StoreError> {
        self.store.events(workspace, number, PAGE).await
    }

    /// Lists, of the workspaces with the last number seen of each, those with more, and the state of their
    /// feeds. A feed that cannot be read holds up no other.
    ///
    /// # Errors
    /// Only if the store cannot tell which workspaces have more.
    pub async fn news(&self, seen: &[(WorkspaceId, i64)]) -> Result<Vec<(WorkspaceId, News)>, StoreError> {
        let mut news = Vec::new();
        for workspace in self.store.stirred(seen).await? {
            news.push((workspace, self.store.number(workspace, self.deps.clock.now()).await));
        }
        Ok(news)
    }
}
