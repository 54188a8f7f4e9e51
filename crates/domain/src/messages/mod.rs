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
    conversations::Notice,
    ids::{ConversationId, MessageId},
};

/// Who wrote a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The contact.
    Customer,
    /// The automated assistant.
    Assistant,
    /// A person of the team, or a notice sent through the API.
    Team,
    /// The conversation's own notices.
    System,
}

impl Role {
    /// Every role.
    pub const ALL: [Self; 4] = [Self::Customer, Self::Assistant, Self::Team, Self::System];

    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Customer => "customer",
            Self::Assistant => "assistant",
            Self::Team => "team",
            Self::System => "system",
        }
    }

    /// Reads its name.
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }
}

/// The template a message was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TemplateRef {
    /// Its name.
    pub name: String,
    /// Its language code.
    pub language: String,
}

/// What a message made by a template send carries besides its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageMeta {
    /// The template.
    pub template: TemplateRef,
    /// The caller's own id for the send.
    pub reference: Option<String>,
}

/// What was done to a message after it was written: the latest of each.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// The customer's reaction, unless they took it back.
    pub reaction: Option<Reaction>,
    /// When its text was replaced.
    pub edited_at: Option<OffsetDateTime>,
    /// When it was deleted at the network. The text stays, since the team has read it.
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
    /// The sign.
    pub emoji: String,
    /// When.
    pub at: OffsetDateTime,
}

/// A message of a conversation.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// The conversation.
    pub conversation: ConversationId,
    /// Who wrote it.
    pub role: Role,
    /// Which person of the team, where it was one.
    pub sender_id: Option<String>,
    /// Its text.
    pub content: String,
    /// Its files that are kept, with links.
    pub attachments: Vec<Attachment>,
    /// Its voice notes as words.
    pub transcription: Option<String>,
    /// When it was recorded.
    pub created_at: OffsetDateTime,
    /// Set when a template send made it.
    pub meta: Option<MessageMeta>,
    /// What it refers to.
    pub context: Context,
    /// What was done to it since. New messages have none.
    pub marks: Marks,
    /// What it tells as data, where it is one of the conversation's own lines. Public answers and events have its text.
    pub notice: Option<Box<Notice>>,
}

impl Message {
    /// As it is shown while these of its files are not to be had: it names them, and where it has no words they
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

/// What stands for files that could not be had, a line for each.
pub fn stand_ins(missing: &[AttachmentKind]) -> String {
    missing.iter().map(|kind| kind.stand_in()).collect::<Vec<_>>().join("\n")
}

impl fmt::Debug for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Message").field("id", &self.id).field("role", &self.role).finish_non_exhaustive()
    }
}

/// The network's own id of a message. `WhatsApp`'s holds the recipient's number in base64, so it prints nowhere
/// and is stored only sealed and as a keyed hash.
#[derive(Debug, Clone)]
pub struct NetworkMessageId(SecretString);

impl NetworkMessageId {
    /// The id in clear.
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

/// For the journal, which is sealed, and nothing else.
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
