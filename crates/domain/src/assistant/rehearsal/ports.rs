//! Ports of rehearsals.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    hand_overs::HandedOver,
    question::TestQuestion,
    result::QuestionResult,
    state::{AskedQuestion, Rehearsal, RehearsalState},
};
use crate::{
    assistant::reason::HandOverReason,
    audit::AuditEntry,
    errors::StoreError,
    ids::{RehearsalId, TestQuestionId, WorkspaceId},
};

/// Storage of owners' questions and of their last results.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TestQuestionStore: Send + Sync {
    /// Lists all questions, oldest first.
    async fn questions(&self, workspace: WorkspaceId) -> Result<Vec<AskedQuestion>, StoreError>;

    /// Adds questions, all or none, in one transaction with the audit entry; `false` if there would be more
    /// than `most` with them.
    async fn add(
        &self,
        workspace: WorkspaceId,
        questions: &[TestQuestion],
        most: u32,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Replaces a question and forgets its result, in one transaction with the audit entry; `false` if there
    /// is none with this id.
    async fn change(
        &self,
        workspace: WorkspaceId,
        question: &TestQuestion,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Removes a question, in one transaction with the audit entry; `false` and no entry if there is none.
    async fn remove(
        &self,
        workspace: WorkspaceId,
        question: TestQuestionId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// A run whose next question somebody has claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimedRehearsal {
    pub id: RehearsalId,
    /// `None` if all have been asked.
    pub question: Option<TestQuestion>,
    /// How often this question was claimed, this time among them.
    pub claims: u32,
    /// Questions before it that were not answered, in a row.
    pub not_answered_in_row: u32,
    pub lease_until: OffsetDateTime,
}

/// Storage of runs. A workspace has one at a time.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait RehearsalStore: Send + Sync {
    /// Lists the kept runs, newest first.
    async fn rehearsals(&self, workspace: WorkspaceId) -> Result<Vec<Rehearsal>, StoreError>;

    /// Begins a run through `questions`, in one transaction with the audit entry, and forgets the oldest
    /// beyond [`SHOWN_REHEARSALS`](super::SHOWN_REHEARSALS). One that is running is ended as replaced if
    /// `replaces`; otherwise `false`, and nothing is begun.
    async fn begin(
        &self,
        workspace: WorkspaceId,
        rehearsal: &Rehearsal,
        questions: &[TestQuestionId],
        replaces: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists the workspaces with a run that nobody works on at `now`; claims none.
    async fn workspaces_with_rehearsals(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims the workspace's run for its next question, until `lease_until`; `None` if none runs, or
    /// somebody works on it.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<ClaimedRehearsal>, StoreError>;

    /// Extends the claim; `false` if the run has ended, or gone on.
    async fn renew(
        &self,
        workspace: WorkspaceId,
        claimed: &ClaimedRehearsal,
        lease_until: OffsetDateTime,
    ) -> Result<bool, StoreError>;

    /// Keeps the result of the claimed question and lets go of the run, in one transaction. Of a question
    /// that was changed meanwhile nothing is kept: it is asked once more. Does nothing if the run has ended,
    /// or the question has a result in it.
    async fn record(
        &self,
        workspace: WorkspaceId,
        claimed: &ClaimedRehearsal,
        result: &QuestionResult,
    ) -> Result<(), StoreError>;

    /// Ends the run, with an audit entry if a member stopped it; `false` if it does not run.
    async fn end(
        &self,
        workspace: WorkspaceId,
        rehearsal: RehearsalId,
        state: RehearsalState,
        at: OffsetDateTime,
        entry: Option<AuditEntry>,
    ) -> Result<bool, StoreError>;
}

/// What was handed over, as the log of turns has it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait HandOverLog: Send + Sync {
    /// Counts the hand-overs since `since` by reason.
    async fn count_hand_overs(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
    ) -> Result<Vec<(HandOverReason, u64)>, StoreError>;

    /// Lists the newest hand-overs since `since`, up to `most`, newest first.
    async fn hand_overs(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        most: u32,
    ) -> Result<Vec<HandedOver>, StoreError>;
}
