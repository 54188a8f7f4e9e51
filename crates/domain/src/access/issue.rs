//! Making and revoking keys.

use std::sync::Arc;

use super::{ApiKeySecret, Caller, Scope, ports::KeyStore};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::{ApiKeyId, IdSource, WorkspaceId},
    vault::Vault,
    workspaces::ports::WorkspaceStore,
};

/// A key that was just made.
#[derive(Debug)]
pub struct IssuedKey {
    /// Its id, which revoking names.
    pub id: ApiKeyId,
    /// The key itself, for the one time it is shown.
    pub secret: ApiKeySecret,
}

/// No key was made.
#[derive(Debug, thiserror::Error)]
pub enum IssueKeyError {
    /// There is no such workspace.
    #[error("there is no such workspace")]
    UnknownWorkspace,
    /// A key without a scope opens nothing.
    #[error("a key needs at least one scope")]
    NoScopes,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Makes a key in the owner's name.
pub struct IssueKey {
    /// Where keys are kept.
    pub keys: Arc<dyn KeyStore>,
    /// Where workspaces are kept.
    pub workspaces: Arc<dyn WorkspaceStore>,
    /// For the key's bits and its hash.
    pub vault: Arc<dyn Vault>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
}

impl IssueKey {
    /// The new key, with `scopes` in their order without repeats.
    ///
    /// # Errors
    /// See [`IssueKeyError`].
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        label: &str,
        mut scopes: Vec<Scope>,
    ) -> Result<IssuedKey, IssueKeyError> {
        scopes.sort_unstable();
        scopes.dedup();
        if scopes.is_empty() {
            return Err(IssueKeyError::NoScopes);
        }
        let creator = self.workspaces.owner(workspace).await?.ok_or(IssueKeyError::UnknownWorkspace)?;
        let secret = ApiKeySecret::generate(&*self.vault);
        let caller = Caller { workspace, key: ApiKeyId::new(&*self.ids), creator, scopes };
        self.keys.add(&caller, secret.hash(&*self.vault), label, self.clock.now()).await?;
        Ok(IssuedKey { id: caller.key, secret })
    }
}

/// Revokes a key, at once.
pub struct RevokeKey {
    /// Where keys are kept.
    pub keys: Arc<dyn KeyStore>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl RevokeKey {
    /// `false` when the workspace has no such key.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, workspace: WorkspaceId, key: ApiKeyId) -> Result<bool, StoreError> {
        self.keys.revoke(workspace, key, self.clock.now()).await
    }
}
