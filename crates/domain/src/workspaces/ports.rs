//! What the workspace's use cases need from outside.

use async_trait::async_trait;
use time::{Date, OffsetDateTime};

use super::{DayUsage, Month, Plan, Workspace, WorkspaceSettings};
use crate::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::{MemberId, WorkspaceId},
};

/// A `WorkspaceStore` keeps workspaces and their plans.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait WorkspaceStore: Send + Sync {
    /// Writes a workspace together with its owner and the entry, in one transaction.
    async fn create(
        &self,
        workspace: &Workspace,
        owner: MemberId,
        owner_email: &str,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;

    /// Returns the workspace, or `None`.
    async fn find(&self, workspace: WorkspaceId) -> Result<Option<Workspace>, StoreError>;

    /// Lists at most so many workspaces after this one, by their ids: the oldest first.
    async fn list(&self, after: Option<WorkspaceId>, most: u32) -> Result<Vec<Workspace>, StoreError>;

    /// Returns the member who owns the workspace, or `None`.
    async fn owner(&self, workspace: WorkspaceId) -> Result<Option<MemberId>, StoreError>;

    /// Writes what is wanted and the entry, in one transaction; the workspace as it is then, or `None`.
    async fn change(
        &self,
        workspace: WorkspaceId,
        wanted: &WorkspaceSettings,
        entry: &AuditEntry,
    ) -> Result<Option<Workspace>, StoreError>;

    /// Returns how many customers are active in the month.
    async fn active_customers(&self, workspace: WorkspaceId, month: Month) -> Result<u64, StoreError>;

    /// Replaces the plan and writes the entry, in one transaction; `false` when there is no such workspace.
    async fn set_plan(
        &self,
        workspace: WorkspaceId,
        plan: Plan,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}

/// It keeps what workspaces used by day, in UTC.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait UsageDays: Send + Sync {
    /// Counts a day. A message counts on the day on which it was recorded.
    async fn count(&self, workspace: WorkspaceId, day: Date) -> Result<DayUsage, StoreError>;

    /// Lists the days that are kept between these, both included, the newest first.
    async fn kept(
        &self,
        workspace: WorkspaceId,
        since: Date,
        until: Date,
    ) -> Result<Vec<DayUsage>, StoreError>;

    /// Returns the day of the first message; `None` where there is none.
    async fn first_day(&self, workspace: WorkspaceId) -> Result<Option<Date>, StoreError>;

    /// Returns the last day that is kept.
    async fn last_kept(&self, workspace: WorkspaceId) -> Result<Option<Date>, StoreError>;

    /// Keeps these days, in place of what was kept of them.
    async fn keep(
        &self,
        workspace: WorkspaceId,
        days: &[DayUsage],
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;
}
