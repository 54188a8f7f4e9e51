//! What automations need from outside.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{Automation, PlannedStep, Settings, Trigger};
use crate::{
    access::audit::AuditEntry,
    conversations::StepOf,
    errors::StoreError,
    ids::{AutomationId, ConversationId, MessageId, WorkspaceId},
};

/// What became of writing a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleWritten {
    /// It is kept.
    Yes,
    /// Another rule has its name.
    NameTaken,
    /// The workspace has as many as it may.
    TooMany,
    /// There is no such rule to be replaced.
    Unknown,
}

/// The rules of a workspace, and its settings.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AutomationStore: Send + Sync {
    /// Every rule, in the order that they were made.
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

    /// In one transaction with the log's entry: removes a rule; `false` when there is none.
    async fn remove(
        &self,
        workspace: WorkspaceId,
        id: AutomationId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// What the workspace has set; nothing where it has set nothing.
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

/// A message whose rules have not been looked at, or whose steps are not all done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTrigger {
    /// The message.
    pub trigger: Trigger,
    /// What it sets off; `None` before that was decided.
    pub planned: Option<Vec<PlannedStep>>,
    /// How many of the steps are done.
    pub done: u32,
    /// How often it has been taken up.
    pub attempts: u32,
}

/// Messages that may set rules off: written where the message is recorded, in the same transaction.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TriggerQueue: Send + Sync {
    /// Workspaces with triggers due at `now`. Only reads.
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

    /// Makes a trigger due at `due_at`.
    async fn postpone_trigger(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        due_at: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// Open conversations that were looked at because nothing has happened in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuietConversations {
    /// Those whose customer waits.
    pub waiting: Vec<ConversationId>,
    /// How many were looked at.
    pub looked_at: u32,
}

/// Conversations in which nothing happens.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait QuietStore: Send + Sync {
    /// Workspaces in which a sweeper has work at `now`. Only reads.
    async fn workspaces_to_sweep(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Conversations that are not closed and in which nobody has written, and which nobody has moved, after `since`: those
    /// that have been quiet for longest, up to `limit`.
    async fn idle(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<ConversationId>, StoreError>;

    /// The same of open conversations that have not been looked at since their last message. Those that turn out to be
    /// answered are not looked at again before their next message.
    async fn unanswered(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<QuietConversations, StoreError>;
}
