//! Port of the search for products, besides the shop.

use async_trait::async_trait;

use super::own_synonyms::OwnSynonyms;
use crate::{audit::AuditEntry, errors::StoreError, ids::WorkspaceId};

/// Storage of workspaces' own synonyms.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SynonymStore: Send + Sync {
    /// Returns the workspace's groups; empty if it has set none.
    async fn synonyms(&self, workspace: WorkspaceId) -> Result<OwnSynonyms, StoreError>;

    /// Replaces the workspace's groups, with the audit entry.
    async fn replace(
        &self,
        workspace: WorkspaceId,
        synonyms: &OwnSynonyms,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;
}
