//! Deletion of old changes.

use std::sync::Arc;

use time::Duration;

use super::ports::LiveStore;
use crate::{clock::Clock, errors::StoreError};

/// Retention of changes: a browser that was away for longer loads everything again.
pub const KEPT_FOR: Duration = Duration::minutes(15);

/// Deletion of old changes from the feeds.
#[derive(Clone)]
pub struct SweepFeeds {
    pub store: Arc<dyn LiveStore>,
    pub clock: Arc<dyn Clock>,
}

impl SweepFeeds {
    /// Deletes changes older than [`KEPT_FOR`], workspace by workspace, until `stop` returns `true`.
    pub async fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), StoreError> {
        let before = self.clock.now() - KEPT_FOR;
        for workspace in self.store.stale(before).await? {
            while !stop() && self.store.forget(workspace, before).await? {}
        }
        Ok(())
    }
}
