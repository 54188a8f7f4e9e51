//! What sending needs from outside.

use std::time::Duration;

use async_trait::async_trait;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    AcceptedSend, Catalogue, ConversationParts, FileMessage, Intent, KeyClaim, KeyHolder, PhotoMessage,
    Recipient, ReplyAuthor, ReplyContext, SendAttempt, SendResult, TemplateMessage, TextMessage,
    UploadedFile,
};
use crate::{
    assistant::TurnEffect,
    attachments::StoredAttachment,
    channels::{AccountAccess, Connection},
    errors::StoreError,
    ids::{ChannelId, ContactId, ConversationId, MessageId, WorkspaceId},
    messages::{NetworkError, NetworkMessageId},
    phone::PhoneNumber,
    workspaces::Month,
};

/// `begin` writes and checks this at once.
#[derive(Debug, Clone)]
pub struct SendReservation {
    pub intent: Intent,
    pub key: Option<KeyClaim>,
    /// It is the month and the limit to hold the recipient against; `None` when the send makes nobody active
    /// or the plan has no limit.
    pub limit: Option<(Month, u32)>,
    /// It is what the send means to the assistant's turn.
    pub turn: TurnEffect,
}

/// It says what became of `begin`.
#[derive(Debug, Clone)]
pub enum ReserveOutcome {
    /// The intent stands, the key is claimed, the plan's place is reserved.
    Started,
    /// The key was used before; nothing was written.
    KeyTaken(Box<KeyHolder>),
    /// The plan has no place left; nothing was written.
    PlanLimitReached,
    /// Another send has the file, or it was swept; nothing was written.
    FileTaken,
    /// Something has passed the fence of the assistant's answer; nothing was written.
    Outdated,
    /// A send of this id was begun before, and was not taken back; nothing was written.
    AlreadyReserved,
}

/// It is what a network answers to a message that it took.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedMessage {
    pub network_id: NetworkMessageId,
    /// It is what the network calls the recipient's number, where it tells: in some countries that is not what is dialled.
    pub called: Option<PhoneNumber>,
}

impl From<NetworkMessageId> for AcceptedMessage {
    fn from(network_id: NetworkMessageId) -> Self {
        Self { network_id, called: None }
    }
}

impl From<String> for AcceptedMessage {
    fn from(network_id: String) -> Self {
        NetworkMessageId::from(network_id).into()
    }
}

/// It says what became of recording an acceptance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    /// It is recorded.
    Now,
    /// It was recorded before, by the answer or by a status, with this result.
    Before(Box<SendResult>),
    /// There is no such send: it was released.
    Released,
}

/// It is the ledger of sends, and what a send touches in one transaction.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SendLedger: Send + Sync {
    /// Reads the workspace, its connected numbers, and its templates called `template` together.
    async fn catalogue(&self, workspace: WorkspaceId, template: &str) -> Result<Catalogue, StoreError>;

    /// Has what the network calls a contact's number lead to them, too.
    async fn note_spelling(
        &self,
        workspace: WorkspaceId,
        contact: ContactId,
        called: &PhoneNumber,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Returns who used the key, or `None`.
    async fn holder(
        &self,
        workspace: WorkspaceId,
        key_hash: [u8; 32],
    ) -> Result<Option<KeyHolder>, StoreError>;

    /// In one transaction: claims the key (one that has expired at the intent's time may be taken over),
    /// reserves the plan's place, takes the file, writes the intent.
    async fn begin(
        &self,
        workspace: WorkspaceId,
        reservation: &SendReservation,
    ) -> Result<ReserveOutcome, StoreError>;

    /// Returns the person of that number and their conversation over that channel, as far as they exist.
    async fn conversation(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
        phone: &PhoneNumber,
    ) -> Result<ConversationParts, StoreError>;

    /// Returns what a reply of `author` into the conversation needs to know; `None` when the workspace has no
    /// such conversation. The assistant is always there.
    async fn reply_context(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        author: ReplyAuthor,
    ) -> Result<Option<ReplyContext>, StoreError>;

    async fn conversation_of(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<ConversationParts, StoreError>;

    /// In one transaction: settles the intent, writes contact, conversation and message, and the deliveries that the
    /// events owe.
    ///
    /// # Errors
    /// [`StoreError::Stale`] when the contact or the conversation has been made by somebody else meanwhile.
    async fn record(&self, workspace: WorkspaceId, accepted: &AcceptedSend) -> Result<Recorded, StoreError>;

    /// Takes these intents, their keys and their plan's places back, and lets their files go, unless they have been
    /// settled; answers which it has taken back. A later try by the same id stays.
    async fn release(
        &self,
        workspace: WorkspaceId,
        attempts: &[SendAttempt],
    ) -> Result<Vec<SendAttempt>, StoreError>;

    async fn refuse_reply(
        &self,
        workspace: WorkspaceId,
        id: MessageId,
        error: &NetworkError,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Returns what opens the account of a connection at its network, with how it stands there; `None` when
    /// the account is connected no more.
    async fn token(
        &self,
        workspace: WorkspaceId,
        connection: &Connection,
    ) -> Result<Option<AccountAccess>, StoreError>;
}

/// It says why the network did not take a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendFailure {
    /// It would go beyond the pace that is kept here; nobody was asked.
    #[error("held back by our own pace")]
    HeldBack {
        /// It is so long until its turn.
        retry_after: Duration,
    },
    /// It was certainly not sent, and may be tried again.
    #[error("not sent: {reason}")]
    NotSent {
        reason: String,
        /// The network wants to be asked again after this.
        retry_after: Option<Duration>,
    },
    /// The network refused it.
    #[error("refused with code {code}")]
    Refused { code: i64, subcode: Option<i64>, message: String },
    /// It may have been sent.
    #[error("outcome unknown: {reason}")]
    Unknown { reason: String },
}

/// It is a network that takes messages.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait MessagingNetwork: Send + Sync {
    /// Sends a filled template from the number with that id at the network. May retry by itself what was
    /// certainly not sent.
    async fn send_template(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &TemplateMessage,
    ) -> Result<AcceptedMessage, SendFailure>;

    /// Sends a plain text, likewise.
    async fn send_text(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &TextMessage,
    ) -> Result<NetworkMessageId, SendFailure>;

    /// Gives the network a file that a message to `to` will name; `None` where it fetches files by their links. It may
    /// take minutes. Whatever becomes of it, nothing is sent by it, and what no message names the network forgets.
    async fn upload_file(
        &self,
        from_network_id: &str,
        token: &SecretString,
        to: &Recipient,
        file: &StoredAttachment,
    ) -> Result<Option<UploadedFile>, SendFailure>;

    /// Sends a file that the network was given, or that it fetches, likewise.
    async fn send_file(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &FileMessage,
    ) -> Result<NetworkMessageId, SendFailure>;

    /// Sends a photo that lies elsewhere, likewise.
    async fn send_photo(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &PhotoMessage,
    ) -> Result<NetworkMessageId, SendFailure>;
}

/// The keys of sends, once nobody needs them.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait KeyLog: Send + Sync {
    /// Returns the workspaces that may have keys of sends that were begun before `before`.
    async fn workspaces_with_old_keys(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Forgets some keys that were claimed, and whose sends were settled, at `before` or earlier. Answers whether there may
    /// be more.
    async fn forget_keys(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError>;
}
