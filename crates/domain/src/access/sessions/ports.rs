//! What signing in and sessions need from outside.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    ListedSession, NewSession, Password, PasswordHash, Session, SessionHash, Subscriber, TotpSecret, Validity,
};
use crate::{
    access::{
        audit::AuditEntry,
        members::{EmailAddress, Member},
    },
    errors::StoreError,
    ids::{MemberId, SessionId, WorkspaceId},
};

/// A member proves with this who they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credentials {
    /// The member has not left.
    pub member: Member,
    /// It is the hash of their password.
    pub password: PasswordHash,
    /// It may be offered only, and not yet on.
    pub factor: Option<Factor>,
    /// Number of times that the member has had all other browsers forgotten.
    pub device_generation: i32,
}

/// It is a second factor as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Factor {
    pub secret: TotpSecret,
    /// The factor is asked for once this is true.
    pub confirmed: bool,
    /// It is the last step of time whose code was taken.
    pub last_step: Option<i64>,
}

/// It was presented as second factor, and is to be used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// No second factor is asked for.
    NotAsked,
    /// It was the code of this step of time.
    Step(i64),
    /// It was a recovery code, of which this is the hash.
    Recovery([u8; 32]),
}

/// A `SessionStore` keeps sessions, credentials, and tries at them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// Returns the session, unless it is over, and marks it as used, to the minute. In one statement.
    async fn resume(&self, hash: SessionHash, validity: Validity) -> Result<Option<Session>, StoreError>;

    /// Returns the members that the address signs in as, of all workspaces or of one, no more than `most`:
    /// first those who have shown that the mailbox is theirs, then the oldest.
    async fn credentials(
        &self,
        email: &EmailAddress,
        workspace: Option<WorkspaceId>,
        most: usize,
    ) -> Result<Vec<Credentials>, StoreError>;

    /// Returns those of one member, or `None`.
    async fn credentials_of(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<Option<Credentials>, StoreError>;

    /// Counts one more try at each of `keys` in the window that starts at `window_start`; how many it are, in their
    /// order.
    async fn take_attempts(
        &self,
        keys: &[[u8; 32]],
        window_start: OffsetDateTime,
    ) -> Result<Vec<u32>, StoreError>;

    /// Returns how many tries there were in the window that starts at `window_start`.
    async fn attempts_of(&self, key: [u8; 32], window_start: OffsetDateTime) -> Result<u32, StoreError>;

    /// Forgets the tries at `keys`.
    async fn forgive_attempts(&self, keys: &[[u8; 32]]) -> Result<(), StoreError>;

    /// Counts one try less.
    async fn give_back_attempt(&self, key: [u8; 32]) -> Result<(), StoreError>;

    /// Writes the entry into the log, or counts one more try in the one that has its id.
    async fn count_refusal(&self, workspace: WorkspaceId, entry: &AuditEntry) -> Result<(), StoreError>;

    /// Lists the last entries of sign-ins as the member that were refused, the newest first.
    async fn refusals(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        most: u32,
    ) -> Result<Vec<AuditEntry>, StoreError>;

    /// In one transaction: uses the proof up, keeps the session, and deletes the member's sessions that are over.
    /// `false` when the proof was used before or is none, when one is asked for meanwhile, and when `password` is not
    /// the member's any more: whoever changes either ends this session with the others.
    async fn begin(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        password: &PasswordHash,
        proof: Proof,
        session: &NewSession,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists the member's sessions that are not over, the newest first.
    async fn list(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        validity: Validity,
    ) -> Result<Vec<ListedSession>, StoreError>;

    /// Ends one of the member's sessions; `false` when they have no such one.
    async fn end(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        session: SessionId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Ends all of the member's sessions but one, and has every browser forgotten that knows them.
    async fn end_others(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        keep: SessionId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Writes the password in place of `current`, and ends all of the member's sessions but one.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when `current` is not theirs any more.
    async fn set_password(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        current: &PasswordHash,
        password: &PasswordHash,
        keep: SessionId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Keeps a secret that is not asked for yet, in place of another such. `false` when one is on.
    async fn offer_factor(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        secret: &TotpSecret,
    ) -> Result<bool, StoreError>;

    /// Switches the offered factor on, the code of `step` being used up, with these recovery codes. `false` when
    /// none is offered.
    async fn confirm_factor(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        step: i64,
        recovery: &[[u8; 32]],
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Forgets the factor and its recovery codes.
    async fn drop_factor(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;
}

/// So many passwords are being checked that one more would only wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("too many passwords are being checked")]
pub struct PasswordsBusy;

/// A `PasswordHasher` makes slow hashes of passwords. Neither call blocks the caller's thread, and nobody who
/// asks takes the turns of others.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PasswordHasher: Send + Sync {
    /// Returns the hash to keep.
    async fn hash(&self, password: &Password, asked_by: Subscriber) -> Result<PasswordHash, PasswordsBusy>;

    /// Says whether the password has each of these hashes. For one that is `None` it takes as long and says
    /// `false`.
    async fn verify(
        &self,
        password: &Password,
        hashes: Vec<Option<PasswordHash>>,
        asked_by: Subscriber,
    ) -> Result<Vec<bool>, PasswordsBusy>;
}

/// It makes codes of six digits by a counter.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
pub trait OneTimePasswords: Send + Sync {
    /// Returns the code, below a million (RFC 4226, 5.3, with SHA-1).
    fn code(&self, secret: &[u8], counter: u64) -> u32;
}
