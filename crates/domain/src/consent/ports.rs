//! Ports of drafts, commitments and prepared replies.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    commitment::{CommitmentState, DueCommitment},
    draft::{Draft, DraftState},
    draft_kind::DraftKind,
};
use crate::{
    audit::AuditEntry,
    errors::StoreError,
    events::Event,
    ids::{CommitmentId, ConversationId, DraftId, MessageId, WorkspaceId},
    messages::{PreparedReply, ReplyAuthor},
    orders::CreationKey,
    sending::KeyClaim,
};

/// A draft to write, with its summary and its audit entry.
#[derive(Debug, Clone)]
pub struct NewDraft {
    pub draft: Draft,
    /// Idempotency key that the write claims.
    pub key: Option<KeyClaim>,
    /// Reply with the summary; sent by the process that makes the draft, or by any other if that one has
    /// died.
    pub summary: PreparedReply,
    pub entry: AuditEntry,
}

/// The draft that holds an idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DraftHolder {
    /// Hash of the request that the key was used for.
    pub request_hash: [u8; 32],
    pub id: DraftId,
}

/// The question of a draft, as it was put last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Question {
    /// Message that puts it: the summary, or a later one.
    pub message: MessageId,
    /// When that message was prepared: what others have said since, words may answer instead.
    pub at: OffsetDateTime,
}

impl Question {
    /// Returns the question of a draft that was put once.
    pub const fn first(draft: &Draft) -> Self {
        Self { message: draft.summary, at: draft.created_at }
    }
}

/// A draft as the team sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftRecord {
    pub id: DraftId,
    pub kind: DraftKind,
    pub state: DraftState,
    pub summary: MessageId,
    pub question: Question,
    pub author: ReplyAuthor,
    pub created_at: OffsetDateTime,
    pub expires_at: OffsetDateTime,
    /// What became of the confirmation; `None` if there was none.
    pub commitment: Option<CommitmentRecord>,
}

/// A commitment as the team sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommitmentRecord {
    pub id: CommitmentId,
    pub state: CommitmentState,
    pub confirmed_by: MessageId,
    /// When the confirmation was read.
    pub confirmed_at: OffsetDateTime,
    /// When it reached its final state; `None` before.
    pub settled_at: Option<OffsetDateTime>,
}

/// A claimed draft whose customer has written since the summary, or whose time is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnsweredDraft {
    pub draft: Draft,
    /// Time up to which the customer's messages were read before.
    pub read_until: OffsetDateTime,
    /// Whether only the draft's own button can still confirm it: the customer has spoken of something else
    /// since the summary.
    pub only_button: bool,
    pub question: Question,
    /// Number of times that the summary was sent again.
    pub sent_again: u8,
    /// End of the lease; as long as the store has it, nobody else has claimed the draft and the customer has
    /// written no more.
    pub lease_until: OffsetDateTime,
}

/// What the customer's messages came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerSettled {
    Confirmed(NewCommitment),
    Ended(DraftState),
    /// The messages up to this time confirm nothing; the draft stays open.
    Heard(OffsetDateTime),
    AskedAgain(AskedAgain),
}

/// A summary that is sent again, after messages that are almost a yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedAgain {
    /// Time of the last of those messages, which it answers.
    pub heard_until: OffsetDateTime,
    pub at: OffsetDateTime,
    pub summary: PreparedReply,
}

/// A commitment to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewCommitment {
    pub id: CommitmentId,
    pub confirmed_by: MessageId,
    /// Idempotency key under which the system is asked.
    pub key: CreationKey,
    pub at: OffsetDateTime,
}

