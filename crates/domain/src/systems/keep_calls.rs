//! Forgetting old calls.

use std::sync::Arc;

use super::{call_log::CALLS_KEPT_FOR, ports::CallLog};
use crate::{clock::Clock, errors::StoreError};

/// It keeps the log of calls for its time.
#[derive(Clone)]
pub struct KeepCalls {
    pub log: Arc<dyn CallLog>,
    pub clock: Arc<dyn Clock>,
}

impl KeepCalls {
    /// Forgets what is older than [`CALLS_KEPT_FOR`], workspace by workspace, until `stop`.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), StoreError> {
        let before = self.clock.now() - CALLS_KEPT_FOR;
        for workspace in self.log.workspaces_with_old_calls(before).await? {
            while !stop() && self.log.forget(workspace, before).await? {}
        }
        Ok(())
    }
}
