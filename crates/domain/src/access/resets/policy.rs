//! The setting whether a workspace's members may have reset links mailed.

use std::sync::Arc;

use super::ports::ResetStore;
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::WorkspaceId,
};

/// Reads and sets whether members may have reset links mailed.
pub struct ResetPolicy {
    pub store: Arc<dyn ResetStore>,
    pub deps: Deps,
}

impl ResetPolicy {
    /// Returns whether members may have links mailed.
    pub async fn by_mail(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        self.store.by_mail(workspace).await
    }

    /// Sets whether members may have links mailed.
    pub async fn set_by_mail(&self, acting: Acting, by_mail: bool) -> Result<(), StoreError> {
        let entry = acting.does(Action::WorkspaceChanged, self.deps.clock.now(), &*self.deps.ids);
        self.store.set_by_mail(acting.workspace, by_mail, &entry.with("resetByMail", by_mail)).await
    }
}
