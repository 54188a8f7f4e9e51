//! Ports of automations.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    error::AutomationError,
    plan::{PlannedStep, Trigger},
    rule::Automation,
    settings::Settings,
};
use crate::{
    audit::AuditEntry,
    conversations::StepOf,
    errors::StoreError,
    ids::{AutomationId, ConversationId, MemberId, MessageId, WorkspaceId},
};

/// Storage of a workspace's rules and settings.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AutomationStore: Send + Sync {
    /// Lists every rule, in the order they were made.
    async fn automations(&self, workspace: WorkspaceId) -> Result<Vec<Automation>, StoreError>;

    /// Adds a rule, unless the workspace has `most`, in one transaction with the audit entry.
    async fn add(
        &self,
        workspace: WorkspaceId,
        automation: &Automation,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<(), AutomationError>;

    /// Replaces a rule, which keeps its place, in one transaction with the audit entry. A rule that was
    /// removed meanwhile stays removed.
    async fn replace(
        &self,
        workspace: WorkspaceId,
        automation: &Automation,
        entry: &AuditEntry,
    ) -> Result<(), AutomationError>;

    /// Switches a rule on or off and makes `author` its author, in one transaction with the audit entry;
    /// `false` if there is none. Nothing else of it changes.
    async fn switch(
        &self,
        workspace: WorkspaceId,
        id: AutomationId,
        author: MemberId,
        enabled: bool,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Removes a rule, in one transaction with the audit entry; `false` if there is none.
    async fn remove(
        &self,
        workspace: WorkspaceId,
        id: AutomationId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Returns the workspace's settings; the default if it has set nothing.
    async fn settings(&self, workspace: WorkspaceId) -> Result<Settings, StoreError>;

    /// Replaces the workspace's settings, in one transaction with the audit entry; `false` if there is no
    /// such workspace.
    async fn set(
        &self,
        workspace: WorkspaceId,
        settings: &Settings,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// Message whose rules have not been evaluated, or whose steps are not all done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueTrigger {
    pub trigger: Trigger,
    /// Steps that the message sets off; `None` until that is decided.
    pub planned: Option<Vec<PlannedStep>>,
    /// Number of steps that are done.
    pub done: u32,
    /// Number of times that it was claimed.
    pub attempts: u32,
}

/// Queue of messages that may set rules off. A message is added in the transaction that records it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TriggerQueue: Send + Sync {
    /// Lists the workspaces with triggers due at `now`. Only reads.
    async fn workspaces_with_triggers(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Claims up to `limit` due triggers of a workspace until `lease_until`, oldest first.
    async fn claim_triggers(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<DueTrigger>, StoreError>;

    /// Stores the steps that a trigger sets off. Rules that change afterwards make no difference to it.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if they were stored before.
    async fn write_plan(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        steps: &[PlannedStep],
    ) -> Result<(), StoreError>;

    /// Counts a step as done that changed nothing, or that is harmless when done twice.
    async fn step_done(&self, workspace: WorkspaceId, step: StepOf) -> Result<(), StoreError>;

    async fn finish_triggers(&self, workspace: WorkspaceId, messages: &[MessageId])
    -> Result<(), StoreError>;

    /// Makes a trigger due at `due_at`, and returns whether it did: `false` if somebody has claimed it after
    /// this attempt, or dealt with it.
    async fn postpone_trigger(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
        attempt: u32,
        due_at: OffsetDateTime,
    ) -> Result<bool, StoreError>;
}

/// Open conversations that were examined because nothing has happened in them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct QuietConversations {
    /// Conversations whose customers wait.
    pub waiting: Vec<ConversationId>,
    pub looked_at: u32,
}

/// Finder of conversations in which nothing happens.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait QuietStore: Send + Sync {
    /// Lists the workspaces in which a sweeper has work at `now`. Only reads.
    async fn workspaces_to_sweep(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Lists conversations that are not closed and in which nobody has written, and which nobody has moved,
    /// after `since`: those that have been quiet for longest, up to `limit`.
    async fn idle(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<ConversationId>, StoreError>;

    /// Lists the same of open conversations that have not been examined since their last message. Those that
    /// turn out to be answered are not examined again before their next message.
    async fn unanswered(
        &self,
        workspace: WorkspaceId,
        since: OffsetDateTime,
        limit: u32,
    ) -> Result<QuietConversations, StoreError>;
}
