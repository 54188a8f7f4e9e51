//! What a workspace has used of its plan.

use std::sync::Arc;

use super::{Month, Plan, ports::WorkspaceStore};
use crate::{clock::Clock, errors::StoreError, ids::WorkspaceId};

/// What was used in a month, against the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Usage {
    /// The month.
    pub month: Month,
    /// How many customers are active in it.
    pub active_customers: u64,
    /// What the workspace has paid for.
    pub plan: Plan,
}

/// Tells what was used this month.
pub struct ShowUsage {
    /// Where workspaces are kept.
    pub store: Arc<dyn WorkspaceStore>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl ShowUsage {
    /// `None` when there is no such workspace.
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
