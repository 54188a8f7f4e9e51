//! Ports of sending.

use std::time::Duration;

use async_trait::async_trait;
use secrecy::SecretString;
use time::OffsetDateTime;

use super::{
    accepted::{AcceptedSend, ConversationParts},
    choose::Catalogue,
    idempotency::{KeyClaim, KeyHolder},
    ledger::{Intent, SendAttempt, SendResult},
    message::{FileMessage, PhotoMessage, Recipient, TemplateMessage, TextMessage, UploadedFile},
    reply_context::ReplyContext,
};
use crate::{
    attachments::StoredAttachment,
    channels::{AccountAccess, Connection},
    errors::StoreError,
    fence::TurnEffect,
    ids::{ChannelId, ContactId, ConversationId, MessageId, WorkspaceId},
    messages::{NetworkError, NetworkMessageId, ReplyAuthor},
    phone::PhoneNumber,
    workspaces::Month,
};

/// Input of [`SendLedger::begin`], written and checked in one transaction.
#[derive(Debug, Clone)]
pub struct SendReservation {
    pub intent: Intent,
    pub key: Option<KeyClaim>,
    /// Month and limit to count the recipient against; `None` if the send makes nobody active or the plan has
    /// no limit.
    pub limit: Option<(Month, u32)>,
    pub turn: TurnEffect,
}

/// Outcome of [`SendLedger::begin`]. Nothing is written unless it is `Started`.
#[derive(Debug, Clone)]
pub enum ReserveOutcome {
    /// The intent is written, the key claimed, the plan's place reserved.
    Started,
    KeyTaken(Box<KeyHolder>),
    PlanLimitReached,
    /// Another send has the file, or it was swept.
    FileTaken,
    /// Something has passed the fence of the assistant's answer.
    Outdated,
    /// A send of this id was begun before and not released.
    AlreadyReserved,
}

/// Answer of a network that accepted a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedMessage {
    pub network_id: NetworkMessageId,
    /// Number by which the network calls the recipient, if it says; in some countries not the one dialled.
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

/// Outcome of recording an acceptance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recorded {
    Now,
    /// Recorded earlier, by the answer or by a status, with this result.
    Before(Box<SendResult>),
    /// The send no longer exists: it was released.
    Released,
}

/// Ledger of sends, with what a send changes in one transaction.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait SendLedger: Send + Sync {
    /// Loads the workspace, its connected numbers and its templates named `template` together.
    async fn catalogue(&self, workspace: WorkspaceId, template: &str) -> Result<Catalogue, StoreError>;

    /// Makes the number by which the network calls a contact lead to that contact, too.
    async fn note_spelling(
        &self,
        workspace: WorkspaceId,
        contact: ContactId,
        called: &PhoneNumber,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Returns the earlier use of a key; `None` if the key is unused.
    async fn holder(
        &self,
        workspace: WorkspaceId,
        key_hash: [u8; 32],
    ) -> Result<Option<KeyHolder>, StoreError>;

    /// Claims the key, reserves the plan's place, takes the file and writes the intent, in one transaction. A
    /// key that has expired at the intent's time may be taken over.
    async fn begin(
        &self,
        workspace: WorkspaceId,
        reservation: &SendReservation,
    ) -> Result<ReserveOutcome, StoreError>;

    /// Returns the contact with that number and their conversation over that channel, as far as they exist.
    async fn conversation(
        &self,
        workspace: WorkspaceId,
        channel: ChannelId,
        phone: &PhoneNumber,
    ) -> Result<ConversationParts, StoreError>;

    /// Returns the state that a reply by `author` is decided on; `None` if the workspace has no such
    /// conversation. The assistant always counts as present.
    async fn reply_context(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        author: ReplyAuthor,
    ) -> Result<Option<ReplyContext>, StoreError>;

    /// Returns a conversation, its contact and the files of `message`; empty if there is no such
    /// conversation.
    async fn conversation_of(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        message: MessageId,
    ) -> Result<ConversationParts, StoreError>;

    /// Settles the intent and writes contact, conversation, message and the deliveries that the events owe,
    /// in one transaction.
    ///
    /// # Errors
    /// [`StoreError::Stale`] if the contact or the conversation was created or changed since it was read.
    async fn record(&self, workspace: WorkspaceId, accepted: &AcceptedSend) -> Result<Recorded, StoreError>;

    /// Releases these attempts with their keys, reserved places and files, unless they are settled; returns
    /// those released. A later attempt by the same id stays.
    async fn release(
        &self,
        workspace: WorkspaceId,
        attempts: &[SendAttempt],
    ) -> Result<Vec<SendAttempt>, StoreError>;

    /// Settles a reply as refused, gives back its key and reserved place, and writes it into its conversation
    /// as failed, in one transaction.
    async fn refuse_reply(
        &self,
        workspace: WorkspaceId,
        id: MessageId,
        error: &NetworkError,
        now: OffsetDateTime,
    ) -> Result<(), StoreError>;

    /// Returns the access token of a connection's account, and its standing at the network; `None` if the
    /// account is no longer connected.
    async fn token(
        &self,
        workspace: WorkspaceId,
        connection: &Connection,
    ) -> Result<Option<AccountAccess>, StoreError>;
}

/// Reason why the network did not take a message.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SendFailure {
    /// Beyond our own pace; the network was not asked.
    #[error("held back by our own pace")]
    HeldBack {
        /// Time until its turn.
        retry_after: Duration,
    },
    /// Certainly not sent; may be tried again.
    #[error("not sent: {reason}")]
    NotSent {
        reason: String,
        /// Delay that the network asks for.
        retry_after: Option<Duration>,
    },
    #[error("refused with code {code}")]
    Refused { code: i64, subcode: Option<i64>, message: String },
    #[error("outcome unknown: {reason}")]
    Unknown { reason: String },
}

/// Network that messages are sent through.
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

    /// Sends a plain text, on the same terms.
    async fn send_text(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &TextMessage,
    ) -> Result<NetworkMessageId, SendFailure>;

    /// Uploads a file that a message to `to` will name; `None` if the network fetches files by their links.
    /// May take minutes. An upload sends nothing, and the network forgets a file that no message names.
    async fn upload_file(
        &self,
        from_network_id: &str,
        token: &SecretString,
        to: &Recipient,
        file: &StoredAttachment,
    ) -> Result<Option<UploadedFile>, SendFailure>;

    /// Sends a file that was uploaded or that the network fetches, on the same terms.
    async fn send_file(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &FileMessage,
    ) -> Result<NetworkMessageId, SendFailure>;

    /// Sends a photo that the network fetches from elsewhere, on the same terms.
    async fn send_photo(
        &self,
        from_network_id: &str,
        token: &SecretString,
        message: &PhotoMessage,
    ) -> Result<NetworkMessageId, SendFailure>;
}

/// Storage of idempotency keys, for removing the expired ones.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait KeyLog: Send + Sync {
    /// Returns the workspaces that may have keys of sends begun before `before`.
    async fn workspaces_with_old_keys(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Deletes some keys that were claimed, and whose sends were settled, at `before` or earlier. Returns
    /// `true` if there may be more.
    async fn forget_keys(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError>;
}
