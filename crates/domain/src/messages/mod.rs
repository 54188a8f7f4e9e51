//! Messages of a conversation, and what became of them: `delivery` tells it as one status.

mod context;
mod delivery;
mod find;
mod list;
pub mod ports;
mod progress;
mod reply;
mod search;
mod sending;
mod system_message;
mod wire;
mod words;

pub use context::{Context, Product, Referral, Story, TappedReply};
pub use delivery::{MessageDelivery, NetworkError, Stage};
pub use find::{Clue, FindMessages, FoundMessage, MOST_WITH_NUMBER, Sight};
pub use list::{ListMessages, ListedMessage};
pub use ports::{KeptSend, SentParts};
pub use progress::{Announcement, DeliveryStatus, Progress};
pub use reply::{PreparedReply, ReplyAuthor, ReplyButton};
pub use search::{KeepWords, MessageMatch, SearchMessages, SearchMessagesError};
pub use sending::{Sending, SendingState};
pub use system_message::{Cause, Had, Step, Sweeper, SystemMessage};
pub use wire::{EventMessageBody, MessageBody};
pub use words::{InvalidWordSearch, SnippetPart, WordSearch, words_of};

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;

use crate::{
    attachments::{Attachment, AttachmentKind},
    ids::{ConversationId, MessageId},
};

/// Author of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Customer,
    Assistant,
    /// A team member, or a template sent through the API.
    Team,
    System,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Customer, Self::Assistant, Self::Team, Self::System];

    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Customer => "customer",
            Self::Assistant => "assistant",
            Self::Team => "team",
            Self::System => "system",
        }
    }

    /// Parses a name as `as_str` returns it; `None` for any other.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

/// Template that a message was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TemplateRef {
    pub name: String,
    pub language: String,
}

/// Data of a message made by a template send, besides its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageMeta {
    pub template: TemplateRef,
    /// Caller's own id of the send.
    pub reference: Option<String>,
}

/// Changes to a message after it was written: the latest of each kind.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// Customer's reaction, unless they took it back.
    pub reaction: Option<Reaction>,
    pub edited_at: Option<OffsetDateTime>,
    /// Time of its deletion at the network. The text stays, since the team has read it.
    pub deleted_at: Option<OffsetDateTime>,
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Marks").finish_non_exhaustive()
    }
}

/// A customer's reaction to a message.
#[derive(Clone, PartialEq, Eq)]
pub struct Reaction {
    pub emoji: String,
    pub at: OffsetDateTime,
}

/// A message of a conversation.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    pub id: MessageId,
    pub conversation: ConversationId,
    pub role: Role,
    /// Id of the team member who wrote it, if it was one.
    pub sender_id: Option<String>,
    pub content: String,
    /// Stored files, with links.
    pub attachments: Vec<Attachment>,
    /// Text of its voice notes.
    pub transcription: Option<String>,
    /// Time of recording, which decides the order.
    pub created_at: OffsetDateTime,
    /// Time at which the customer wrote it, by the network's clock; `None` for messages of this service or
    /// the team, and for those recorded before it was stored.
    pub sent_at: Option<OffsetDateTime>,
    /// Present if a template send made the message.
    pub meta: Option<MessageMeta>,
    pub context: Context,
    /// Later changes; new messages have none.
    pub marks: Marks,
    /// Data of a system message. Public answers and events carry its text.
    pub system_message: Option<Box<SystemMessage>>,
}

impl Message {
    /// Adds the kinds of these missing files; a message without text gets placeholders for them, so that
    /// nobody sees an empty one.
    #[must_use]
    pub fn without(mut self, missing: Vec<AttachmentKind>) -> Self {
        if self.content.is_empty() {
            self.content = stand_ins(&missing);
        }
        self.context.unavailable.extend(missing);
        self
    }
}

/// Returns placeholders for files that could not be had, one a line.
pub fn stand_ins(missing: &[AttachmentKind]) -> String {
    missing.iter().map(|kind| kind.stand_in()).collect::<Vec<_>>().join("\n")
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("id", &self.id).field("role", &self.role).finish_non_exhaustive()
    }
}

/// Network's id of a message. `WhatsApp`'s holds the recipient's number in base64, so it is never printed,
/// and stored only sealed and as a keyed hash.
#[derive(Debug, Clone)]
pub struct NetworkMessageId(SecretString);

impl NetworkMessageId {
    /// Returns the id in clear.
    pub fn reveal(&self) -> &str {
        self.0.expose_secret()
    }
}

impl From<String> for NetworkMessageId {
    fn from(id: String) -> Self {
        Self(SecretString::from(id))
    }
}

impl PartialEq for NetworkMessageId {
    fn eq(&self, other: &Self) -> bool {
        self.reveal() == other.reveal()
    }
}

impl Eq for NetworkMessageId {}

/// Serialized for the journal only, which is sealed.
impl Serialize for NetworkMessageId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.reveal())
    }
}

impl<'de> Deserialize<'de> for NetworkMessageId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}
