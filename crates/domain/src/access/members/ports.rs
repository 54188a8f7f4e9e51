//! What members and invitations need from outside.

use async_trait::async_trait;
use time::OffsetDateTime;
use url::Url;

use super::{FormerMember, Invitation, InviteError, Language, Member, OpenInvitation, Role};
use crate::{
    access::{
        audit::AuditEntry,
        resets::ports::ResetMail,
        sessions::{NewSession, PasswordHash},
    },
    channels::AlertMail,
    errors::StoreError,
    ids::{InvitationId, MemberId, WorkspaceId},
};

/// What is revoked with somebody who leaves, each with the entry that tells of it; `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revocation {
    pub api_keys: Option<Vec<AuditEntry>>,
    pub webhook_addresses: Option<Vec<AuditEntry>>,
    /// At most one.
    pub system: Option<Vec<AuditEntry>>,
}

/// A `MemberStore` keeps members.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MemberStore: Send + Sync {
    /// Lists everybody who has not left, the longest known first.
    async fn team(&self, workspace: WorkspaceId) -> Result<Vec<Member>, StoreError>;

    /// Lists everybody who has left, the longest known first.
    async fn former(&self, workspace: WorkspaceId) -> Result<Vec<FormerMember>, StoreError>;

    /// Writes the name; `false` when there is no such member.
    async fn rename(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        name: &str,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Writes the language; `false` when there is no such member.
    async fn choose_language(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        language: Language,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Writes the role. Links that an owner made end with that role. [`StoreError::Stale`] when the member has left,
    /// or the workspace would be left without an owner.
    async fn set_role(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        role: Role,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// In one transaction: the member has left, their sessions are ended, password, second factor and groups are
    /// gone, and so is every link that is for them or was made by them, and all that they made of what is revoked. The
    /// conversations that they hold are let go of afterwards. [`StoreError::Stale`] when they have left already, are no
    /// longer of `role`, have made other things than are revoked, or the workspace would be left without an owner.
    async fn remove(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        role: Role,
        revocation: &Revocation,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;
}

/// The store keeps this of an invitation's token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvitationHash(pub [u8; 32]);

/// It says why an invitation is not kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotInvited {
    /// They are on the team.
    AlreadyMember,
    /// There is no such workspace.
    NoWorkspace,
}

impl From<NotInvited> for InviteError {
    fn from(why: NotInvited) -> Self {
        match why {
            NotInvited::AlreadyMember => Self::AlreadyMember,
            NotInvited::NoWorkspace => Self::UnknownWorkspace,
        }
    }
}

/// Accepting writes all of this in one transaction.
#[derive(Debug, Clone)]
pub struct Acceptance {
    /// The invitation is used up by it.
    pub invitation: InvitationHash,
    /// It is the member's id, unless their address is one of the team's.
    pub member_if_new: MemberId,
    pub name: String,
    pub password: PasswordHash,
    pub language: Option<Language>,
    /// It is their first session, and their only one.
    pub session: NewSession,
    /// The actor and the subject of this entry are the member.
    pub entry: AuditEntry,
    pub now: OffsetDateTime,
}

/// An `InvitationStore` keeps invitations.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait InvitationStore: Send + Sync {
    /// Keeps an invitation in place of earlier ones of its address. Whether its link is `mailed` alone, it
    /// remembers, and whose it is: only an operator's may be of a member, and only of one who has not joined.
    async fn add(
        &self,
        workspace: WorkspaceId,
        invitation: &Invitation,
        hash: InvitationHash,
        mailed: bool,
        entry: &AuditEntry,
    ) -> Result<Result<OpenInvitation, NotInvited>, StoreError>;

    /// Returns the invitation, unless it is over at `now`.
    async fn find(
        &self,
        hash: InvitationHash,
        now: OffsetDateTime,
    ) -> Result<Option<OpenInvitation>, StoreError>;

    /// Lists those that are not over at `now`, the newest first.
    async fn list(&self, workspace: WorkspaceId, now: OffsetDateTime) -> Result<Vec<Invitation>, StoreError>;

    /// Deletes it; `false` when the workspace has no such one.
    async fn withdraw(
        &self,
        workspace: WorkspaceId,
        id: InvitationId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Makes the member, a new one unless an operator's is of a member who has not joined; `None` when the invitation
    /// was used or withdrawn meanwhile or is over, or when the address has become that of a member.
    async fn accept(
        &self,
        workspace: WorkspaceId,
        acceptance: &Acceptance,
    ) -> Result<Option<Member>, StoreError>;
}

/// It is mailed to whoever is invited.
#[derive(Debug, Clone)]
pub struct InvitationMail {
    pub to: Invitation,
    pub workspace_name: String,
    pub language: Language,
    pub link: Url,
}

/// The mail cannot be taken; the text says why, in words for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MailFailed(pub String);

/// A `Mailer` sends mail.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Takes the mail, to hand it to the mail server afterwards: nobody waits for that.
    async fn invite(&self, mail: &InvitationMail) -> Result<(), MailFailed>;

    /// Mails a link for another password in the same way.
    async fn reset(&self, mail: &ResetMail) -> Result<(), MailFailed>;

    /// Mails in the same way what has become of a channel.
    async fn alert(&self, mail: &AlertMail) -> Result<(), MailFailed>;
}
