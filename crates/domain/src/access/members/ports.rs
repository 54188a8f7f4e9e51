//! The ports of members, invitations and mail.

use async_trait::async_trait;
use time::OffsetDateTime;
use url::Url;

use super::{
    super::alert_mail::AlertMail,
    FormerMember, Member,
    invitation::{Invitation, InviteError, OpenInvitation},
    language::Language,
    role::Role,
};
use crate::{
    access::{
        resets::ports::ResetMail,
        sessions::{NewSession, PasswordHash},
    },
    audit::AuditEntry,
    errors::StoreError,
    ids::{InvitationId, MemberId, WorkspaceId},
};

/// Things that are revoked with a member who leaves, each as its log entry; `None` stays.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Revocation {
    pub api_keys: Option<Vec<AuditEntry>>,
    pub webhook_addresses: Option<Vec<AuditEntry>>,
    /// One entry at most.
    pub system: Option<Vec<AuditEntry>>,
}

/// Storage of members.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MemberStore: Send + Sync {
    /// Lists everybody who has not left, the longest known first.
    async fn team(&self, workspace: WorkspaceId) -> Result<Vec<Member>, StoreError>;

    /// Lists everybody who has left, the longest known first.
    async fn former(&self, workspace: WorkspaceId) -> Result<Vec<FormerMember>, StoreError>;

    /// Renames the member; `false` if there is no such member.
    async fn rename(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        name: &str,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Sets the language; `false` if there is no such member.
    async fn choose_language(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        language: Language,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Sets the role. Links that an owner made end with that role. [`StoreError::Stale`] if the member has
    /// left, or the workspace would be left without an owner.
    async fn set_role(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        role: Role,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Removes a member in one transaction: marks them as having left, ends their sessions, and deletes their
    /// password, second factor and groups, every link for them or made by them, and what they made of the
    /// kinds to be revoked. Their conversations are let go of afterwards. [`StoreError::Stale`] if they have
    /// left already, are no longer of `role`, have made other things than are revoked, or the workspace would
    /// be left without an owner.
    async fn remove(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        role: Role,
        revocation: &Revocation,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;
}

/// Hash of an invitation's token, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvitationHash(pub [u8; 32]);

/// Accepted invitation, all of which is written in one transaction.
#[derive(Debug, Clone)]
pub struct Acceptance {
    /// Invitation to use up.
    pub invitation: InvitationHash,
    /// Id of a new member; unused if the address is one of the team's.
    pub member_if_new: MemberId,
    pub name: String,
    pub password: PasswordHash,
    pub language: Option<Language>,
    /// Their first session, and their only one.
    pub session: NewSession,
    /// Entry whose actor and subject the store makes the member.
    pub entry: AuditEntry,
    pub now: OffsetDateTime,
}

/// Storage of invitations.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait InvitationStore: Send + Sync {
    /// Writes an invitation in place of earlier ones of its address, with whether its link is only `mailed`,
    /// and who made it. Only an operator's may be for a member, and only for one who has not joined.
    async fn add(
        &self,
        workspace: WorkspaceId,
        invitation: &Invitation,
        hash: InvitationHash,
        mailed: bool,
        entry: &AuditEntry,
    ) -> Result<OpenInvitation, InviteError>;

    /// Finds an invitation, unless it is over at `now`.
    async fn find(
        &self,
        hash: InvitationHash,
        now: OffsetDateTime,
    ) -> Result<Option<OpenInvitation>, StoreError>;

    /// Lists the invitations that are not over at `now`, newest first.
    async fn list(&self, workspace: WorkspaceId, now: OffsetDateTime) -> Result<Vec<Invitation>, StoreError>;

    /// Deletes an invitation; `false` if the workspace has no such invitation.
    async fn withdraw(
        &self,
        workspace: WorkspaceId,
        id: InvitationId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Makes the member: a new one, unless an operator invited a member who has not joined. `None` if the
    /// invitation was used or withdrawn meanwhile or is over, or if the address has become that of a member.
    async fn accept(
        &self,
        workspace: WorkspaceId,
        acceptance: &Acceptance,
    ) -> Result<Option<Member>, StoreError>;
}

/// Mail to an invited person.
#[derive(Debug, Clone)]
pub struct InvitationMail {
    pub to: Invitation,
    pub workspace_name: String,
    pub language: Language,
    pub link: Url,
}

/// Failure to take a mail; the text says why, for the log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MailFailed(pub String);

/// Outgoing mail.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Mailer: Send + Sync {
    /// Takes an invitation's mail, to hand it to the mail server afterwards: nobody waits for that.
    async fn invite(&self, mail: &InvitationMail) -> Result<(), MailFailed>;

    /// Takes the mail of a reset link in the same way.
    async fn reset(&self, mail: &ResetMail) -> Result<(), MailFailed>;

    /// Takes a mail on the state of a channel in the same way.
    async fn alert(&self, mail: &AlertMail) -> Result<(), MailFailed>;
}
