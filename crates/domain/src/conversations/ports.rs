//! Ports for reading and moving conversations.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{
    change::Change,
    decide::DecisionContext,
    filter::ConversationFilter,
    inbox::{Attention, InboxCounts, InboxFilter, InboxRow, ReadState},
    moves::Command,
    receipt::DueReceipt,
};
use crate::{
    audit::AuditEntry,
    channels::ports::NetworkError,
    conversation::Conversation,
    errors::StoreError,
    ids::{ConversationId, MemberId, MessageId, WorkspaceId},
    paging::{PageRequest, Position},
    tag::Tag,
};

/// A member who has left the team and may still hold conversations.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Departure {
    pub workspace: WorkspaceId,
    /// Id that the member had: a person who comes back gets another.
    pub member: MemberId,
    /// Member who removed them: themselves, if they left.
    pub removed_by: MemberId,
}

/// Storage of a workspace's conversations.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ConversationStore: Send + Sync {
    /// Lists the conversations that pass the filter behind the page's position, newest first, ties by the
    /// highest id: up to one more than the page holds.
    async fn list(
        &self,
        workspace: WorkspaceId,
        filter: ConversationFilter,
        page: PageRequest,
    ) -> Result<Vec<Conversation>, StoreError>;

    /// Finds a conversation.
    async fn find(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
    ) -> Result<Option<Conversation>, StoreError>;

    /// Returns the conversation with what a decision about the command rests on; `None` if the workspace has
    /// no such conversation.
    async fn decision_context(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
        command: Command,
    ) -> Result<Option<DecisionContext>, StoreError>;

    /// Writes in one transaction the conversation's new state, its system messages, the reply that goes with
    /// the move, and the deliveries that the events owe.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the conversation has moved, or a message has come, since it was read.
    async fn commit(&self, workspace: WorkspaceId, change: &Change) -> Result<(), StoreError>;

    /// Lists the conversations that the member holds.
    async fn held_by(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
    ) -> Result<Vec<ConversationId>, StoreError>;

    /// Lists up to `most` departures, the longest gone first.
    async fn departures(&self, most: u32) -> Result<Vec<Departure>, StoreError>;

    /// Deletes a departure, if the member left by `left_until` and holds nothing.
    async fn settle_departure(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        left_until: OffsetDateTime,
    ) -> Result<(), StoreError>;
}

/// Conversations for a page of the inbox.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundConversations {
    /// Up to one more than the page holds.
    pub rows: Vec<InboxRow>,
    /// Position of the last conversation that was looked at, if the list goes on behind it, whatever the rows
    /// say.
    pub reached: Option<Position>,
}

/// The team's lists of conversations.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait InboxLists: Send + Sync {
    /// Lists the conversations that pass the filter behind the page's position, in the order of the filter,
    /// ties by the highest id, or by the lowest if the longest waiting come first; each with how far `member`
    /// has read it.
    async fn inbox(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        filter: &InboxFilter,
        page: PageRequest,
    ) -> Result<FoundConversations, StoreError>;

    /// Returns until when the customer can be answered, and since when they wait; `None` if the workspace has
    /// no such conversation.
    async fn attention(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<Attention>, StoreError>;

    /// Counts the open conversations that the member's lists show, each up to `most`.
    async fn inbox_counts(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        most: u32,
    ) -> Result<InboxCounts, StoreError>;

    /// Records that the member has seen the conversation up to this message, unless they had seen more, and
    /// counts the unread among the `most` newest messages. `None` if the conversation has no such message.
    async fn see(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        conversation: ConversationId,
        message: MessageId,
        most: u32,
    ) -> Result<Option<ReadState>, StoreError>;
}

/// Storage of the read receipts that networks are owed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait ReceiptStore: Send + Sync {
    /// Takes the receipt that the conversation's network is owed once a member has read up to this message,
    /// so that nobody else sends it; `None` if it was taken before, if there is nothing to send it by, or if
    /// the workspace wants none sent.
    async fn take_receipt(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<Option<DueReceipt>, StoreError>;

    /// Returns by what the conversation's network can be asked to show its customer that somebody is typing.
    /// Where that marks their message as read, `None` if it is read already, or if the workspace sends no
    /// read receipts.
    async fn typing_mark(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<DueReceipt>, StoreError>;

    /// Returns whether the workspace sends read receipts.
    async fn marks_read(&self, workspace: WorkspaceId) -> Result<bool, StoreError>;

    /// Sets whether the workspace sends read receipts.
    async fn set_marks_read(
        &self,
        workspace: WorkspaceId,
        on: bool,
        entry: &AuditEntry,
    ) -> Result<(), StoreError>;
}

/// Networks that show customers what was read.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait NetworkReceipts: Send + Sync {
    /// Sends a read receipt.
    async fn mark_read(&self, due: &DueReceipt) -> Result<(), NetworkError>;

    /// Shows for some twenty seconds that somebody is typing; WhatsApp marks the message as read by that.
    async fn show_typing(&self, mark: &DueReceipt) -> Result<(), NetworkError>;
}

/// Most tags of a conversation.
pub const MOST_TAGS: u32 = 20;

/// Reason that a tag was not added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TagError {
    #[error("there is no such conversation in this workspace")]
    NotFound,
    #[error("a conversation has at most {MOST_TAGS} tags")]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Storage of the tags of conversations. Tags that fold to one are one: the spelling that came first is kept.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait TagStore: Send + Sync {
    /// Tags a conversation unless it has `most` tags already. If the tag is new to it, writes `entry` to the
    /// audit log.
    async fn tag(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        tag: &Tag,
        most: u32,
        entry: Option<AuditEntry>,
    ) -> Result<(), TagError>;

    /// Takes a tag off and writes `entry` to the audit log; `false` if the conversation does not have it.
    async fn untag(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        tag: &Tag,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Lists up to `most` tags that conversations have, each in one of its spellings, in the order of their
    /// folded forms.
    async fn tags_in_use(&self, workspace: WorkspaceId, most: u32) -> Result<Vec<String>, StoreError>;

    /// Lists the tags of each of these conversations, by name.
    async fn tags(
        &self,
        workspace: WorkspaceId,
        conversations: &[ConversationId],
    ) -> Result<Vec<Vec<String>>, StoreError>;
}
