//! What automations need from outside.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{Automation, PlannedStep, Settings, Trigger};
use crate::{
    access::audit::AuditEntry,
    conversations::StepOf,
    errors::StoreError,
    ids::{AutomationId, ConversationId, MemberId, MessageId, WorkspaceId},
};

/// It says what became of writing a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleWritten {
    /// It is kept.
    Yes,
    /// Another rule has its name.
    NameTaken,
    TooMany,
    /// There is no such rule to be replaced.
    Unknown,
}

/// It keeps the rules of a workspace, and its settings.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AutomationStore: Send + Sync {
    /// Lists every rule, in the order that they were made.
    async fn automations(&self, workspace: WorkspaceId) -> Result<Vec<Automation>, StoreError>;

    /// In one transaction with the log's entry: adds a rule, unless the workspace has `most`.
    async fn add(
        &self,
        workspace: WorkspaceId,
        automation: &Automation,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<RuleWritten, StoreError>;

    /// In one transaction with the log's entry: replaces a rule, which keeps its place. One
    /// that was removed meanwhile stays removed.
    async fn replace(
        &self,
        workspace: WorkspaceId,
        automation: &Automation,
        entry: &AuditEntry,
    ) -> Result<RuleWritten, StoreError>;

    /// In one transaction with the log's entry: switches a rule on or off, of which `author` is the author from then on;
    /// `false` when there is none. Nothing else of it changes.
    async fn switch(
        &self,
        workspace: WorkspaceId,
        id: AutomationId,
        author: MemberId,
        enabled: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// In one transaction with the log's entry: removes a rule; `false` when there is none.
    async fn remove(
        &self,
        workspace: WorkspaceId,
        id: AutomationId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Returns what the workspace has set; nothing where it has set nothing.
    async fn settings(&self, workspace: WorkspaceId) -> Result<Settings, StoreError>;

    /// In one transaction with the log's entry: replaces what the workspace has set; `false` when there is
    /// no such workspace.
    async fn set(
        &self,
        workspace: WorkspaceId,
        settings: &Settings,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// It is a message whose rules have not been looked at, or whose steps are not all done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTrigger {
    pub trigger: Trigger,
    /// The message sets these off; `None` before that was decided.
    pub planned: Option<Vec<PlannedStep>>,
    /// So many of the steps are done.
    pub done: u32,
    /// It has been taken up so often.
    pub attempts: u32,
}

/// A `TriggerQueue` keeps messages that may set rules off: they are written where the message is recorded, in
/// the same transaction.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TriggerQueue: Send + Sync {
    /// Lists the workspaces with triggers due at `now`. It only reads.
    async fn workspaces_with_triggers(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes up to `limit` due triggers of a workspace until `lease_until`, oldest first.
    async fn claim_triggers(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<DueTrigger>, StoreError>;

    /// Writes down what a trigger sets off. From then on changed rules make no difference to it.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when that was decided before.
    async fn write_plan(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        steps: &[PlannedStep],
    ) -> Result<(), StoreError>;

    /// Counts a step as done that changed nothing, or that is harmless when done twice.
    async fn step_done(&self, workspace: WorkspaceId, step: StepOf) -> Result<(), StoreError>;

    /// Removes triggers that are dealt with.
    async fn finish_triggers(&self, workspace: WorkspaceId, messages: &[MessageId])
    -> Result<(), StoreError>;

    /// Makes a trigger due at `due_at` that was taken up as this attempt, and says whether it did: not one that somebody
    /// has taken up or dealt with since.
    async fn postpone_trigger(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        attempt: u32,
        due_at: OffsetDateTime,
    ) -> Result<bool, StoreError>;
}

/// These conversations are open, and were looked at because nothing has happened in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuietConversations {
    /// The customers of these wait.
    pub waiting: Vec<ConversationId>,
    /// So many were looked at.
    pub looked_at: u32,
}

/// It finds conversations in which nothing happens.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait QuietStore: Send + Sync {
    /// Lists the workspaces in which a sweeper has work at `now`. It only reads.
    async fn workspaces_to_sweep(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Lists conversations that are not closed and in which nobody has written, and which nobody has moved,
    /// after `since`: those that have been quiet for longest, up to `limit`.
    async fn idle(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<ConversationId>, StoreError>;

    /// Lists the same of open conversations that have not been looked at since their last message. Those that
    /// turn out to be answered are not looked at again before their next message.
    async fn unanswered(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<QuietConversations, StoreError>;
}
