//! Ports of contacts.

use std::fmt;

use async_trait::async_trait;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    Contact, ContactProfile,
    directory::{DirectoryFilter, DirectoryRow},
    filter::ContactFilter,
    identity::Identity,
    import::{ImportJob, ImportPart, ImportState, RefusedRow, StagedRows},
    name::ContactName,
    signal::KeptSignal,
};
use crate::{
    audit::AuditEntry,
    channels::ports::NetworkError,
    errors::StoreError,
    ids::{ContactId, ImportJobId, WorkspaceId},
    paging::{PageRequest, Position},
    phone::PhoneNumber,
};

/// Rows from which a page of contacts is made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundContacts {
    /// Contacts after the page's position, newest first, ties by the highest id: up to one more than the page
    /// holds.
    pub rows: Vec<ContactProfile>,
    /// Number of contacts that pass the filter, on all pages.
    pub total: u64,
}

/// A name to give to a contact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naming {
    /// The contact as it was read.
    pub contact: Contact,
    pub name: ContactName,
    /// Whether to name the contact only if the name is still the one that was read.
    pub only_if_unchanged: bool,
    /// Audit entry; `None` for a name that no one of the team gave.
    pub entry: Option<AuditEntry>,
}

/// Storage of a workspace's contacts.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ContactStore: Send + Sync {
    /// Lists a page of the contacts that pass the filter, with the exact total.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &ContactFilter,
        page: PageRequest,
    ) -> Result<FoundContacts, StoreError>;

    /// Finds a contact by id.
    async fn find(&self, workspace: WorkspaceId, id: ContactId)
    -> Result<Option<ContactProfile>, StoreError>;

    /// Lists what the contact has told networks without writing, latest first.
    async fn signals(&self, workspace: WorkspaceId, id: ContactId) -> Result<Vec<KeptSignal>, StoreError>;

    /// Finds a contact by number.
    async fn find_by_phone(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
    ) -> Result<Option<ContactProfile>, StoreError>;

    /// Writes a new contact with its audit entry; writes neither and returns `false` if the workspace knows
    /// the number already.
    async fn add(
        &self,
        workspace: WorkspaceId,
        contact: &Contact,
        entry: Option<AuditEntry>,
    ) -> Result<bool, StoreError>;

    /// Writes those of the contacts whose numbers the workspace does not know, all or none, and returns their
    /// numbers. `contacts` has each number once.
    async fn add_unknown(
        &self,
        workspace: WorkspaceId,
        contacts: &[Contact],
    ) -> Result<Vec<PhoneNumber>, StoreError>;

    /// Finds the contacts with these numbers.
    async fn find_all_by_phone(
        &self,
        workspace: WorkspaceId,
        phones: &[PhoneNumber],
    ) -> Result<Vec<Contact>, StoreError>;

    /// Names a contact; `false` if it is gone, its number has changed since it was read, or its name and that
    /// matters.
    async fn name(&self, workspace: WorkspaceId, naming: &Naming) -> Result<bool, StoreError>;
}

/// Storage of lists that are imported in the background. Each change of a job is published to the live feed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ImportJobStore: Send + Sync {
    /// Writes a job that begins to arrive, with the entry, and removes one that has been arriving without a
    /// change since `stale`. Writes nothing and returns `false` while another is unfinished.
    async fn begin(
        &self,
        workspace: WorkspaceId,
        job: &ImportJob,
        stale: OffsetDateTime,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Writes rows of a job; writes nothing and returns `false` if it is no longer arriving.
    async fn stage(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        staged: &StagedRows,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Records that all of a job has arrived, so that it is written from now on, and the titles of what was
    /// not read. Returns `false` if it was no longer arriving.
    async fn start(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        not_read: &[String],
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Removes an arriving job that broke off, with its rows.
    async fn forget(&self, workspace: WorkspaceId, id: ImportJobId) -> Result<(), StoreError>;

    /// Lists the newest jobs, up to `most`.
    async fn jobs(&self, workspace: WorkspaceId, most: u32) -> Result<Vec<ImportJob>, StoreError>;

    /// Finds a job, with the refused rows that are kept.
    async fn job(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
    ) -> Result<Option<(ImportJob, Vec<RefusedRow>)>, StoreError>;

    /// Lists the workspaces with a running job, without claiming any.
    async fn workspaces_with_imports(&self) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Finds the workspace's running job.
    async fn running(&self, workspace: WorkspaceId) -> Result<Option<ImportJob>, StoreError>;

    /// Finds the first part that is still to be written.
    async fn next_part(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
    ) -> Result<Option<ImportPart>, StoreError>;

    /// Removes a part, writes those of its people whose numbers are not known, and counts its rows, in one
    /// transaction. Writes nothing and returns `false` if somebody else has written it, or the job is no
    /// longer running.
    async fn write_part(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        number: u32,
        contacts: &[Contact],
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Ends a running job as `state`, with the entry, and removes the parts that were not written; `false` if
    /// it is no longer running.
    async fn end(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        state: ImportState,
        at: OffsetDateTime,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// Rows from which a page of the directory is made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundDirectory {
    /// Up to one more than was asked for.
    pub rows: Vec<DirectoryRow>,
    /// Position of the last person who was looked at; set if the list goes on after them, even with
    /// fewer rows.
    pub reached: Option<Position>,
}

/// Storage of a workspace's people, as its team looks them up.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ContactDirectory: Send + Sync {
    /// Lists those who pass the filter after a position, newest first, ties by the highest id: up to one more
    /// than `rows`.
    async fn directory(
        &self,
        workspace: WorkspaceId,
        filter: &DirectoryFilter,
        rows: u32,
        after: Option<Position>,
    ) -> Result<FoundDirectory, StoreError>;
}

/// A person's profile at a network. Its `Debug` output shows nothing of it.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Profile {
    pub name: Option<String>,
    pub avatar_url: Option<String>,
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Profile(…)")
    }
}

/// Networks that name people only on request.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkProfiles: Send + Sync {
    /// Returns the profile of a person who wrote to the page or account that the token opens; empty for a
    /// network that names people in its updates.
    async fn profile(&self, person: &Identity, token: &SecretString) -> Result<Profile, NetworkError>;
}

/// A contact whose network may tell their name or picture.
#[derive(Debug, Clone)]
pub struct UnnamedContact {
    /// The contact as it was read.
    pub contact: Contact,
    pub avatar_url: Option<String>,
    /// Identity by which the network is asked.
    pub identity: Identity,
    /// Token of the page or account that they wrote to; `None` without a conversation over its network, so
    /// that nothing can be asked.
    pub token: Option<SecretString>,
    /// Number of this request about them, from 1.
    pub attempt: u32,
}

/// Storage of people about whom a network is to be asked. A new one is due at once.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UnnamedContacts: Send + Sync {
    /// Lists the workspaces with somebody due at `now`, without claiming any.
    async fn workspaces_with_unnamed(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims up to `limit` people of a workspace until `lease_until`, those longest due first; they are due
    /// again when the lease ends.
    async fn claim_unnamed(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<UnnamedContact>, StoreError>;

    /// Records that the network was asked; `None` if it is not to be asked again.
    async fn asked(
        &self,
        workspace: WorkspaceId,
        person: &Identity,
        again_at: Option<OffsetDateTime>,
    ) -> Result<(), StoreError>;
}
