//! `GET /v1/me`: the workspace and scopes of a key.

use std::sync::Arc;

use super::{Caller, scope::Scope};
use crate::{
    errors::StoreError,
    ids::{ApiKeyId, WorkspaceId},
    workspaces::ports::WorkspaceStore,
};

/// Facts that a key may know of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyInfo {
    pub workspace: WorkspaceId,
    pub workspace_name: String,
    pub key: ApiKeyId,
    pub scopes: Vec<Scope>,
}

/// Use case that tells a key what it opens.
pub struct DescribeKey {
    pub workspaces: Arc<dyn WorkspaceStore>,
}

impl DescribeKey {
    /// Returns the key's workspace and scopes.
    ///
    /// # Errors
    /// [`StoreError::Internal`] if the workspace of a valid key is gone.
    pub async fn run(&self, caller: Caller) -> Result<KeyInfo, StoreError> {
        let workspace = self
            .workspaces
            .find(caller.workspace)
            .await?
            .ok_or_else(|| StoreError::Internal("a key without its workspace".to_owned()))?;
        Ok(KeyInfo {
            workspace: workspace.id,
            workspace_name: workspace.name,
            key: caller.key,
            scopes: caller.scopes,
        })
    }
}
