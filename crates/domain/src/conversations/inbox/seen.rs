//! Read states: the messages of a conversation that a member has seen.

use std::sync::Arc;

use time::OffsetDateTime;

use crate::{
    conversations::ports::InboxLists,
    errors::StoreError,
    ids::{ConversationId, MemberId, MessageId, WorkspaceId},
};

/// Number of newest messages that are searched for unread ones.
pub const MOST_UNREAD: u32 = 20;

/// Extent to which a member has read a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadState {
    /// When the newest message that they have seen was recorded; `None` if they have seen none.
    pub seen_at: Option<OffsetDateTime>,
    /// Number of later messages of the customer, among the [`MOST_UNREAD`] newest.
    pub unread: u32,
}

/// Use case that records what members have seen.
pub struct MarkSeen {
    pub store: Arc<dyn InboxLists>,
}

impl MarkSeen {
    /// Records that the member has seen the conversation up to this message. What they had seen before stays
    /// seen. Returns `None` if the conversation has no such message.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        member: MemberId,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<Option<ReadState>, StoreError> {
        self.store.see(workspace, member, conversation, message, MOST_UNREAD).await
    }
}
