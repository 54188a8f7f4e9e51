//! What contacts need from outside.

use std::fmt;

use async_trait::async_trait;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    Contact, ContactFilter, ContactName, ContactProfile, Identity, ImportJob, ImportPart, ImportState,
    KeptSignal, RefusedRow, StagedRows,
    directory::{DirectoryFilter, DirectoryRow},
};
use crate::{
    access::audit::AuditEntry,
    channels::ports::NetworkError,
    errors::StoreError,
    ids::{ContactId, ImportJobId, WorkspaceId},
    paging::{PageRequest, Position},
    phone::PhoneNumber,
};

/// A page of contacts is made from this.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundContacts {
    /// They are the contacts after the page's place, newest first, ties by the highest id: up to one more
    /// than the page holds.
    pub rows: Vec<ContactProfile>,
    /// So many pass the filter, on all pages.
    pub total: u64,
}

/// A person gets a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Naming {
    /// It is the person as they were read.
    pub contact: Contact,
    /// It is their name from now on.
    pub name: ContactName,
    /// They are named only if they still have the name they were read with.
    pub only_if_unchanged: bool,
    /// It is what the log of changes then says of it, where somebody of the team did it.
    pub entry: Option<AuditEntry>,
}

/// A `ContactStore` keeps the people of a workspace.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ContactStore: Send + Sync {
    /// Reads a page of the contacts that pass the filter, with the exact total.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: &ContactFilter,
        page: PageRequest,
    ) -> Result<FoundContacts, StoreError>;

    /// Returns the contact, or `None`.
    async fn find(&self, workspace: WorkspaceId, id: ContactId)
    -> Result<Option<ContactProfile>, StoreError>;

    /// Lists what the contact has told networks without writing, the latest first.
    async fn signals(&self, workspace: WorkspaceId, id: ContactId) -> Result<Vec<KeptSignal>, StoreError>;

    /// Returns the contact with this number, or `None`.
    async fn find_by_phone(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
    ) -> Result<Option<ContactProfile>, StoreError>;

    /// Writes a new contact, with what the log of changes says of it where somebody of the team added it; `false`, and
    /// neither is written, when the workspace knows the number already.
    async fn add(
        &self,
        workspace: WorkspaceId,
        contact: &Contact,
        entry: Option<AuditEntry>,
    ) -> Result<bool, StoreError>;

    /// Writes those of the contacts whose numbers the workspace does not know, all or none; answers their numbers.
    /// Each number comes once.
    async fn add_unknown(
        &self,
        workspace: WorkspaceId,
        contacts: &[Contact],
    ) -> Result<Vec<PhoneNumber>, StoreError>;

    /// Returns the contacts with these numbers.
    async fn find_all_by_phone(
        &self,
        workspace: WorkspaceId,
        phones: &[PhoneNumber],
    ) -> Result<Vec<Contact>, StoreError>;

    /// Names a person; `false` when they have another number by now, or another name and that matters.
    async fn name(&self, workspace: WorkspaceId, naming: &Naming) -> Result<bool, StoreError>;
}

/// An `ImportJobStore` keeps lists of people that are taken over in the background. Each call that changes
/// one tells the feed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ImportJobStore: Send + Sync {
    /// Adds one that begins to arrive, with the entry, and forgets one that has been arriving and has not changed since
    /// `stale`; `false`, and nothing is written, while another is unfinished.
    async fn begin(
        &self,
        workspace: WorkspaceId,
        job: &ImportJob,
        stale: OffsetDateTime,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Keeps what has been read of it; `false`, and nothing is kept, when it is not arriving any more.
    async fn stage(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        staged: &StagedRows,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Notes that all of it has arrived, so that it is written from now on, and the titles of what was not read of it.
    /// `false` when it was not arriving any more.
    async fn start(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        not_read: &[String],
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Removes one that is arriving, with its rows: it broke off.
    async fn forget(&self, workspace: WorkspaceId, id: ImportJobId) -> Result<(), StoreError>;

    /// Lists the newest, up to `most`.
    async fn jobs(&self, workspace: WorkspaceId, most: u32) -> Result<Vec<ImportJob>, StoreError>;

    /// Returns one, with the rows of it that are told as refused.
    async fn job(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
    ) -> Result<Option<(ImportJob, Vec<RefusedRow>)>, StoreError>;

    /// Lists the workspaces with one that is being written. It only reads.
    async fn workspaces_with_imports(&self) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Returns the one that is being written.
    async fn running(&self, workspace: WorkspaceId) -> Result<Option<ImportJob>, StoreError>;

    /// Returns the first part that is still to be written.
    async fn next_part(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
    ) -> Result<Option<ImportPart>, StoreError>;

    /// In one transaction: removes the part, writes those of its people whose numbers are not known, and counts its rows.
    /// `false`, and nothing is written, when somebody else has written it, or the job is not running any more.
    async fn write_part(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        number: u32,
        contacts: &[Contact],
        at: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Ends one that is running as `state`, with the entry, and forgets what was not written; `false` when it is not
    /// running any more.
    async fn end(
        &self,
        workspace: WorkspaceId,
        id: ImportJobId,
        state: ImportState,
        at: OffsetDateTime,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// A page of the directory is made from this.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundDirectory {
    /// There is up to one more than was asked for.
    pub rows: Vec<DirectoryRow>,
    /// It is set when the list goes on after the last person who was looked at, whatever the rows say.
    pub reached: Option<Position>,
}

/// It finds the people of a workspace as its team looks them up.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ContactDirectory: Send + Sync {
    /// Returns those who pass the filter after a place, newest first, ties by the highest id: up to one more
    /// than `rows`.
    async fn directory(
        &self,
        workspace: WorkspaceId,
        filter: &DirectoryFilter,
        rows: u32,
        after: Option<Position>,
    ) -> Result<FoundDirectory, StoreError>;
}

/// It is what a network tells of a person when it is asked. It prints nothing of who they are.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Profile {
    /// They call themselves so.
    pub name: Option<String>,
    pub avatar_url: Option<String>,
}

impl fmt::Debug for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Profile(…)")
    }
}

/// It asks networks that name people only when they are asked.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkProfiles: Send + Sync {
    /// Returns what the network tells of a person who wrote to what the token opens. A network that names
    /// people in its updates has nothing to add.
    async fn profile(&self, person: &Identity, token: &SecretString) -> Result<Profile, NetworkError>;
}

/// Their network may tell their name.
#[derive(Debug, Clone)]
pub struct UnnamedContact {
    /// It is the person as they were read.
    pub contact: Contact,
    /// It is their picture, where it is known.
    pub avatar_url: Option<String>,
    /// The network knows them so.
    pub identity: Identity,
    /// It opens the page or account that they wrote to; `None` where they have no conversation over its network, so that
    /// nothing can be asked.
    pub token: Option<SecretString>,
    /// They have been asked about so often, this time included.
    pub attempt: u32,
}

/// It keeps people whom the network is to be asked about. A new one is due from the moment they are recorded.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UnnamedContacts: Send + Sync {
    /// Lists the workspaces with somebody who is due at `now`. It only reads.
    async fn workspaces_with_unnamed(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes up to `limit` of one workspace until `lease_until`; those longest due first. Whoever's lease has run
    /// out is due again.
    async fn claim_unnamed(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<UnnamedContact>, StoreError>;

    /// Notes that the network was asked, and when to ask again, if ever.
    async fn asked(
        &self,
        workspace: WorkspaceId,
        person: &Identity,
        again_at: Option<OffsetDateTime>,
    ) -> Result<(), StoreError>;
}
