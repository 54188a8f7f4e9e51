//! The ports of signing in and of sessions.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    ListedSession, NewSession, Session, Validity,
    password::{Password, PasswordHash},
    subscriber::Subscriber,
    token::SessionHash,
    totp_secret::TotpSecret,
};
use crate::{
    access::members::Member,
    audit::AuditEntry,
    email::EmailAddress,
    errors::StoreError,
    ids::{MemberId, SessionId, WorkspaceId},
};

/// Member who has not left, with what they prove themselves by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    pub member: Member,
    pub password: PasswordHash,
    /// Second factor, which may be offered only, and not yet on.
    pub factor: Option<Factor>,
    /// Number of times that the member has had all other browsers forgotten.
    pub device_generation: i32,
}

/// Second factor, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Factor {
    pub secret: TotpSecret,
    /// Whether the factor is on, and so asked for.
    pub confirmed: bool,
    /// Last step of time whose code was taken.
    pub last_step: Option<i64>,
}

/// Second factor that was presented, to be used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// No second factor is asked for.
    NotAsked,
    /// Code of this step of time.
    Step(i64),
    /// Recovery code with this hash.
    Recovery([u8; 32]),
}

/// Storage of sessions, of credentials, and of tries at them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Returns the session, unless it is over, and marks it as used, to the minute; in one statement.
    async fn resume(&self, hash: SessionHash, validity: Validity) -> Result<Option<Session>, StoreError>;

    /// Returns up to `most` members that the address signs in as, of all workspaces or of one: first those
    /// who have shown that the mailbox is theirs, then the oldest.
    async fn credentials(
        &self,
        email: &EmailAddress,
        workspace: Option<WorkspaceId>,
        most: usize,
    ) -> Result<Vec<Credentials>, StoreError>;

    /// Returns the credentials of one member.
    async fn credentials_of(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<Option<Credentials>, StoreError>;

    /// Counts a try at each of `keys` in the window that starts at `window_start`; returns the counts, in
    /// their order.
    async fn take_attempts(
        &self,
        keys: &[[u8; 32]],
        window_start: OffsetDateTime,
    ) -> Result<Vec<u32>, StoreError>;

    /// Returns the tries at `key` in the window that starts at `window_start`.
    async fn attempts_of(&self, key: [u8; 32], window_start: OffsetDateTime) -> Result<u32, StoreError>;

    /// Forgets the tries at `keys`.
    async fn forgive_attempts(&self, keys: &[[u8; 32]]) -> Result<(), StoreError>;

    /// Takes back one try.
    async fn give_back_attempt(&self, key: [u8; 32]) -> Result<(), StoreError>;

    /// Writes the entry into the log, or counts one more try in the entry that has its id.
    async fn count_refusal(&self, workspace: WorkspaceId, entry: &AuditEntry) -> Result<(), StoreError>;

    /// Lists up to `most` entries of refused sign-ins as the member, newest first.
    async fn refusals(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        most: u32,
    ) -> Result<Vec<AuditEntry>, StoreError>;

    /// Begins a session in one transaction: uses the proof up, writes the session, and deletes the member's
    /// sessions that are over. `false` if the proof was used before or is wrong, if one is asked for
    /// meanwhile, or if `password` is no longer the member's: a later change of either ends this session with
    /// the others.
    async fn begin(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        password: &PasswordHash,
        proof: Proof,
        session: &NewSession,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists the member's sessions that are not over, newest first.
    async fn list(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        validity: Validity,
    ) -> Result<Vec<ListedSession>, StoreError>;

    /// Ends one of the member's sessions; `false` if they have no such session.
    async fn end(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        session: SessionId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Ends all of the member's sessions but one, and invalidates all devices of theirs.
    async fn end_others(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        keep: SessionId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Writes the password in place of `current`, and ends all of the member's sessions but one.
    /// [`StoreError::Stale`] if `current` is no longer theirs.
    async fn set_password(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        current: &PasswordHash,
        password: &PasswordHash,
        keep: SessionId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Writes a secret that is not asked for yet, in place of an earlier offer; `false` if a factor is on.
    async fn offer_factor(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        secret: &TotpSecret,
    ) -> Result<bool, StoreError>;

    /// Switches the offered factor on with these recovery codes, and uses up the code of `step`; `false` if
    /// none is offered.
    async fn confirm_factor(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        step: i64,
        recovery: &[[u8; 32]],
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Removes the factor and its recovery codes.
    async fn drop_factor(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;
}

/// Refusal to check a password while one more would only wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many passwords are being checked")]
pub struct PasswordsBusy;

/// Slow hashing of passwords. Calls do not block the caller's thread, and nobody who asks takes the turns of
/// others.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// Returns the hash to store.
    async fn hash(&self, password: &Password, asked_by: Subscriber) -> Result<PasswordHash, PasswordsBusy>;

    /// Returns whether the password has each of these hashes; `None` takes as long, and gives `false`.
    async fn verify(
        &self,
        password: &Password,
        hashes: Vec<Option<PasswordHash>>,
        asked_by: Subscriber,
    ) -> Result<Vec<bool>, PasswordsBusy>;
}

/// Codes of six digits, made of a counter.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait OneTimePasswords: Send + Sync {
    /// Returns the code, below a million (RFC 4226, 5.3, with SHA-1).
    fn code(&self, secret: &[u8], counter: u64) -> u32;
}
