//! Usage of a workspace's plan.

use std::sync::Arc;

use super::{Plan, month::Month, ports::WorkspaceStore};
use crate::{clock::Clock, errors::StoreError, ids::WorkspaceId};

/// Usage of a month, against the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    pub month: Month,
    pub active_customers: u64,
    pub plan: Plan,
}

/// Shows what was used this month.
pub struct ShowUsage {
    pub store: Arc<dyn WorkspaceStore>,
    pub clock: Arc<dyn Clock>,
}

impl ShowUsage {
    /// Returns the usage of the current month; `None` if there is no such workspace.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<Option<Usage>, StoreError> {
        let month = Month::of(self.clock.now());
        let Some(found) = self.store.find(workspace).await? else { return Ok(None) };
        let active_customers = self.store.active_customers(workspace, month).await?;
        Ok(Some(Usage { month, active_customers, plan: found.plan }))
    }
}
