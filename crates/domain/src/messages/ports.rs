//! What reading messages needs from outside.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{KeptSend, Message, MessageLife, NetworkMessageId, Role, Sending};
use crate::{
    attachments::{AttachmentKind, StoredAttachment},
    channels::ChannelKind,
    errors::StoreError,
    ids::{ContactId, ConversationId, MessageId, WorkspaceId},
    paging::{PageRequest, Position},
    phone::PhoneNumber,
};

/// It is a message as it is kept.
#[derive(Debug, Clone)]
pub struct KeptMessage {
    /// The message comes without its files.
    pub message: Message,
    /// They are its files that are kept, in order.
    pub files: Vec<StoredAttachment>,
    /// They say what those are that could not be had, in order. Until a message is told of, those that are
    /// still waited for are none of them.
    pub missing: Vec<AttachmentKind>,
    /// They say what those are that are still waited for, in order.
    pub awaited: Vec<AttachmentKind>,
    /// It says how the message was sent, where this service sent it.
    pub sending: Option<Sending>,
}

/// A `MessageStore` keeps the messages of a workspace's conversations.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessageStore: Send + Sync {
    /// Lists the conversation's messages after the page's place, newest first, ties by the highest id: up to
    /// one more than the page holds. `None` when the workspace has no such conversation.
    async fn list(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        page: PageRequest,
    ) -> Result<Option<Vec<KeptMessage>>, StoreError>;

    /// Returns the message or the send of this id.
    async fn find(&self, workspace: WorkspaceId, id: MessageId) -> Result<Option<KeptSend>, StoreError>;

    /// Lists the sends under this reference after the page's place, newest first, ties by the highest id: up
    /// to one more than the page holds; those that are in no conversation only where `everywhere` asks for
    /// them.
    async fn find_by_reference(
        &self,
        workspace: WorkspaceId,
        reference: &str,
        everywhere: bool,
        page: PageRequest,
    ) -> Result<Vec<KeptSend>, StoreError>;

    /// Returns the message or the send that the network knows by this id.
    async fn find_by_network_id(
        &self,
        workspace: WorkspaceId,
        id: &NetworkMessageId,
    ) -> Result<Option<KeptSend>, StoreError>;

    /// Returns the newest messages of all conversations with the person of this number, up to `most`, newest
    /// first.
    async fn newest_with(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        most: u32,
    ) -> Result<Vec<KeptSend>, StoreError>;
}

/// It reads what is kept of messages in several places.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessageLives: Send + Sync {
    /// Returns the message's life; `None` when the workspace has no message and no sending of this id.
    async fn life(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
    ) -> Result<Option<MessageLife>, StoreError>;
}

/// A search has found this message, with its whole words.
#[derive(Debug, Clone)]
pub struct FoundText {
    pub id: MessageId,
    pub conversation: ConversationId,
    pub channel: ChannelKind,
    pub contact: ContactId,
    pub name: Option<String>,
    pub phone: Option<PhoneNumber>,
    pub role: Role,
    pub content: String,
    pub transcription: Option<String>,
    pub created_at: OffsetDateTime,
}

/// A search has found this.
#[derive(Debug, Clone, Default)]
pub struct FoundTexts {
    /// They are newest first, ties by the highest id: there is up to one more than the page holds.
    pub rows: Vec<FoundText>,
    /// It says where looking ended, when it ended before the page was full and there is more to look at.
    pub ended_at: Option<Position>,
}

/// It keeps the words of messages. Neither system messages nor what its customer has deleted is found.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessageSearchStore: Send + Sync {
    /// Lists messages of the workspace, after the page's place, that have a word beginning with each of
    /// these; a single letter is a whole word.
    async fn search(
        &self,
        workspace: WorkspaceId,
        words: &[String],
        page: PageRequest,
    ) -> Result<FoundTexts, StoreError>;

    /// Does the same in one conversation; `None` when the workspace has no such.
    async fn search_conversation(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        words: &[String],
        page: PageRequest,
    ) -> Result<Option<FoundTexts>, StoreError>;

    /// Lists the workspaces with messages whose words are not kept yet.
    async fn workspaces_without_words(&self) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Keeps the words of up to `most` such messages, as [`super::words_of`] tells them; how many that were. What somebody
    /// else is at is left to them.
    async fn keep_words(&self, workspace: WorkspaceId, most: u32) -> Result<u32, StoreError>;
}
