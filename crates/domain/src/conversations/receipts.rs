//! Telling a network what a member has read, so that the customer sees it.

use std::sync::Arc;

use secrecy::SecretString;

use super::ports::{NetworkReceipts, ReceiptStore};
use crate::{
    access::audit::{Acting, Action},
    channels::{ChannelKind, ports::NetworkError},
    deps::Deps,
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    messages::NetworkMessageId,
};

/// What a network is told of: its message, or the person who wrote, all of whose messages are read then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadMark {
    /// A message of `WhatsApp`'s, with all before it.
    Message(NetworkMessageId),
    /// The person, by their id at the page or the account.
    Person(PersonId),
}

/// A person's id at a network. It prints nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonId(String);

impl PersonId {
    /// For the network.
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

/// A network to tell, and what.
#[derive(Debug, Clone)]
pub struct DueReceipt {
    /// The network.
    pub channel: ChannelKind,
    /// The number, page or account that was written to, by its id there.
    pub network_id: String,
    /// What opens it.
    pub token: SecretString,
    /// What was read.
    pub mark: ReadMark,
}

/// What became of telling it.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptError {
    /// The network was not told, and is not tried again.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Tells networks what was read.
pub struct TellRead {
    /// What they were not told yet.
    pub store: Arc<dyn ReceiptStore>,
    /// The networks.
    pub network: Arc<dyn NetworkReceipts>,
    /// The time, new ids, and whom to wake.
    pub deps: Deps,
}

impl TellRead {
    /// A member has read the conversation up to this message: its network is told of the newest that the customer wrote until
    /// then, once. Nobody waits for it, and a failure is the end of it; `false` when there is nothing to tell.
    ///
    /// # Errors
    /// [`ReceiptError`].
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

    /// Whether the workspace's customers see what was read.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn is_on(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        self.store.marks_read(workspace).await
    }

    /// Says whether they do.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn set(&self, acting: Acting, on: bool) -> Result<(), StoreError> {
        let entry = acting.does(Action::WorkspaceChanged, self.deps.clock.now(), &*self.deps.ids);
        self.store.set_marks_read(acting.workspace, on, &entry.with("marksRead", on)).await
    }
}
