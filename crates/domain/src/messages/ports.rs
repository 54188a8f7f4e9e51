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

/// A message that a search has found, with its whole words.
#[derive(Debug, Clone)]
pub struct FoundText {
    /// The message.
    pub id: MessageId,
    /// Its conversation.
    pub conversation: ConversationId,
    /// Over which network.
    pub channel: ChannelKind,
    /// With whom.
    pub contact: ContactId,
    /// What they are called.
    pub name: Option<String>,
    /// Their number.
    pub phone: Option<PhoneNumber>,
    /// Who wrote it.
    pub role: Role,
    /// Its words.
    pub content: String,
    /// The words of its voice notes.
    pub transcription: Option<String>,
    /// When it was written.
    pub created_at: OffsetDateTime,
}

/// What a search has found.
#[derive(Debug, Clone, Default)]
pub struct FoundTexts {
    /// Newest first, ties by the highest id: up to one more than the page holds.
    pub rows: Vec<FoundText>,
    /// Where looking ended, when it ended before the page was full and there is more to look at.
    pub ended_at: Option<Position>,
}

/// The words of messages. Neither notices nor what its customer has deleted is found.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessageSearchStore: Send + Sync {
    /// Messages of the workspace, after the page's place, that have a word beginning with each of these; a single letter is a
    /// whole word.
    async fn search(
        &self,
        workspace: WorkspaceId,
        words: &[String],
        page: PageRequest,
    ) -> Result<FoundTexts, StoreError>;

    /// The same of one conversation; `None` when the workspace has no such.
    async fn search_conversation(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        words: &[String],
        page: PageRequest,
    ) -> Result<Option<FoundTexts>, StoreError>;

    /// Workspaces with messages whose words are not kept yet.
    async fn workspaces_without_words(&self) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Keeps the words of up to `most` such messages, as [`super::words_of`] tells them; how many that were. What somebody
    /// else is at is left to them.
    async fn keep_words(&self, workspace: WorkspaceId, most: u32) -> Result<u32, StoreError>;
}
