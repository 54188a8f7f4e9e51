//! `GET /v1/conversations/{id}`.

use std::sync::Arc;

use super::ports::ConversationStore;
use crate::{
    conversation::Conversation,
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
};

/// Use case that looks a conversation up.
pub struct GetConversation {
    pub store: Arc<dyn ConversationStore>,
}

impl GetConversation {
    /// Returns the conversation; `None` if the workspace has no such one.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        id: ConversationId,
    ) -> Result<Option<Conversation>, StoreError> {
        self.store.find(workspace, id).await
    }
}
