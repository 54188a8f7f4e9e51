//! Messages of a conversation, and what the network says became of them: `delivery` in one word, `life` all of it.

mod context;
mod delivery;
mod find;
mod life;
mod list;
pub mod ports;
mod progress;
mod search;
mod wire;
mod words;

pub use context::{Context, Product, Referral, Story, TappedReply};
pub use delivery::{MessageDelivery, NetworkError, Stage};
pub use find::{Clue, FindMessages, FoundMessage, KeptSend, MOST_WITH_NUMBER, SentParts, Sight};
pub use life::{ExplainMessage, MessageLife, Sending, SendingState, Told};
pub use list::{ListMessages, ListedMessage};
pub use progress::{Announcement, DeliveryStatus, Progress};
pub use search::{KeepWords, MessageMatch, SearchMessages, SearchMessagesError};
pub use wire::{EventMessageBody, MessageBody};
pub use words::{InvalidWordSearch, SnippetPart, WordSearch, words_of};

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use time::OffsetDateTime;

use crate::{
    attachments::{Attachment, AttachmentKind},
    conversations::SystemMessage,
    ids::{ConversationId, MessageId},
};

/// It says who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The contact wrote it.
    Customer,
    /// The automated assistant wrote it.
    Assistant,
    /// A person of the team wrote it, or it was sent as a template through the API.
    Team,
    /// They are the conversation's own lines.
    System,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Customer, Self::Assistant, Self::Team, Self::System];

    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Customer => "customer",
            Self::Assistant => "assistant",
            Self::Team => "team",
            Self::System => "system",
        }
    }

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

/// A message was made from this template.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TemplateRef {
    pub name: String,
    pub language: String,
}

/// A message made by a template send carries this besides its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageMeta {
    pub template: TemplateRef,
    /// It is the caller's own id for the send.
    pub reference: Option<String>,
}

/// It is what was done to a message after it was written: the latest of each.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// It is the customer's reaction, unless they took it back.
    pub reaction: Option<Reaction>,
    /// Its text was replaced then.
    pub edited_at: Option<OffsetDateTime>,
    /// It says when it was deleted at the network. The text stays, since the team has read it.
    pub deleted_at: Option<OffsetDateTime>,
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Marks").finish_non_exhaustive()
    }
}

/// It is a customer's reaction to a message.
#[derive(Clone, PartialEq, Eq)]
pub struct Reaction {
    pub emoji: String,
    pub at: OffsetDateTime,
}

/// It is a message of a conversation.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    pub id: MessageId,
    pub conversation: ConversationId,
    pub role: Role,
    /// They are the person of the team who wrote it, where it was one.
    pub sender_id: Option<String>,
    pub content: String,
    /// They are its files that are kept, with links.
    pub attachments: Vec<Attachment>,
    /// They are its voice notes as words.
    pub transcription: Option<String>,
    /// It was recorded then, which gives the order.
    pub created_at: OffsetDateTime,
    /// A customer wrote it then, by the network's clock; `None` for what this service or the team wrote, and where
    /// it was not kept yet.
    pub sent_at: Option<OffsetDateTime>,
    /// It is set when a template send made the message.
    pub meta: Option<MessageMeta>,
    /// It says what the message refers to.
    pub context: Context,
    /// They say what was done to it since. New messages have none.
    pub marks: Marks,
    /// It is what it tells as data, where it is one of the conversation's own lines. Public answers and
    /// events have its text.
    pub system_message: Option<Box<SystemMessage>>,
}

impl Message {
    /// Shows it while these of its files are not to be had: it names them, and where it has no words they
    /// stand for them, so that nobody sees an empty message.
    #[must_use]
    pub fn without(mut self, missing: Vec<AttachmentKind>) -> Self {
        if self.content.is_empty() {
            self.content = stand_ins(&missing);
        }
        self.context.unavailable.extend(missing);
        self
    }
}

/// Returns what stands for files that could not be had, a line for each.
pub fn stand_ins(missing: &[AttachmentKind]) -> String {
    missing.iter().map(|kind| kind.stand_in()).collect::<Vec<_>>().join("\n")
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("id", &self.id).field("role", &self.role).finish_non_exhaustive()
    }
}

/// It is the network's own id of a message. `WhatsApp`'s holds the recipient's number in base64, so it prints
/// nowhere and is stored only sealed and as a keyed hash.
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

/// It is written for the journal, which is sealed, and for nothing else.
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
