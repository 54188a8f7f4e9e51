//! What members have seen of conversations.

use std::sync::Arc;

use time::OffsetDateTime;

use crate::{
    conversations::ports::InboxLists,
    errors::StoreError,
    ids::{ConversationId, MemberId, MessageId, WorkspaceId},
};

/// It says how many of the newest messages are looked at for what a member has not seen.
pub const MOST_UNREAD: u32 = 20;

/// It says how far a member has read a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadState {
    /// It says when the newest message was recorded that they have seen; `None` when they have seen none.
    pub seen_at: Option<OffsetDateTime>,
    /// So many messages of the customer's came after it, among the [`MOST_UNREAD`] newest.
    pub unread: u32,
}

/// It notes what members see.
pub struct MarkSeen {
    pub store: Arc<dyn InboxLists>,
}

impl MarkSeen {
    /// The member has seen the conversation up to this message. What they had seen before stays seen. `None` when the
    /// workspace has no such message in it.
    ///
    /// # Errors
    /// Those of the store.
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
