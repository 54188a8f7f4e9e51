//! The port of API keys.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    Caller,
    key::{ApiKeyHash, ListedKey},
};
use crate::{
    audit::AuditEntry,
    errors::StoreError,
    ids::{ApiKeyId, WorkspaceId},
};

/// Key that is valid now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthenticatedKey {
    pub caller: Caller,
    /// Number of this request in its window, counted from 1.
    pub used: u32,
}

/// Storage of API keys and their rate windows.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// Finds the key and counts a request in the window that starts at `window_start`, in one statement.
    /// `None` for an unknown or revoked key, which counts nothing.
    async fn authenticate(
        &self,
        key: ApiKeyHash,
        window_start: OffsetDateTime,
    ) -> Result<Option<AuthenticatedKey>, StoreError>;

    /// Writes a new key under `label`, issued at the entry's time; `false` if `most` keys are not revoked
    /// already.
    async fn add(
        &self,
        workspace: WorkspaceId,
        caller: &Caller,
        hash: ApiKeyHash,
        label: &str,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists the workspace's keys, newest first, revoked ones included.
    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<ListedKey>, StoreError>;

    /// Revokes a key; `false` if the workspace has no such key. A key that is revoked already stays as it is,
    /// and nothing is logged.
    async fn revoke(
        &self,
        workspace: WorkspaceId,
        key: ApiKeyId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}
