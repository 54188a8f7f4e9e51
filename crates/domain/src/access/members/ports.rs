//! What members and invitations need from outside.

use async_trait::async_trait;
use time::OffsetDateTime;
use url::Url;

use super::{Invitation, InviteError, Language, Member, OpenInvitation, Role};
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

/// Members.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MemberStore: Send + Sync {
    /// Everybody who has not left, the longest known first.
    async fn team(&self, workspace: WorkspaceId) -> Result<Vec<Member>, StoreError>;

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
    /// gone, and so is every link that is for them or was made by them. The conversations that they hold are let go of
    /// afterwards. [`StoreError::Stale`] when they have left already, are no longer of `role`, or the workspace would
    /// be left without an owner.
    async fn remove(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        role: Role,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;
}

/// What is kept of an invitation's token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvitationHash(pub [u8; 32]);

/// Why an invitation is not kept.
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

/// What accepting writes, in one transaction.
#[derive(Debug, Clone)]
pub struct Acceptance {
    /// Which invitation; it is used up.
    pub invitation: InvitationHash,
    /// The member's id, unless their address is one of the team's.
    pub member_if_new: MemberId,
    /// The member's name.
    pub name: String,
    /// The member's password.
    pub password: PasswordHash,
    /// The member's language.
    pub language: Option<Language>,
    /// Their first session, their only one.
    pub session: NewSession,
    /// The log's entry; its actor and subject are the member.
    pub entry: AuditEntry,
    /// When.
    pub now: OffsetDateTime,
}

/// Invitations.
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

    /// The invitation, unless it is over at `now`.
    async fn find(
        &self,
        hash: InvitationHash,
        now: OffsetDateTime,
    ) -> Result<Option<OpenInvitation>, StoreError>;

    /// Those that are not over at `now`, newest first.
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

/// An invitation to be mailed.
#[derive(Debug, Clone)]
pub struct InvitationMail {
    /// To whom.
    pub to: Invitation,
    /// Which workspace invites.
    pub workspace_name: String,
    /// What it is written in.
    pub language: Language,
    /// The link.
    pub link: Url,
}

/// The mail cannot be taken: why, in words for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MailFailed(pub String);

/// Mail.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Takes the mail, to hand it to the mail server afterwards: nobody waits for that.
    async fn invite(&self, mail: &InvitationMail) -> Result<(), MailFailed>;

    /// The same of a link for another password.
    async fn reset(&self, mail: &ResetMail) -> Result<(), MailFailed>;

    /// The same of what has become of a channel.
    async fn alert(&self, mail: &AlertMail) -> Result<(), MailFailed>;
}
