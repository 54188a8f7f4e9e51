//! Read states: the messages of a conversation that a member has seen.

use std::sync::Arc;

use super::read_state::ReadState;
use crate::{
    conversations::ports::InboxLists,
    errors::StoreError,
    ids::{ConversationId, MemberId, MessageId, WorkspaceId},
};

/// Number of newest messages that are searched for unread ones.
pub const MOST_UNREAD: u32 = 100;

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
