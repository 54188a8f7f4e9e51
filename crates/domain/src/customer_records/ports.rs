//! What is asked about customers needs from outside, besides their system.

use async_trait::async_trait;

use super::ConversationCustomer;
use crate::{
    errors::StoreError,
    ids::{ConversationId, WorkspaceId},
};

/// Says whom conversations are with.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait CustomerStore: Send + Sync {
    /// The conversation's customer; `None` when the workspace has no such conversation.
    async fn customer_of(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<Option<ConversationCustomer>, StoreError>;
}
