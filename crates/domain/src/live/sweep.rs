//! Forgetting old changes.

use std::sync::Arc;

use time::Duration;

use super::ports::LiveStore;
use crate::{clock::Clock, errors::StoreError};

/// It says how long a browser may be away and still be told what it missed. After that it loads everything
/// again.
pub const KEPT_FOR: Duration = Duration::minutes(15);

/// It keeps feeds short.
#[derive(Clone)]
pub struct SweepFeeds {
    pub store: Arc<dyn LiveStore>,
    pub clock: Arc<dyn Clock>,
}

impl SweepFeeds {
    /// Forgets what is older than [`KEPT_FOR`], workspace by workspace, until `stop`.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), StoreError> {
        let before = self.clock.now() - KEPT_FOR;
        for workspace in self.store.stale(before).await? {
            while !stop() && self.store.forget(workspace, before).await? {}
        }
        Ok(())
    }
}
