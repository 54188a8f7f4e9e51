//! Read receipts: telling a network what a member has read, so that the customer sees it; and that somebody
//! is typing.

use std::sync::Arc;

use super::ports::{NetworkReceipts, ReceiptStore};
use crate::{
    audit::{Acting, Action},
    channels::ports::NetworkError,
    deps::Deps,
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
};

/// Reason that a receipt was not sent.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptError {
    /// The network was not told, and is not tried again.
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Use case that sends read receipts.
pub struct TellRead {
    pub store: Arc<dyn ReceiptStore>,
    pub network: Arc<dyn NetworkReceipts>,
    pub deps: Deps,
}

impl TellRead {
    /// Sends the conversation's network a receipt for the newest message of the customer, up to the one that
    /// a member has read, once. Nobody waits for it, and a failure is the end of it; `false` if there is
    /// nothing to send.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<bool, ReceiptError> {
        let Some(due) = self.store.take_receipt(workspace, conversation, message).await? else {
            return Ok(false);
        };
        self.network.mark_read(&due).await?;
        Ok(true)
    }

    /// Returns whether the workspace sends read receipts.
    pub async fn is_on(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        self.store.marks_read(workspace).await
    }

    /// Sets whether the workspace sends read receipts.
    pub async fn set(&self, acting: Acting, on: bool) -> Result<(), StoreError> {
        let entry = acting.does(Action::WorkspaceChanged, self.deps.clock.now(), &*self.deps.ids);
        self.store.set_marks_read(acting.workspace, on, &entry.with("marksRead", on)).await
    }
}

/// Use case that shows a customer that somebody is typing.
pub struct ShowTyping {
    pub store: Arc<dyn ReceiptStore>,
    pub network: Arc<dyn NetworkReceipts>,
}

impl ShowTyping {
    /// Asks the conversation's network to show it; `false` if there is no way to.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
    ) -> Result<bool, ReceiptError> {
        let Some(mark) = self.store.typing_mark(workspace, conversation).await? else { return Ok(false) };
        self.network.show_typing(&mark).await?;
        Ok(true)
    }
}
