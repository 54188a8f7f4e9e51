//! The port of groups.

use async_trait::async_trait;

use super::group::{GroupError, TeamGroup};
use crate::{
    audit::AuditEntry,
    errors::StoreError,
    ids::{GroupId, MemberId, WorkspaceId},
};

/// Storage of groups. A change returns `false` if the workspace has no such group or member.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait GroupStore: Send + Sync {
    /// Lists all groups, by name.
    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<TeamGroup>, StoreError>;

    /// Writes a new group, unless there are `most` already or one has its name.
    async fn add(
        &self,
        workspace: WorkspaceId,
        group: &TeamGroup,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<(), GroupError>;

    /// Renames a group, unless another one has the name.
    async fn rename(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        name: &str,
        entry: &AuditEntry,
    ) -> Result<(), GroupError>;

    /// Returns whether a broadcast that was started, and is not over, goes to people of the group.
    async fn is_needed(&self, workspace: WorkspaceId, group: GroupId) -> Result<bool, StoreError>;

    /// Deletes the group and takes its conversations out of it, in one transaction; [`StoreError::Stale`] if
    /// a conversation was given to it meanwhile.
    async fn delete(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Adds a member who has not left to the group.
    async fn put(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Removes a member from the group.
    async fn take(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        member: MemberId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;
}
