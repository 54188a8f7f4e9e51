//! What access needs from outside.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{ApiKeyHash, Caller};
use crate::{
    errors::StoreError,
    ids::{ApiKeyId, WorkspaceId},
    phone::Region,
};

/// A key that is valid now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthenticatedKey {
    /// Who it speaks for.
    pub caller: Caller,
    /// Where the workspace's numbers without a country code belong.
    pub region: Region,
    /// Which request of its window this one is, counted from 1.
    pub used: u32,
}

/// API keys and their rate windows.
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

    /// Writes a new key under `label`.
    async fn add(
        &self,
        caller: &Caller,
        hash: ApiKeyHash,
        label: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Revokes the key; `false` when the workspace has no such key.
    async fn revoke(
        &self,
        workspace: WorkspaceId,
        key: ApiKeyId,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError>;
}
