//! What the assistant needs from outside.

use std::time::Duration;

use async_trait::async_trait;

use super::{ModelAnswer, ModelError, ModelRequest, ToolOutcome, ToolRequest};
use crate::ids::{ConversationId, WorkspaceId};

/// A language model. It proposes words and calls, and has no way to anything else.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait LanguageModel: Send + Sync {
    /// Asks it, for `within` at most.
    ///
    /// # Errors
    /// [`ModelError`], in words that hold nothing of what was asked.
    async fn answer(&self, request: &ModelRequest, within: Duration) -> Result<ModelAnswer, ModelError>;
}

/// Does what tools do. What fails is told to the model as what the tool came to.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait Tools: Send + Sync {
    /// Does what was asked for, for the customer of that conversation.
    async fn run(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        request: &ToolRequest,
    ) -> ToolOutcome;
}
