//! Ports of the workspaces.

use async_trait::async_trait;
use time::{Date, OffsetDateTime};

use super::{Plan, Workspace, day_usage::DayUsage, month::Month, settings::WorkspaceSettings};
use crate::{
    audit::AuditEntry,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
};

/// Storage of workspaces and their plans.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait WorkspaceStore: Send + Sync {
    /// Writes a workspace, its owner and the entry, in one transaction.
    async fn create(
        &self,
        workspace: &Workspace,
        owner: MemberId,
        owner_email: &str,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Finds a workspace.
    async fn find(&self, workspace: WorkspaceId) -> Result<Option<Workspace>, StoreError>;

    /// Lists up to `most` workspaces after this one, by id: the oldest first.
    async fn list(&self, after: Option<WorkspaceId>, most: u32) -> Result<Vec<Workspace>, StoreError>;

    /// Returns the longest-standing owner of the workspace.
    async fn owner(&self, workspace: WorkspaceId) -> Result<Option<MemberId>, StoreError>;

    /// Writes the changed settings and the entry, in one transaction; returns the workspace as changed,
    /// `None` if there is none.
    async fn change(
        &self,
        workspace: WorkspaceId,
        wanted: &WorkspaceSettings,
        entry: &AuditEntry,
    ) -> Result<Option<Workspace>, StoreError>;

    /// Counts the customers who are active in the month.
    async fn active_customers(&self, workspace: WorkspaceId, month: Month) -> Result<u64, StoreError>;

    /// Replaces the plan and writes the entry, in one transaction; `false` if there is no such workspace.
    async fn set_plan(
        &self,
        workspace: WorkspaceId,
        plan: Plan,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// Storage of what workspaces used by day, in UTC.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UsageDays: Send + Sync {
    /// Counts the usage of a day from its messages. A message counts on the day on which it was recorded.
    async fn count(&self, workspace: WorkspaceId, day: Date) -> Result<DayUsage, StoreError>;

    /// Lists the kept days from `since` to `until`, both included, newest first.
    async fn kept(
        &self,
        workspace: WorkspaceId,
        since: Date,
        until: Date,
    ) -> Result<Vec<DayUsage>, StoreError>;

    /// Returns the day of the first message; `None` if there is none.
    async fn first_day(&self, workspace: WorkspaceId) -> Result<Option<Date>, StoreError>;

    /// Returns the latest kept day.
    async fn last_kept(&self, workspace: WorkspaceId) -> Result<Option<Date>, StoreError>;

    /// Keeps these days, replacing earlier counts of them.
    async fn keep(
        &self,
        workspace: WorkspaceId,
        days: &[DayUsage],
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;
}
