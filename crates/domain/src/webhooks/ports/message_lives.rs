//! Storage of what became of messages.

use async_trait::async_trait;

use super::super::message_life::MessageLife;
use crate::{
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
};

/// Storage of messages, their sends and their webhook deliveries.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessageLives: Send + Sync {
    /// Loads a message's life; `None` if the workspace has no message and no send of this id.
    async fn life(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
    ) -> Result<Option<MessageLife>, StoreError>;
}
