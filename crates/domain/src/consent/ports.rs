//! What asking customers, and doing what they confirmed, needs from outside.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{CommitmentState, Draft, DraftKind, DraftState, DueCommitment, PreparedReply};
use crate::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::{CommitmentId, ConversationId, DraftId, MessageId, WorkspaceId},
    orders::CreationKey,
    sending::{KeyClaim, ReplyAuthor},
    webhooks::Event,
};

/// A draft to write, with all that goes with it.
#[derive(Debug, Clone)]
pub struct NewDraft {
    /// The draft.
    pub draft: Draft,
    /// The key to claim.
    pub key: Option<KeyClaim>,
    /// Its summary, which is sent by whoever makes the draft, and later by anybody where that one has died.
    pub summary: PreparedReply,
    /// What the log of changes is told.
    pub entry: AuditEntry,
}

/// The draft that has a key already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DraftHolder {
    /// For which request.
    pub request_hash: [u8; 32],
    /// The draft.
    pub id: DraftId,
}

/// A draft as the team sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftRecord {
    /// The draft.
    pub id: DraftId,
    /// What kind of thing is proposed.
    pub kind: DraftKind,
    /// Where it stands.
    pub state: DraftState,
    /// The message that says it.
    pub summary: MessageId,
    /// Who proposed it.
    pub author: ReplyAuthor,
    /// When it was made.
    pub created_at: OffsetDateTime,
    /// Until when it may be confirmed.
    pub expires_at: OffsetDateTime,
    /// What became of its confirmation.
    pub commitment: Option<CommitmentRecord>,
}

/// A commitment as the team sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitmentRecord {
    /// How far it has come.
    pub state: CommitmentState,
    /// The message that confirmed it.
    pub confirmed_by: MessageId,
    /// When that was read.
    pub confirmed_at: OffsetDateTime,
    /// When it came to its end.
    pub settled_at: Option<OffsetDateTime>,
}

/// A draft whose customer has written since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredDraft {
    /// The draft.
    pub draft: Draft,
    /// Up to where the customer's messages were read before.
    pub read_until: OffsetDateTime,
    /// Whether the customer has spoken of something else since the summary, so that words prove nothing any more.
    pub only_button: bool,
    /// What shows that nobody has taken it up since, and that the customer has written no more.
    pub lease_until: OffsetDateTime,
}

/// What the customer's messages came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerSettled {
    /// They confirmed it.
    Confirmed(NewCommitment),
    /// It is open no more.
    Ended(DraftState),
    /// They spoke of something else, up to that time; the draft stays open.
    Heard(OffsetDateTime),
}

/// A commitment to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommitment {
    /// Its id.
    pub id: CommitmentId,
    /// The message that confirms it.
    pub confirmed_by: MessageId,
    /// Under which key the system is asked.
    pub key: CreationKey,
    /// When it was read.
    pub at: OffsetDateTime,
}

/// Drafts, and the answers that they wait for.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DraftStore: Send + Sync {
    /// In one transaction: puts a draft in the place of the conversation's open one, with its summary to be sent a
    /// lease later, and the entry. Nothing is written where its key was used before: the answer is the draft that has it.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when the conversation is not there any more, or somebody else proposed at the same time.
    async fn propose(
        &self,
        workspace: WorkspaceId,
        new: &NewDraft,
    ) -> Result<Option<DraftHolder>, StoreError>;

    /// The draft that has the key, or `None`.
    async fn holder(
        &self,
        workspace: WorkspaceId,
        key_hash: [u8; 32],
    ) -> Result<Option<DraftHolder>, StoreError>;

    /// The summary of an open draft, where it was not handed to the network.
    async fn unsent_summary(
        &self,
        workspace: WorkspaceId,
        draft: DraftId,
    ) -> Result<Option<PreparedReply>, StoreError>;

    /// The conversation's newest drafts, newest first, up to `limit`.
    async fn drafts(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        limit: u8,
    ) -> Result<Vec<DraftRecord>, StoreError>;

    /// Takes an open draft back, with the entry; `false` when the conversation has no such open draft.
    async fn withdraw(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        draft: DraftId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Workspaces with answers to read by `now`. Only reads.
    async fn workspaces_with_answers(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes up an open draft whose answer is to be read by `now`, until `lease_until`. `None` when there is none, or
    /// somebody else was faster.
    async fn claim_answer(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<AnsweredDraft>, StoreError>;

    /// Writes what an answer came to, unless the customer has written meanwhile.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when they have, or the draft is open no more.
    async fn settle_answer(
        &self,
        workspace: WorkspaceId,
        answered: &AnsweredDraft,
        settled: &AnswerSettled,
    ) -> Result<(), StoreError>;
}

/// How a commitment ends.
#[derive(Debug, Clone)]
pub struct Settlement {
    /// The attempt that it ends with.
    pub attempt: u32,
    /// How it ended.
    pub state: CommitmentState,
    /// What tells of it, where it is done.
    pub event: Option<Event>,
    /// What the customer is told; `None` where the next draft's summary tells it.
    pub receipt: Option<PreparedReply>,
    /// What the customer is asked instead.
    pub next: Option<NewDraft>,
    /// What the log of changes is told.
    pub entry: AuditEntry,
}

/// Commitments, and which of them are to be carried on.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CommitmentStore: Send + Sync {
    /// Workspaces with commitments that are due by `now`. Only reads.
    async fn workspaces_with_commitments(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes one that is due by `now`, and counts the attempt that begins; it is due again at `lease_until`, whatever
    /// becomes of the taker. `None` when none is due, or somebody else was faster.
    async fn claim_commitment(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueCommitment>, StoreError>;

    /// Makes it due at `lease_until`, for who took it and is still at it; `false` when another attempt has begun since, or
    /// it has ended.
    async fn renew_commitment(
        &self,
        workspace: WorkspaceId,
        commitment: CommitmentId,
        attempt: u32,
        lease_until: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Writes down that the system is asked from now on; `false` when another attempt has begun since.
    async fn mark_asked(
        &self,
        workspace: WorkspaceId,
        commitment: CommitmentId,
        attempt: u32,
    ) -> Result<bool, StoreError>;

    /// Makes it due then, unless another attempt has begun since.
    async fn postpone_commitment(
        &self,
        workspace: WorkspaceId,
        commitment: CommitmentId,
        attempt: u32,
        at: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// In one transaction: ends it, forgets what was proposed, and writes event, receipt, the next draft and the entry.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when another attempt has begun since, or has ended it.
    async fn settle_commitment(
        &self,
        workspace: WorkspaceId,
        commitment: &DueCommitment,
        settlement: &Settlement,
    ) -> Result<(), StoreError>;
}

/// Replies that the service has worded, until they were sent.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PreparedReplies: Send + Sync {
    /// Workspaces with replies that are due by `now`. Only reads.
    async fn workspaces_with_replies(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes one that is due by `now`; it is due again at `lease_until`, whatever becomes of the taker.
    async fn claim_reply(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<PreparedReply>, StoreError>;

    /// Lets go of one, and takes the draft back that it was to be the summary of, where that is still open; the key of
    /// that draft is free again.
    async fn finish_reply(
        &self,
        workspace: WorkspaceId,
        reply: MessageId,
        withdraws: Option<DraftId>,
    ) -> Result<(), StoreError>;
}
