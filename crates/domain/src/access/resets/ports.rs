//! The port of reset links.

use async_trait::async_trait;
use time::OffsetDateTime;
use url::Url;

use super::{NewReset, OpenReset, ResetHash};
use crate::{
    access::{members::Language, sessions::PasswordHash},
    audit::AuditEntry,
    email::EmailAddress,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
};

/// Member to whose address a link may be mailed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reachable {
    pub workspace: WorkspaceId,
    pub member: MemberId,
    pub workspace_name: String,
    pub locale: String,
    pub language: Option<Language>,
}

/// Storage of reset links.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ResetStore: Send + Sync {
    /// Lists up to `most` members that the address signs in as, in workspaces that have links mailed: first
    /// those who have shown that the mailbox is theirs, then the oldest.
    async fn reachable(&self, email: &EmailAddress, most: usize) -> Result<Vec<Reachable>, StoreError>;

    /// Writes a link. One from an operator replaces all earlier links of its member, a mailed one only the
    /// mailed ones. `false` if the member is not on the team, or has not joined.
    async fn add(
        &self,
        workspace: WorkspaceId,
        reset: &NewReset,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Finds a link, unless it is over at `now`.
    async fn find(&self, hash: ResetHash, now: OffsetDateTime) -> Result<Option<OpenReset>, StoreError>;

    /// Uses up the link with all others of its member, writes the password, ends all of the member's
    /// sessions, and drops the second factor if the link does, in one transaction. `false` if the link was
    /// used meanwhile, or is over at the entry's time.
    async fn complete(
        &self,
        workspace: WorkspaceId,
        hash: ResetHash,
        password: &PasswordHash,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Returns whether members may have links mailed.
    async fn by_mail(&self, workspace: WorkspaceId) -> Result<bool, StoreError>;

    /// Sets whether members may have links mailed. If not, the mailed links end.
    async fn set_by_mail(
        &self,
        workspace: WorkspaceId,
        by_mail: bool,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;
}

/// Mail with a reset link.
#[derive(Debug, Clone)]
pub struct ResetMail {
    pub to: EmailAddress,
    pub workspace_name: String,
    pub language: Language,
    pub link: Url,
}
