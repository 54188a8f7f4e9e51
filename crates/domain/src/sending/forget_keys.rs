//! Removal of expired idempotency keys.

use std::sync::Arc;

use super::{idempotency::REMEMBERED, ports::KeyLog};
use crate::{clock::Clock, errors::StoreError};

/// Use case that removes expired idempotency keys. Keys of unsettled sends stay for good.
#[derive(Clone)]
pub struct ForgetKeys {
    pub log: Arc<dyn KeyLog>,
    pub clock: Arc<dyn Clock>,
}

impl ForgetKeys {
    /// Removes expired keys, workspace by workspace, until `stop` returns `true`.
    pub async fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), StoreError> {
        let before = self.clock.now() - REMEMBERED;
        for workspace in self.log.workspaces_with_old_keys(before).await? {
            while !stop() && self.log.forget_keys(workspace, before).await? {}
        }
        Ok(())
    }
}
