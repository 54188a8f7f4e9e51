//! Whether a workspace's members may have links mailed.

use std::sync::Arc;

use super::ports::ResetStore;
use crate::{
    access::audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::WorkspaceId,
};

/// What a workspace has said of it.
pub struct ResetPolicy {
    /// Where it is kept.
    pub store: Arc<dyn ResetStore>,
    /// The time, new ids, and whom to wake.
    pub deps: Deps,
}

impl ResetPolicy {
    /// Whether they may.
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
