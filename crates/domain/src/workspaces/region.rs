//! Where a workspace's numbers belong that do not say it.

use std::sync::Arc;

use super::ports::WorkspaceStore;
use crate::{errors::StoreError, ids::WorkspaceId, phone::Region};

/// It finds where a workspace's numbers without a country code belong.
pub struct FindRegion {
    pub store: Arc<dyn WorkspaceStore>,
}

impl FindRegion {
    /// Returns the workspace's region; the one that new workspaces have where there is no such workspace.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<Region, StoreError> {
        Ok(self.store.find(workspace).await?.map(|found| found.region).unwrap_or_default())
    }
}
