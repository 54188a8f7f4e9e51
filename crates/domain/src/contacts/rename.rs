//! `PATCH /v1/contacts/{id}`.

use std::sync::Arc;

use super::{
    ContactName, ContactProfile, InvalidName,
    ports::{ContactStore, Naming},
};
use crate::{
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
};

/// How often to decide again when the person's number changes meanwhile.
const TRIES: usize = 3;

/// Why a contact was not renamed.
#[derive(Debug, thiserror::Error)]
pub enum RenameContactError {
    /// `name` is no name.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Gives a person another name.
pub struct RenameContact {
    /// Where contacts are kept.
    pub store: Arc<dyn ContactStore>,
}

impl RenameContact {
    /// The person under their new name; `None` when the workspace has no such contact.
    ///
    /// # Errors
    /// See [`RenameContactError`].
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        id: ContactId,
        name: &str,
    ) -> Result<Option<ContactProfile>, RenameContactError> {
        let name = ContactName::read(name)?;
        for _ in 0..TRIES {
            let Some(mut known) = self.store.find(workspace, id).await? else { return Ok(None) };
            let contact = known.contact.clone();
            let naming = Naming { contact, name: name.clone(), only_if_unchanged: false };
            if self.store.name(workspace, &naming).await? {
                known.contact.name = Some(name.as_str().to_owned());
                return Ok(Some(known));
            }
        }
        Err(StoreError::Stale.into())
    }
}
