//! What contacts need from outside.

use std::fmt;

use async_trait::async_trait;
use secrecy::SecretString;

use super::{Contact, ContactFilter, ContactName, ContactProfile, Identity};
use crate::{
    channels::ports::NetworkError,
    errors::StoreError,
    ids::{ContactId, WorkspaceId},
    paging::PageRequest,
    phone::PhoneNumber,
};

/// What a page of contacts is made from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundContacts {
    /// The contacts after the page's place, newest first, ties by the highest id: up to one more than the page
    /// holds.
    pub rows: Vec<ContactProfile>,
    /// How many pass the filter, on all pages.
    pub total: u64,
}

/// A person gets a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naming {
    /// The person as they were read.
    pub contact: Contact,
    /// Their name from now on.
    pub name: ContactName,
    /// Only if they still have the name they were read with.
    pub only_if_unchanged: bool,
}

/// The people of a workspace.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ContactStore: Send + Sync {
    /// A page of the contacts that pass the filter, with the exact total.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &ContactFilter,
        page: PageRequest,
    ) -> Result<FoundContacts, StoreError>;

    /// The contact, or `None`.
    async fn find(&self, workspace: WorkspaceId, id: ContactId)
    -> Result<Option<ContactProfile>, StoreError>;

    /// The contact with this number, or `None`.
    async fn find_by_phone(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
    ) -> Result<Option<ContactProfile>, StoreError>;

    /// Writes a new contact; `false` when the workspace knows the number already.
    async fn add(&self, workspace: WorkspaceId, contact: &Contact) -> Result<bool, StoreError>;

    /// Names a person; `false` when they have another number by now, or another name and that matters.
    async fn name(&self, workspace: WorkspaceId, naming: &Naming) -> Result<bool, StoreError>;
}

/// What a network tells of a person when it is asked. Prints nothing of who they are.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// What they call themselves.
    pub name: Option<String>,
    /// Their picture.
    pub avatar_url: Option<String>,
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Profile(…)")
    }
}

/// Networks that name people only when they are asked.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkProfiles: Send + Sync {
    /// What the network tells of a person who wrote to what the token opens. A network that names people in its
    /// updates has nothing to add.
    async fn profile(&self, person: &Identity, token: &SecretString) -> Result<Profile, NetworkError>;
}
