//! Forgetting keys whose time is over.

use std::sync::Arc;

use super::{idempotency::REMEMBERED, ports::KeyLog};
use crate::{clock::Clock, errors::StoreError};

/// Removes idempotency keys that may be used anew. One whose send is not settled stays for good.
#[derive(Clone)]
pub struct ForgetKeys {
    pub log: Arc<dyn KeyLog>,
    pub clock: Arc<dyn Clock>,
}

impl ForgetKeys {
    /// Forgets what has expired, workspace by workspace, until `stop`.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), StoreError> {
        let before = self.clock.now() - REMEMBERED;
        for workspace in self.log.workspaces_with_old_keys(before).await? {
            while !stop() && self.log.forget_keys(workspace, before).await? {}
        }
        Ok(())
    }
}
