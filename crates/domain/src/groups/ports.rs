//! What groups need from outside.

use async_trait::async_trait;

use super::TeamGroup;
use crate::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::{GroupId, MemberId, WorkspaceId},
};

/// What became of a group that was to be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GroupOutcome {
    /// It is written.
    Yes,
    /// The workspace has no such group.
    Unknown,
    /// Another group has the name, as [`super::folded_name`] tells names apart.
    Taken,
    /// There are as many as there may be.
    TooMany,
}

/// A `GroupStore` keeps groups. A change answers `false` where the workspace has no such group or member.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait GroupStore: Send + Sync {
    /// Lists all of them, by name.
    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<TeamGroup>, StoreError>;

    /// Writes a new group, unless there are `most` already or one has its name.
    async fn add(
        &self,
        workspace: WorkspaceId,
        group: &TeamGroup,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<GroupOutcome, StoreError>;

    /// Writes another name, unless another group has it.
    async fn rename(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        name: &str,
        entry: &AuditEntry,
    ) -> Result<GroupOutcome, StoreError>;

    /// Whether a broadcast that was started, and is not over, goes to people of the group.
    async fn is_needed(&self, workspace: WorkspaceId, group: GroupId) -> Result<bool, StoreError>;

    /// Deletes the group and takes its conversations out of it, in one transaction. [`StoreError::Stale`] when a conversation
    /// was given to it meanwhile.
    async fn delete(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Puts a member who has not left into the group.
    async fn put(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Takes a member out of the group.
    async fn take(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}
