//! Retention of the log of calls.

use std::sync::Arc;

use super::{call_log::CALLS_KEPT_FOR, ports::CallLog};
use crate::{clock::Clock, errors::StoreError};

/// Removes old calls from the log.
#[derive(Clone)]
pub struct KeepCalls {
    pub log: Arc<dyn CallLog>,
    pub clock: Arc<dyn Clock>,
}

impl KeepCalls {
    /// Removes calls older than [`CALLS_KEPT_FOR`], workspace by workspace, until none is left or `stop`
    /// returns true.
    pub async fn run(&self, stop: &(dyn Fn() -> bool + Sync)) -> Result<(), StoreError> {
        let before = self.clock.now() - CALLS_KEPT_FOR;
        for workspace in self.log.workspaces_with_old_calls(before).await? {
            while !stop() && self.log.forget(workspace, before).await? {}
        }
        Ok(())
    }
}
