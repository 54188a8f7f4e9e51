//! `POST /v1/contacts` and `POST /dashboard/api/contacts`.

use std::sync::Arc;

use super::{
    Contact, ContactProfile, ContactSource,
    name::{ContactName, InvalidName},
    ports::{ContactStore, Naming},
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    errors::{StoreError, retry_stale},
    ids::{ContactId, WorkspaceId},
    phone::{PhoneError, PhoneNumber, Region},
    text::is_blank,
};

/// Attempts when somebody else adds or names the same person at the same time.
pub(super) const TRIES: usize = 5;

/// Reason why a contact was not added.
#[derive(Debug, thiserror::Error)]
pub enum AddContactError {
    #[error("`phone` is {0}")]
    Phone(#[from] PhoneError),
    #[error(transparent)]
    Name(#[from] InvalidName),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that adds a person by phone number.
pub struct AddContact {
    pub store: Arc<dyn ContactStore>,
    pub deps: Deps,
}

impl AddContact {
    /// Returns the person with this number, known before or new. The name is given to a new person, or to a
    /// known one who has none.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        region: Region,
        phone: &str,
        name: Option<&str>,
    ) -> Result<ContactProfile, AddContactError> {
        self.add(workspace, region, phone, name, None).await
    }

    /// Does as [`Self::run`] on behalf of `acting`, with an entry in the audit log if anything was written.
    pub async fn run_by(
        &self,
        acting: Acting,
        region: Region,
        phone: &str,
        name: Option<&str>,
    ) -> Result<ContactProfile, AddContactError> {
        self.add(acting.workspace, region, phone, name, Some(acting)).await
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        region: Region,
        phone: &str,
        name: Option<&str>,
        by: Option<Acting>,
    ) -> Result<ContactProfile, AddContactError> {
        let phone = read_number(&*self.store, workspace, phone, region).await??;
        let name = name.map(ContactName::read).transpose()?;
        Ok(retry_stale(TRIES, || self.try_once(workspace, &phone, name.as_ref(), by)).await?)
    }

    async fn try_once(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        name: Option<&ContactName>,
        by: Option<Acting>,
    ) -> Result<ContactProfile, StoreError> {
        let does = |by: Acting, action| by.does(action, self.deps.clock.now(), &*self.deps.ids);
        let Some(mut known) = self.store.find_by_phone(workspace, phone).await? else {
            let contact = Contact {
                id: ContactId::new(&*self.deps.ids),
                name: name.map(|name| name.as_str().to_owned()),
                phone: Some(phone.clone()),
                source: ContactSource::Import,
                created_at: self.deps.clock.now(),
            };
            let added = self
                .store
                .add(workspace, &contact, by.map(|by| does(by, Action::ContactAdded).to(contact.id)))
                .await?;
            return added.then(|| ContactProfile::without_conversations(contact)).ok_or(StoreError::Stale);
        };
        let Some(name) = name.filter(|_| known.contact.is_nameless()) else { return Ok(known) };
        let naming = Naming {
            contact: known.contact.clone(),
            name: name.clone(),
            only_if_unchanged: true,
            entry: by
                .map(|by| does(by, Action::ContactRenamed).to(known.contact.id).with("name", name.as_str())),
        };
        let named = self.store.name(workspace, &naming).await?;
        known.contact.name = Some(name.as_str().to_owned());
        named.then_some(known).ok_or(StoreError::Stale)
    }
}

/// Parses a number in any spelling. Digits that no numbering plan of today has count as a number if the
/// workspace knows somebody by them: the network took them for one, and a contact's own number must be
/// accepted.
pub(crate) async fn read_number(
    store: &dyn ContactStore,
    workspace: WorkspaceId,
    written: &str,
    region: Region,
) -> Result<Result<PhoneNumber, PhoneError>, StoreError> {
    let planned = PhoneNumber::parse(written, region);
    match PhoneNumber::parse_known(written, region) {
        Ok(known) if planned.is_err() && is_a_number(store, workspace, &known).await? => Ok(Ok(known)),
        _ => Ok(planned),
    }
}

/// Returns whether a number is one: a numbering plan of today has it, or the workspace knows somebody by it.
pub(crate) async fn is_a_number(
    store: &dyn ContactStore,
    workspace: WorkspaceId,
    phone: &PhoneNumber,
) -> Result<bool, StoreError> {
    Ok(phone.is_planned() || store.find_by_phone(workspace, phone).await?.is_some())
}

impl Contact {
    pub(crate) fn is_nameless(&self) -> bool {
        self.name.as_deref().is_none_or(is_blank)
    }
}
