//! What a workspace has used of its plan.

use std::sync::Arc;

use super::{Month, Plan, ports::WorkspaceStore};
use crate::{clock::Clock, errors::StoreError, ids::WorkspaceId};

/// It says what was used in a month, against the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    pub month: Month,
    /// So many customers are active in it.
    pub active_customers: u64,
    pub plan: Plan,
}

/// It tells what was used this month.
pub struct ShowUsage {
    pub store: Arc<dyn WorkspaceStore>,
    pub clock: Arc<dyn Clock>,
}

impl ShowUsage {
    /// Returns `None` when there is no such workspace.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<Option<Usage>, StoreError> {
        let month = Month::of(self.clock.now());
        let Some(found) = self.store.find(workspace).await? else { return Ok(None) };
        let active_customers = self.store.active_customers(workspace, month).await?;
        Ok(Some(Usage { month, active_customers, plan: found.plan }))
    }
}
