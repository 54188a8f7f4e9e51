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

/// It is a draft to write, with all that goes with it.
#[derive(Debug, Clone)]
pub struct NewDraft {
    pub draft: Draft,
    /// The write claims this key.
    pub key: Option<KeyClaim>,
    /// It is its summary, which is sent by whoever makes the draft, and later by anybody where that one has
    /// died.
    pub summary: PreparedReply,
    pub entry: AuditEntry,
}

/// This draft has the key already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DraftHolder {
    /// The key was used for the request with this hash.
    pub request_hash: [u8; 32],
    pub id: DraftId,
}

/// It is a draft as the team sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftRecord {
    pub id: DraftId,
    pub kind: DraftKind,
    pub state: DraftState,
    /// This message says it.
    pub summary: MessageId,
    pub author: ReplyAuthor,
    pub created_at: OffsetDateTime,
    /// It may be confirmed until then.
    pub expires_at: OffsetDateTime,
    /// It says what became of its confirmation; `None` where there was none.
    pub commitment: Option<CommitmentRecord>,
}

/// It is a commitment as the team sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitmentRecord {
    pub id: CommitmentId,
    pub state: CommitmentState,
    /// This message confirmed it.
    pub confirmed_by: MessageId,
    /// The confirmation was read then.
    pub confirmed_at: OffsetDateTime,
    /// It came to its end then; `None` before.
    pub settled_at: Option<OffsetDateTime>,
}

/// The customer of this draft has written since.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredDraft {
    pub draft: Draft,
    /// The customer's messages were read before up to there.
    pub read_until: OffsetDateTime,
    /// It says whether the customer has spoken of something else since the summary, so that words prove
    /// nothing any more.
    pub only_button: bool,
    /// It shows that nobody has taken it up since, and that the customer has written no more.
    pub lease_until: OffsetDateTime,
}

/// It says what the customer's messages came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerSettled {
    /// They confirmed it.
    Confirmed(NewCommitment),
    /// It is open no more.
    Ended(DraftState),
    /// They spoke of something else, up to that time; the draft stays open.
    Heard(OffsetDateTime),
}

/// It is a commitment to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommitment {
    pub id: CommitmentId,
    /// This message confirms it.
    pub confirmed_by: MessageId,
    /// The system is asked under this key.
    pub key: CreationKey,
    pub at: OffsetDateTime,
}

/// It keeps drafts, and the answers that they wait for.
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

    /// Returns the draft that has the key, or `None`.
    async fn holder(
        &self,
        workspace: WorkspaceId,
        key_hash: [u8; 32],
    ) -> Result<Option<DraftHolder>, StoreError>;

    /// Returns the summary of an open draft, where it was not handed to the network.
    async fn unsent_summary(
        &self,
        workspace: WorkspaceId,
        draft: DraftId,
    ) -> Result<Option<PreparedReply>, StoreError>;

    /// Lists the conversation's newest drafts, the newest first, up to `limit`.
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

    /// Lists the workspaces with answers to read by `now`. It only reads.
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

/// It says how a commitment ends.
#[derive(Debug, Clone)]
pub struct CommitmentSettlement {
    /// The commitment ends with this attempt.
    pub attempt: u32,
    pub state: CommitmentState,
    /// It tells of the commitment, where it is done.
    pub event: Option<Event>,
    /// The customer is told this; `None` where the next draft's summary tells it.
    pub receipt: Option<PreparedReply>,
    /// The customer is asked this instead.
    pub next: Option<NewDraft>,
    pub entry: AuditEntry,
}

/// It says when a commitment is carried on that has come to nothing yet.
#[derive(Debug, Clone)]
pub struct Postponement {
    /// This attempt came to nothing.
    pub attempt: u32,
    pub at: OffsetDateTime,
    /// It is due then.
    pub until: OffsetDateTime,
    /// The customer is told this meanwhile.
    pub delay_message: Option<PreparedReply>,
}

/// It keeps commitments, and which of them are to be carried on.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CommitmentStore: Send + Sync {
    /// Lists the workspaces with commitments that are due by `now`. It only reads.
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

    /// In one transaction, unless another attempt has begun since: makes it due then, and has the delay message sent, unless it
    /// waits already.
    async fn postpone_commitment(
        &self,
        workspace: WorkspaceId,
        commitment: CommitmentId,
        postponed: &Postponement,
    ) -> Result<(), StoreError>;

    /// In one transaction: ends it, forgets what was proposed and a delay message that still waits, and writes event, receipt,
    /// the next draft and the entry. Nothing is written where the customer is asked about another draft by now, so that
    /// the next one has no place: `false`.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when another attempt has begun since, or has ended it.
    async fn settle_commitment(
        &self,
        workspace: WorkspaceId,
        commitment: &DueCommitment,
        settlement: &CommitmentSettlement,
    ) -> Result<bool, StoreError>;
}

/// It keeps replies that the service has worded, until they were sent.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PreparedReplies: Send + Sync {
    /// Lists the workspaces with replies that are due by `now`. It only reads.
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
