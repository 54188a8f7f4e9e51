//! What reading messages needs from outside.

use async_trait::async_trait;

use super::{KeptSend, Message, MessageLife, NetworkMessageId, Sending};
use crate::{
    attachments::{AttachmentKind, StoredAttachment},
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    paging::PageRequest,
    phone::PhoneNumber,
};

/// A message as it is kept.
#[derive(Debug, Clone)]
pub struct KeptMessage {
    /// The message, without its files.
    pub message: Message,
    /// Its files that are kept, in order.
    pub files: Vec<StoredAttachment>,
    /// What those are that could not be had, in order. Until a message is told of, those that are still waited for
    /// are none of them.
    pub missing: Vec<AttachmentKind>,
    /// What those are that are still waited for, in order.
    pub awaited: Vec<AttachmentKind>,
    /// How it was sent, where this service did.
    pub sending: Option<Sending>,
}

/// The messages of a workspace's conversations.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessageStore: Send + Sync {
    /// The conversation's messages after the page's place, newest first, ties by the highest id: up to one more than
    /// the page holds. `None` when the workspace has no such conversation.
    async fn list(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        page: PageRequest,
    ) -> Result<Option<Vec<KeptMessage>>, StoreError>;

    /// The message or the send of this id.
    async fn find(&self, workspace: WorkspaceId, id: MessageId) -> Result<Option<KeptSend>, StoreError>;

    /// The sends under this reference after the page's place, newest first, ties by the highest id: up to one more
    /// than the page holds; those that are in no conversation only where `everywhere` asks for them.
    async fn find_by_reference(
        &self,
        workspace: WorkspaceId,
        reference: &str,
        everywhere: bool,
        page: PageRequest,
    ) -> Result<Vec<KeptSend>, StoreError>;

    /// The message or the send that the network knows by this id.
    async fn find_by_network_id(
        &self,
        workspace: WorkspaceId,
        id: &NetworkMessageId,
    ) -> Result<Option<KeptSend>, StoreError>;

    /// The newest messages of all conversations with the person of this number, up to `most`, newest first.
    async fn newest_with(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        most: u32,
    ) -> Result<Vec<KeptSend>, StoreError>;
}

/// What is kept of messages in several places.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessageLives: Send + Sync {
    /// The message's life; `None` when the workspace has no message and no sending of this id.
    async fn life(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
    ) -> Result<Option<MessageLife>, StoreError>;
}
