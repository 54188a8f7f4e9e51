//! `PATCH /v1/contacts/{id}` and `PATCH /dashboard/api/contacts/{id}`.

use std::sync::Arc;

use super::{
    ContactProfile,
    name::ContactName,
    ports::{ContactStore, Naming},
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::{StoreError, retry_stale},
    ids::{ContactId, WorkspaceId},
};

/// Attempts when the person's number changes at the same time.
const TRIES: usize = 3;

/// Use case that renames a person.
pub struct RenameContact {
    pub store: Arc<dyn ContactStore>,
    pub deps: Deps,
}

impl RenameContact {
    /// Returns the person under the new name; `None` if the workspace has no such contact.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        id: ContactId,
        name: &ContactName,
    ) -> Result<Option<ContactProfile>, StoreError> {
        self.rename(workspace, id, name, None).await
    }

    /// Does as [`Self::run`] on behalf of `acting`, with an entry in the audit log.
    pub async fn run_by(
        &self,
        acting: Acting,
        id: ContactId,
        name: &ContactName,
    ) -> Result<Option<ContactProfile>, StoreError> {
        self.rename(acting.workspace, id, name, Some(acting)).await
    }

    async fn rename(
        &self,
        workspace: WorkspaceId,
        id: ContactId,
        name: &ContactName,
        by: Option<Acting>,
    ) -> Result<Option<ContactProfile>, StoreError> {
        retry_stale(TRIES, || self.try_once(workspace, id, name, by)).await
    }

    async fn try_once(
        &self,
        workspace: WorkspaceId,
        id: ContactId,
        name: &ContactName,
        by: Option<Acting>,
    ) -> Result<Option<ContactProfile>, StoreError> {
        let Some(mut known) = self.store.find(workspace, id).await? else { return Ok(None) };
        let contact = known.contact.clone();
        let does = |by: Acting| by.does(Action::ContactRenamed, self.deps.clock.now(), &*self.deps.ids);
        let entry = by.map(|by| does(by).to(contact.id).with("name", name.as_str()));
        let naming = Naming { contact, name: name.clone(), only_if_unchanged: false, entry };
        if !self.store.name(workspace, &naming).await? {
            return Err(StoreError::Stale);
        }
        known.contact.name = Some(name.as_str().to_owned());
        Ok(Some(known))
    }
}
