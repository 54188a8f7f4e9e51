//! Whether a workspace's members may have links mailed.

use std::sync::Arc;

use super::ports::ResetStore;
use crate::{
    access::audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::WorkspaceId,
};

/// It reads and sets whether members may have links for another password mailed.
pub struct ResetPolicy {
    pub store: Arc<dyn ResetStore>,
    pub deps: Deps,
}

impl ResetPolicy {
    /// Says whether members may have links mailed.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn by_mail(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        self.store.by_mail(workspace).await
    }

    /// Says whether they may.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn set_by_mail(&self, acting: Acting, by_mail: bool) -> Result<(), StoreError> {
        let entry = acting.does(Action::WorkspaceChanged, self.deps.clock.now(), &*self.deps.ids);
        self.store.set_by_mail(acting.workspace, by_mail, &entry.with("resetByMail", by_mail)).await
    }
}
