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

/// It is what a network is told of: its message, or the person who wrote, all of whose messages are read
/// then.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadMark {
    /// It is a message of `WhatsApp`'s, with all before it.
    Message(NetworkMessageId),
    /// It is the person, by their id at the page or the account.
    Person(PersonId),
}

/// It is a person's id at a network. It prints nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct PersonId(String);

impl PersonId {
    /// Returns it for the network.
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

/// A network is to be told this.
#[derive(Debug, Clone)]
pub struct DueReceipt {
    pub channel: ChannelKind,
    /// The number, page or account that was written to has this id at the network.
    pub network_id: String,
    /// It opens the number, page or account.
    pub token: SecretString,
    /// It was read.
    pub mark: ReadMark,
}

/// It says what became of telling it.
#[derive(Debug, thiserror::Error)]
pub enum ReceiptError {
    /// The network was not told, and is not tried again.
    #[error(transparent)]
    Network(#[from] NetworkError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It tells networks what was read.
pub struct TellRead {
    pub store: Arc<dyn ReceiptStore>,
    pub network: Arc<dyn NetworkReceipts>,
    pub deps: Deps,
}

impl TellRead {
    /// Notes that a member has read the conversation up to this message: its network is told of the newest
    /// that the customer wrote until then, once. Nobody waits for it, and a failure is the end of it; `false`
    /// when there is nothing to tell.
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

    /// Says whether the workspace's customers see what was read.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn is_on(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        self.store.marks_read(workspace).await
    }

    /// Sets whether they do.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn set(&self, acting: Acting, on: bool) -> Result<(), StoreError> {
        let entry = acting.does(Action::WorkspaceChanged, self.deps.clock.now(), &*self.deps.ids);
        self.store.set_marks_read(acting.workspace, on, &entry.with("marksRead", on)).await
    }
}
