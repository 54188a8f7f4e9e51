//! `PATCH /v1/contacts/{id}`.

use std::sync::Arc;

use super::{
    ContactName, ContactProfile,
    ports::{ContactStore, Naming},
};
use crate::{
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
};

/// How often to decide again when the person's number changes meanwhile.
const TRIES: usize = 3;

/// Gives a person another name.
pub struct RenameContact {
    /// Where contacts are kept.
    pub store: Arc<dyn ContactStore>,
}

impl RenameContact {
    /// The person under their new name; `None` when the workspace has no such contact.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        id: ContactId,
        name: &ContactName,
    ) -> Result<Option<ContactProfile>, StoreError> {
        for _ in 0..TRIES {
            let Some(mut known) = self.store.find(workspace, id).await? else { return Ok(None) };
            let contact = known.contact.clone();
            let naming = Naming { contact, name: name.clone(), only_if_unchanged: false };
            if self.store.name(workspace, &naming).await? {
                known.contact.name = Some(name.as_str().to_owned());
                return Ok(Some(known));
            }
        }
        Err(StoreError::Stale)
    }
}
