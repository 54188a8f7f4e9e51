//! What reading and moving conversations needs from outside.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    Change, Command, Conversation, ConversationFilter, Scene, Tag,
    inbox::{InboxCounts, InboxFilter, InboxRow},
};
use crate::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::{ConversationId, MemberId, WorkspaceId},
    paging::{PageRequest, Position},
};

/// Somebody has left the team and may hold threads still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Departure {
    /// Where.
    pub workspace: WorkspaceId,
    /// Who.
    pub member: MemberId,
    /// Who removed them: themselves, where they left.
    pub removed_by: MemberId,
}

/// The threads of a workspace.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ConversationStore: Send + Sync {
    /// The threads that pass the filter after the page's place, newest first, ties by the highest id: up to one
    /// more than the page holds.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: ConversationFilter,
        page: PageRequest,
    ) -> Result<Vec<Conversation>, StoreError>;

    /// The thread, or `None`.
    async fn find(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
    ) -> Result<Option<Conversation>, StoreError>;

    /// The thread with what a decision about the command rests on; `None` when the workspace has no such thread.
    async fn scene(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        command: Command,
    ) -> Result<Option<Scene>, StoreError>;

    /// In one transaction: the thread's new state, its notices, and the deliveries that the events owe.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when the thread has moved, or a message came, since it was read.
    async fn commit(&self, workspace: WorkspaceId, change: &Change) -> Result<(), StoreError>;

    /// The threads that the person holds.
    async fn held_by(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<Vec<ConversationId>, StoreError>;

    /// Who has left and may hold threads, no more than `most`, the longest gone first.
    async fn departures(&self, most: u32) -> Result<Vec<Departure>, StoreError>;

    /// Forgets that the person has left, if that was by `left_until` and they hold nothing.
    async fn settle_departure(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        left_until: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// Threads for a page of the inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundThreads {
    /// Up to one more than the page holds.
    pub rows: Vec<InboxRow>,
    /// Set when the list goes on after the last thread that was looked at, whatever the rows say.
    pub reached: Option<Position>,
}

/// The team's lists.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait InboxLists: Send + Sync {
    /// The threads that pass the filter after the page's place, those with the newest message first, ties by the
    /// highest id.
    async fn inbox(
        &self,
        workspace: WorkspaceId,
        filter: &InboxFilter,
        page: PageRequest,
    ) -> Result<FoundThreads, StoreError>;

    /// How many open threads there are for the member, counted up to `most`.
    async fn inbox_counts(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        most: u32,
    ) -> Result<InboxCounts, StoreError>;
}

/// What became of tagging a thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tagged {
    /// It has the tag now, or had it before.
    Yes,
    /// It has as many as it may.
    TooMany,
    /// The workspace has no such thread.
    NoConversation,
}

/// The tags of threads. Tags that fold to one are one: the spelling that came first is kept.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TagStore: Send + Sync {
    /// Tags a thread unless it has `most` tags already. Two tags at one instant may make one more. If it is a new
    /// one, `entry` goes to the log of changes.
    async fn tag(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        tag: &Tag,
        most: u32,
        entry: Option<AuditEntry>,
    ) -> Result<Tagged, StoreError>;

    /// Takes a tag off and writes `entry` to the log of changes; `false` when the thread does not have it.
    async fn untag(
        &self,
        conversation: ConversationId,
        tag: &Tag,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// The tags of each of these threads, by name.
    async fn tags(
        &self,
        workspace: WorkspaceId,
        conversations: &[ConversationId],
    ) -> Result<Vec<Vec<String>>, StoreError>;
}