/// Storage of drafts and of the answers that they wait for.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DraftStore: Send + Sync {
    /// Writes a draft in the place of the conversation's open one, its summary (to be sent a lease later) and
    /// the entry, in one transaction. If its key was used before, writes nothing and returns the draft that
    /// holds it.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the conversation is gone, or somebody else proposed at the same time.
    async fn propose(
        &self,
        workspace: WorkspaceId,
        new: &NewDraft,
    ) -> Result<Option<DraftHolder>, StoreError>;

    /// Finds the draft that holds the key.
    async fn holder(
        &self,
        workspace: WorkspaceId,
        key_hash: [u8; 32],
    ) -> Result<Option<DraftHolder>, StoreError>;

    /// Returns the summary of an open draft if it was not handed to the network yet.
    async fn unsent_summary(
        &self,
        workspace: WorkspaceId,
        draft: DraftId,
    ) -> Result<Option<PreparedReply>, StoreError>;

    /// Lists the conversation's newest drafts, newest first, up to `limit`.
    async fn drafts(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        limit: u8,
    ) -> Result<Vec<DraftRecord>, StoreError>;

    /// Returns the conversation's open draft; `None` if it has none.
    async fn open_draft(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<Draft>, StoreError>;

    /// Records that the question of an open draft is put again by `question`, so that words count once more.
    /// Does nothing and returns `false` if the draft is no longer open, its summary was not handed to the
    /// network yet, or the customer has written since its answers were read last.
    async fn repeat_question(
        &self,
        workspace: WorkspaceId,
        draft: DraftId,
        question: Question,
    ) -> Result<bool, StoreError>;

    /// Withdraws an open draft, with the entry; `false` if the conversation has no such open draft.
    async fn withdraw(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        draft: DraftId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists the workspaces with answers due by `now`, without claiming any.
    async fn workspaces_with_answers(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims an open draft whose answer is due by `now`, until `lease_until`; `None` if there is none, or
    /// somebody else was faster.
    async fn claim_answer(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<AnsweredDraft>, StoreError>;

    /// Writes what an answer came to.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the customer has written since the claim, or the draft is no longer open.
    async fn settle_answer(
        &self,
        workspace: WorkspaceId,
        answered: &AnsweredDraft,
        settled: &AnswerSettled,
    ) -> Result<(), StoreError>;
}

/// How a commitment ends.
#[derive(Debug, Clone)]
pub struct CommitmentSettlement {
    /// Attempt that ends it; a later one fences it off.
    pub attempt: u32,
    pub state: CommitmentState,
    /// Event for the subscribers; `None` unless it is done.
    pub event: Option<Event>,
    /// Reply that tells the customer; `None` if the next draft's summary does, or the conversation is gone.
    pub receipt: Option<PreparedReply>,
    /// Draft that the customer is asked to confirm instead.
    pub next: Option<NewDraft>,
    pub entry: AuditEntry,
}

/// The next attempt at a commitment, after one without outcome.
#[derive(Debug, Clone)]
pub struct Postponement {
    /// Attempt that had no outcome.
    pub attempt: u32,
    pub at: OffsetDateTime,
    /// When the next attempt is due.
    pub until: OffsetDateTime,
    /// Message to the customer that it takes longer; `None` if they need none.
    pub delay_message: Option<PreparedReply>,
}

/// Storage of commitments.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CommitmentStore: Send + Sync {
    /// Lists the workspaces with commitments due by `now`, without claiming any.
    async fn workspaces_with_commitments(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims a commitment due by `now` and counts the attempt that begins; it is due again at `lease_until`,
    /// whatever becomes of the claimant. `None` if none is due, or somebody else was faster.
    async fn claim_commitment(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<DueCommitment>, StoreError>;

    /// Extends the lease of a running attempt to `lease_until`; `false` if another attempt has begun since,
    /// or the commitment has ended.
    async fn renew_commitment(
        &self,
        workspace: WorkspaceId,
        commitment: CommitmentId,
        attempt: u32,
        lease_until: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Records that the system is asked from now on; `false` if another attempt has begun since.
    async fn mark_asked(
        &self,
        workspace: WorkspaceId,
        commitment: CommitmentId,
        attempt: u32,
    ) -> Result<bool, StoreError>;

    /// Makes the commitment due again, and queues the delay message unless it waits already, in one
    /// transaction. Does nothing if another attempt has begun since.
    async fn postpone_commitment(
        &self,
        workspace: WorkspaceId,
        commitment: CommitmentId,
        postponed: &Postponement,
    ) -> Result<(), StoreError>;

    /// Ends a commitment in one transaction: forgets the proposal and a delay message that still waits, and
    /// writes the event, the receipt, the next draft and the entry. Writes nothing and returns `false` if the
    /// customer is asked about another draft by now, so that the next one has no place.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if another attempt has begun since, or has ended it.
    async fn settle_commitment(
        &self,
        workspace: WorkspaceId,
        commitment: &DueCommitment,
        settlement: &CommitmentSettlement,
    ) -> Result<bool, StoreError>;
}

/// Storage of replies worded by the service, until they were sent.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait PreparedReplies: Send + Sync {
    /// Lists the workspaces with replies due by `now`, without claiming any.
    async fn workspaces_with_replies(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims a reply due by `now`; it is due again at `lease_until`, whatever becomes of the claimant.
    async fn claim_reply(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<PreparedReply>, StoreError>;

    /// Removes a reply. Withdraws the draft `withdraws`, whose summary was never sent, if it is still open,
    /// and frees its idempotency key.
    async fn finish_reply(
        &self,
        workspace: WorkspaceId,
        reply: MessageId,
        withdraws: Option<DraftId>,
    ) -> Result<(), StoreError>;
}
