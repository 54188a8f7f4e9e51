//! `GET /v1/contacts/{id}`.

use std::sync::Arc;

use super::{ContactProfile, KeptSignal, ports::ContactStore};
use crate::{
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
};

/// It looks a person up.
pub struct GetContact {
    pub store: Arc<dyn ContactStore>,
}

impl GetContact {
    /// Returns the person; `None` when the workspace has no such contact.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        id: ContactId,
    ) -> Result<Option<ContactProfile>, StoreError> {
        self.store.find(workspace, id).await
    }

    /// Returns what the person has told networks without writing, the latest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn signals(
        &self,
        workspace: WorkspaceId,
        id: ContactId,
    ) -> Result<Vec<KeptSignal>, StoreError> {
        self.store.signals(workspace, id).await
    }
}
