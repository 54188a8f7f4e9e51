//! What access needs from outside.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{ApiKeyHash, Caller, ListedKey, audit::AuditEntry};
use crate::{
    errors::StoreError,
    ids::{ApiKeyId, WorkspaceId},
};

/// The key is valid now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthenticatedKey {
    pub caller: Caller,
    /// It says which request of its window this one is, counted from 1.
    pub used: u32,
}

/// A `KeyStore` keeps API keys and their rate windows.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait KeyStore: Send + Sync {
    /// In one statement: looks up the key, drops it if revoked, and takes one from the window that starts at
    /// `window_start`. `None` for an unknown or revoked key, which takes nothing.
    async fn authenticate(
        &self,
        key: ApiKeyHash,
        window_start: OffsetDateTime,
    ) -> Result<Option<AuthenticatedKey>, StoreError>;

    /// Writes a new key under `label`, made when the entry says; `false` where `most` are not revoked already.
    async fn add(
        &self,
        workspace: WorkspaceId,
        caller: &Caller,
        hash: ApiKeyHash,
        label: &str,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists the workspace's keys, the newest first, revoked ones as well.
    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<ListedKey>, StoreError>;

    /// Revokes the workspace's key; `false` when it has no such key. One that is revoked already stays
    /// as it is, and nothing is logged.
    async fn revoke(
        &self,
        workspace: WorkspaceId,
        key: ApiKeyId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}
