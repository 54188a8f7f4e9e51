//! What links for another password need from outside.

use async_trait::async_trait;
use time::OffsetDateTime;
use url::Url;

use super::{NewReset, OpenReset, ResetHash};
use crate::{
    access::{
        audit::AuditEntry,
        members::{EmailAddress, Language},
        sessions::PasswordHash,
    },
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
};

/// A link may go to this member's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reachable {
    pub workspace: WorkspaceId,
    pub member: MemberId,
    pub workspace_name: String,
    pub locale: String,
    pub language: Option<Language>,
}

/// A `ResetStore` keeps links for another password.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ResetStore: Send + Sync {
    /// Says whom the address signs in as, in workspaces that have links mailed; no more than `most`, first
    /// those who have shown that the mailbox is theirs, then the oldest.
    async fn reachable(&self, email: &EmailAddress, most: usize) -> Result<Vec<Reachable>, StoreError>;

    /// Keeps a link in place of earlier ones of its member, and one that is mailed in place of those that were;
    /// `false` when they are not on the team, or have not joined.
    async fn add(
        &self,
        workspace: WorkspaceId,
        reset: &NewReset,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Returns the link, unless it is over at `now`.
    async fn find(&self, hash: ResetHash, now: OffsetDateTime) -> Result<Option<OpenReset>, StoreError>;

    /// In one transaction: uses the link up with all others of its member, writes their password, ends all of their
    /// sessions, and does what else the link does. `false` when it was used meanwhile, or is over at the entry's time.
    async fn complete(
        &self,
        workspace: WorkspaceId,
        hash: ResetHash,
        password: &PasswordHash,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Says whether members may have links mailed.
    async fn by_mail(&self, workspace: WorkspaceId) -> Result<bool, StoreError>;

    /// Says whether they may. Where not, those that were mailed end.
    async fn set_by_mail(
        &self,
        workspace: WorkspaceId,
        by_mail: bool,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;
}

/// It mails a link for another password.
#[derive(Debug, Clone)]
pub struct ResetMail {
    pub to: EmailAddress,
    pub workspace_name: String,
    pub language: Language,
    pub link: Url,
}
