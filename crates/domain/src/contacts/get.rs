//! `GET /v1/contacts/{id}`.

use std::sync::Arc;

use super::{ContactProfile, ports::ContactStore, signal::KeptSignal};
use crate::{
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
};

/// Use case that looks a person up.
pub struct GetContact {
    pub store: Arc<dyn ContactStore>,
}

impl GetContact {
    /// Returns the person; `None` if the workspace has no such contact.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        id: ContactId,
    ) -> Result<Option<ContactProfile>, StoreError> {
        self.store.find(workspace, id).await
    }

    /// Lists what the person has told networks without writing, latest first.
    pub async fn signals(
        &self,
        workspace: WorkspaceId,
        id: ContactId,
    ) -> Result<Vec<KeptSignal>, StoreError> {
        self.store.signals(workspace, id).await
    }
}
