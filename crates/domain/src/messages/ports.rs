//! Ports of reading and searching messages.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{Message, NetworkMessageId, Role, TemplateRef, sending::Sending};
use crate::{
    attachments::{AttachmentKind, StoredAttachment},
    channels::ChannelKind,
    errors::StoreError,
    ids::{ContactId, ConversationId, MessageId, WorkspaceId},
    paging::{PageRequest, Position},
    phone::PhoneNumber,
};

/// A message as stored.
#[derive(Debug, Clone)]
pub struct KeptMessage {
    /// Without its files.
    pub message: Message,
    /// Stored files, in order.
    pub files: Vec<StoredAttachment>,
    /// Kinds of the missing files, in order: those given up, and those that the message was announced
    /// without.
    pub missing: Vec<AttachmentKind>,
    /// Kinds of the files still awaited, in order.
    pub awaited: Vec<AttachmentKind>,
    /// `None` if this service did not send it.
    pub sending: Option<Sending>,
}

/// Storage of the messages of a workspace's conversations.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessageStore: Send + Sync {
    /// Lists the conversation's messages after the page's position, newest first, ties by the highest id: up
    /// to one more than the page holds. `None` if the workspace has no such conversation.
    async fn list(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        page: PageRequest,
    ) -> Result<Option<Vec<KeptMessage>>, StoreError>;

    /// Finds the message or the send of this id.
    async fn find(&self, workspace: WorkspaceId, id: MessageId) -> Result<Option<KeptSend>, StoreError>;

    /// Lists the sends under this reference after the page's position, newest first, ties by the highest id:
    /// up to one more than the page holds; sends that are in no conversation only if `everywhere`.
    async fn find_by_reference(
        &self,
        workspace: WorkspaceId,
        reference: &str,
        everywhere: bool,
        page: PageRequest,
    ) -> Result<Vec<KeptSend>, StoreError>;

    /// Finds the message or the send by the network's id.
    async fn find_by_network_id(
        &self,
        workspace: WorkspaceId,
        id: &NetworkMessageId,
    ) -> Result<Option<KeptSend>, StoreError>;

    /// Lists the newest messages of all conversations with the person of this number, up to `most`, newest
    /// first.
    async fn newest_with(
        &self,
        workspace: WorkspaceId,
        phone: &PhoneNumber,
        most: u32,
    ) -> Result<Vec<KeptSend>, StoreError>;
}

/// A message found by a search, with its whole text.
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

/// Result of a search.
#[derive(Debug, Clone, Default)]
pub struct FoundTexts {
    /// Newest first, ties by the highest id; up to one more than the page holds.
    pub rows: Vec<FoundText>,
    /// Position at which the search ended, if that was before the page was full and there is more to look at.
    pub ended_at: Option<Position>,
}

/// Storage of the words of messages. Neither system messages nor messages that their customer has deleted are
/// found.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessageSearchStore: Send + Sync {
    /// Lists messages of the workspace after the page's position that have a word beginning with each of
    /// `words`; a single letter must be the whole word.
    async fn search(
        &self,
        workspace: WorkspaceId,
        words: &[String],
        page: PageRequest,
    ) -> Result<FoundTexts, StoreError>;

    /// Does the same in one conversation; `None` if the workspace has no such.
    async fn search_conversation(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        words: &[String],
        page: PageRequest,
    ) -> Result<Option<FoundTexts>, StoreError>;

    /// Lists the workspaces with messages whose words are not stored yet.
    async fn workspaces_without_words(&self) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Stores the words of up to `most` such messages, as [`super::words_of`] returns them, and returns their
    /// number. Messages that another process works on are left to it.
    async fn keep_words(&self, workspace: WorkspaceId, most: u32) -> Result<u32, StoreError>;
}

/// Stored message and send; at least one of the two.
#[derive(Debug, Clone)]
pub struct KeptSend {
    pub id: MessageId,
    /// `None` if this service did not send it.
    pub sent: Option<SentParts>,
    /// `None` if it is in no conversation.
    pub kept: Option<KeptMessage>,
}

/// Stored data of a send, besides its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentParts {
    /// Sending number; `None` for a page or an account without one.
    pub from: Option<PhoneNumber>,
    pub conversation: Option<ConversationId>,
    /// Whether the send is, or will be, in a conversation.
    pub in_conversation: bool,
    pub template: Option<TemplateRef>,
    pub reference: Option<String>,
    pub sending: Sending,
}
