//! What finding products needs from outside, besides the shop.

use async_trait::async_trait;

use super::OwnSynonyms;
use crate::{access::audit::AuditEntry, errors::StoreError, ids::WorkspaceId};

/// It keeps workspaces' own synonyms.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SynonymStore: Send + Sync {
    /// Returns the workspace's; none where it has set none.
    async fn synonyms(&self, workspace: WorkspaceId) -> Result<OwnSynonyms, StoreError>;

    /// Writes them in place of what was there, with the entry of the log of changes.
    async fn replace(
        &self,
        workspace: WorkspaceId,
        synonyms: &OwnSynonyms,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;
}
