//! Read receipts: telling a network what a member has read, so that the customer sees it.

use std::sync::Arc;

use secrecy::SecretString;

use super::ports::{NetworkReceipts, ReceiptStore};
use crate::{
    audit::{Acting, Action},
    channels::{ChannelKind, ports::NetworkError},
    deps::Deps,
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    messages::NetworkMessageId,
};

/// Subject of a read receipt: a message, or the person who wrote, all of whose messages are read then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadMark {
    /// A message at WhatsApp, which is read with all before it.
    Message(NetworkMessageId),
    /// A person, by their id at the page or the account.
    Person(PersonId),
}

/// Id of a person at a network. `Debug` does not print it.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonId(String);

impl PersonId {
    /// Returns the id for the network.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl From<String> for PersonId {
    fn from(id: String) -> Self {
        Self(id)
    }
}

impl std::fmt::Debug for PersonId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PersonId")
    }
}

/// A read receipt that a network is owed.
#[derive(Debug, Clone)]
pub struct DueReceipt {
    pub channel: ChannelKind,
    /// Id at the network of the number, page or account that was written to.
    pub network_id: String,
    /// Token of the number, page or account.
    pub token: SecretString,
    pub mark: ReadMark,
}

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
