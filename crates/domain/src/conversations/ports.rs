//! What reading and moving conversations needs from outside.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    Change, Command, Conversation, ConversationFilter, DecisionContext, DueReceipt, Tag,
    inbox::{Attention, InboxCounts, InboxFilter, InboxRow, ReadState},
};
use crate::{
    access::audit::AuditEntry,
    channels::ports::NetworkError,
    errors::StoreError,
    ids::{ConversationId, MemberId, MessageId, WorkspaceId},
    paging::{PageRequest, Position},
};

/// Somebody has left the team and may hold conversations still.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Departure {
    /// They were a member of this workspace.
    pub workspace: WorkspaceId,
    /// It is the member that they were: whoever comes back is another.
    pub member: MemberId,
    /// They removed them: themselves, where they left.
    pub removed_by: MemberId,
}

/// A `ConversationStore` keeps the conversations of a workspace.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ConversationStore: Send + Sync {
    /// Lists the conversations that pass the filter after the page's place, newest first, ties by the highest
    /// id: up to one more than the page holds.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: ConversationFilter,
        page: PageRequest,
    ) -> Result<Vec<Conversation>, StoreError>;

    /// Returns the conversation, or `None`.
    async fn find(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
    ) -> Result<Option<Conversation>, StoreError>;

    /// Returns the conversation with what a decision about the command rests on; `None` when the workspace
    /// has no such conversation.
    async fn decision_context(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        command: Command,
    ) -> Result<Option<DecisionContext>, StoreError>;

    /// In one transaction: the conversation's new state, its system messages, and the deliveries that the events owe.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when the conversation has moved, or a message came, since it was read.
    async fn commit(&self, workspace: WorkspaceId, change: &Change) -> Result<(), StoreError>;

    /// Lists the conversations that the person holds.
    async fn held_by(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<Vec<ConversationId>, StoreError>;

    /// Says who has left and may hold conversations, no more than `most`, the longest gone first.
    async fn departures(&self, most: u32) -> Result<Vec<Departure>, StoreError>;

    /// Forgets that the person has left, if that was by `left_until` and they hold nothing.
    async fn settle_departure(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        left_until: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// They are conversations for a page of the inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundConversations {
    /// There is up to one more than the page holds.
    pub rows: Vec<InboxRow>,
    /// It is set when the list goes on after the last conversation that was looked at, whatever the rows say.
    pub reached: Option<Position>,
}

/// It reads the team's lists.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait InboxLists: Send + Sync {
    /// Lists the conversations that pass the filter after the page's place, in its order, ties by the highest
    /// id, or by the lowest where who has waited longest comes first; each with how far `member` has read it.
    async fn inbox(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        filter: &InboxFilter,
        page: PageRequest,
    ) -> Result<FoundConversations, StoreError>;

    /// Says until when the customer can be answered, and since when they wait; `None` when the workspace has
    /// no such conversation.
    async fn attention(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<Attention>, StoreError>;

    /// Counts the open conversations that there are for the member, up to `most`.
    async fn inbox_counts(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        most: u32,
    ) -> Result<InboxCounts, StoreError>;

    /// Notes that the member has seen the conversation up to this message, unless they had seen more; what they have
    /// not seen is counted among the `most` newest. `None` when the conversation has no such message.
    async fn see(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        conversation: ConversationId,
        message: MessageId,
        most: u32,
    ) -> Result<Option<ReadState>, StoreError>;
}

/// It keeps what networks were not told yet that it is read.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ReceiptStore: Send + Sync {
    /// Takes what the conversation's network is to be told of once a member has read up to this message, so that nobody else
    /// tells it; `None` where it was told, where there is nothing to tell by, and where the workspace wants none told.
    async fn take_receipt(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<Option<DueReceipt>, StoreError>;

    /// Says whether the workspace wants networks told.
    async fn marks_read(&self, workspace: WorkspaceId) -> Result<bool, StoreError>;

    /// Sets whether it does.
    async fn set_marks_read(
        &self,
        workspace: WorkspaceId,
        on: bool,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;
}

/// It tells networks that show customers what was read.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkReceipts: Send + Sync {
    /// Tells the network.
    async fn mark_read(&self, due: &DueReceipt) -> Result<(), NetworkError>;
}

/// It says what became of tagging a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tagged {
    /// It has the tag now, or had it before.
    Yes,
    /// The conversation has as many tags as it may.
    TooMany,
    NoConversation,
}

/// It keeps the tags of conversations. Tags that fold to one are one: the spelling that came first is kept.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TagStore: Send + Sync {
    /// Tags a conversation unless it has `most` tags already. If it is a new one, `entry` goes to the log of changes.
    async fn tag(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        tag: &Tag,
        most: u32,
        entry: Option<AuditEntry>,
    ) -> Result<Tagged, StoreError>;

    /// Takes a tag off and writes `entry` to the log of changes; `false` when the conversation does not have it.
    async fn untag(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        tag: &Tag,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists the tags that conversations have, each in one of its spellings, by what tells them apart: `most`
    /// of them.
    async fn tags_in_use(&self, workspace: WorkspaceId, most: u32) -> Result<Vec<String>, StoreError>;

    /// Lists the tags of each of these conversations, by name.
    async fn tags(
        &self,
        workspace: WorkspaceId,
        conversations: &[ConversationId],
    ) -> Result<Vec<Vec<String>>, StoreError>;
}
