//! What is kept of a send: the intent before the network is asked, and its result.

use std::fmt;

use time::OffsetDateTime;

use crate::{
    ids::{ChannelId, ContactId, ConversationId, MessageId, WorkspaceId},
    messages::{Message, Progress, TemplateRef},
    phone::PhoneNumber,
};

/// A send that is about to happen. Of a one-time code, and of anything from a send-only number, neither the
/// recipient nor the text is in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intent {
    /// The send, the message, and the tag that the network echoes.
    pub id: MessageId,
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// The sending number's connection.
    pub channel: ChannelId,
    /// The sending number.
    pub from: PhoneNumber,
    /// The template.
    pub template: TemplateRef,
    /// The caller's own id.
    pub reference: Option<String>,
    /// What the thread will hold; `None` for what is kept nowhere.
    pub notice: Option<Notice>,
    /// When it was decided.
    pub created_at: OffsetDateTime,
}

/// The part of an intent that becomes a message of a thread.
#[derive(Clone, PartialEq, Eq)]
pub struct Notice {
    /// To whom.
    pub to: PhoneNumber,
    /// Their name, used when they are new.
    pub name: Option<String>,
    /// The text.
    pub content: String,
}

impl fmt::Debug for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Notice(…)")
    }
}

/// How far a send has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SendState {
    /// The network was, or is being, asked; nobody knows the outcome.
    InFlight,
    /// The network took it.
    Sent(Box<SendResult>),
}

/// What a send answers. The recipient is not in it: it is the one of the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SendResult {
    /// The send.
    pub id: MessageId,
    /// The sending number.
    pub from: PhoneNumber,
    /// The person; `None` for what is kept nowhere.
    pub contact: Option<ContactId>,
    /// The thread; `None` likewise.
    pub conversation: Option<ConversationId>,
    /// The caller's own id.
    pub reference: Option<String>,
    /// The message; `None` likewise.
    pub message: Option<Message>,
}

/// A row of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LedgerEntry {
    /// What was intended.
    pub intent: Intent,
    /// How far it has come.
    pub state: SendState,
    /// What the network has reported since.
    pub progress: Progress,
}
