//! A message's whole life, for an owner or an agent who is told that it never came.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{
    delivery::{Attempt, Delivery},
    ports::MessageLives,
};
use crate::{
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    messages::{Role, Sending, TemplateRef},
};

/// A webhook delivery with its attempts, without the receiver's answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub delivery: Delivery,
    /// Oldest first.
    pub attempts: Vec<Attempt>,
}

/// Everything that happened to a message. If its content is not stored, the send alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageLife {
    pub id: MessageId,
    pub conversation: Option<ConversationId>,
    /// Author; `None` if it is in no conversation.
    pub role: Option<Role>,
    /// Id of the team member who wrote it, if it was one.
    pub sender_id: Option<String>,
    pub template: Option<TemplateRef>,
    pub reference: Option<String>,
    pub recorded_at: Option<OffsetDateTime>,
    pub has_network_id: bool,
    /// `None` if this service did not send it.
    pub sending: Option<Sending>,
    /// Webhook deliveries about it, oldest first.
    pub told: Vec<Told>,
}

/// Explanation of what happened to a message.
pub struct ExplainMessage {
    pub store: Arc<dyn MessageLives>,
}

impl ExplainMessage {
    /// Loads the life of a message; `None` if the workspace has no such message.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
    ) -> Result<Option<MessageLife>, StoreError> {
        self.store.life(workspace, message).await
    }
}
