//! The region of a workspace's phone numbers.

use std::sync::Arc;

use super::ports::WorkspaceStore;
use crate::{errors::StoreError, ids::WorkspaceId, phone::Region};

/// Finds the region of a workspace's numbers without a country code.
pub struct FindRegion {
    pub store: Arc<dyn WorkspaceStore>,
}

impl FindRegion {
    /// Returns the workspace's region; the default of new workspaces if there is no such workspace.
    pub async fn run(&self, workspace: WorkspaceId) -> Result<Region, StoreError> {
        Ok(self.store.find(workspace).await?.map(|found| found.region).unwrap_or_default())
    }
}
