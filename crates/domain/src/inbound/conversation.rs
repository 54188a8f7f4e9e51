//! What happens in a conversation at a network, as its adapter reads it and the journal keeps it.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::MessageNames;
use crate::{
    attachments::AttachmentKind,
    channels::ChannelKind,
    contacts::{ContactSignal, Identity},
    messages::{Context, DeliveryStatus, NetworkMessageId},
};

/// Something happened between a person and one of the workspace's connections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationUpdate {
    pub person: Person,
    /// It is the time by the network's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    pub what: UpdateKind,
}

impl ConversationUpdate {
    /// Lists every identity in it, those of before a change first.
    pub(super) fn named(&self) -> impl Iterator<Item = &Identity> {
        let now: &[Identity] = match &self.what {
            UpdateKind::Renumbered { now } => now,
            _ => &[],
        };
        self.person.identities.iter().chain(now)
    }

    /// Notes whether another app held the conversation when it happened.
    pub fn hold(&mut self, is_held: bool) {
        match &mut self.what {
            UpdateKind::Wrote(written) | UpdateKind::Echoed { written, .. } => {
                written.context.held_elsewhere = is_held;
            }
            UpdateKind::Edited { held_elsewhere, .. } => *held_elsewhere = is_held,
            UpdateKind::Reacted { .. }
            | UpdateKind::Deleted { .. }
            | UpdateKind::Renumbered { .. }
            | UpdateKind::Signalled { .. }
            | UpdateKind::Seen { .. } => {}
        }
    }

    /// Returns the network that it came from, by the names that it gives people.
    pub(super) fn network(&self) -> ChannelKind {
        self.person.identities.first().map_or(ChannelKind::Whatsapp, Identity::channel)
    }
}

/// It is a person as a network presents them. It prints nothing of who they are.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// They are all the names that the network gave of them: at least one.
    pub identities: Vec<Identity>,
    /// They call themselves so.
    pub name: Option<String>,
    pub avatar_url: Option<String>,
}

impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Person({:?}, …)", self.identities)
    }
}

/// It says what happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "happening", rename_all = "snake_case")]
pub enum UpdateKind {
    /// The customer wrote.
    Wrote(Written),
    /// The network repeats what the business sent: we ourselves, or a person in the network's own app.
    Echoed {
        /// It was sent.
        written: Written,
        /// The send carried this tag, where the network gives it back.
        tag: Option<String>,
        /// It says whether the network says that it came from this app.
        by_us: bool,
    },
    /// The customer reacted to a message.
    Reacted {
        /// They reacted to this message.
        message: NetworkMessageId,
        /// They reacted with it; `None` takes an earlier one back.
        emoji: Option<String>,
    },
    /// The customer rewrote a message.
    Edited {
        message: NetworkMessageId,
        /// It is the message's text from now on.
        content: String,
        /// It says whether another app held the conversation.
        #[serde(default)]
        held_elsewhere: bool,
    },
    /// The customer took a message back.
    Deleted { message: NetworkMessageId },
    Renumbered {
        /// These are the new names.
        now: Vec<Identity>,
    },
    /// The person told the network something without writing.
    Signalled { signal: ContactSignal },
    /// What the business sent has come this far.
    Seen {
        /// It is `Delivered` or `Read`.
        status: DeliveryStatus,
        /// What the business sent has come this far up to there.
        up_to: SeenUpTo,
    },
}

/// A status of a conversation reaches up to there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeenUpTo {
    /// It is about everything sent up to this moment, by the network's clock.
    Time(#[serde(with = "time::serde::rfc3339")] OffsetDateTime),
    /// It is about this message and those before it.
    Message(NetworkMessageId),
}

/// A person's reading had not reached these sends yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Behind {
    /// They are those that are recorded, the oldest first.
    pub sends: Vec<MessageNames>,
    /// It says whether another may be among them whose answer is still being written down.
    pub under_way: bool,
}

/// It is a message. It prints nothing of its contents.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    pub network_id: NetworkMessageId,
    /// They are its words; what is no text is put into words, and what is only files has none.
    pub content: String,
    pub media: Vec<InboundMedia>,
    /// It says what the message refers to.
    #[serde(default)]
    pub context: Context<NetworkMessageId>,
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Written(…)")
    }
}

/// It is a file of a message, still at the network. It prints nothing of where it is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboundMedia {
    pub kind: AttachmentKind,
    /// It is fetched there.
    pub source: MediaSource,
    /// It is its media type, as far as the network says.
    pub content_type: Option<String>,
    pub title: Option<String>,
    /// It is the hash of its bytes.
    pub sha256: Option<Vec<u8>>,
    /// It says whether the customer spoke it just then.
    pub voice: bool,
}

impl fmt::Debug for InboundMedia {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboundMedia").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// It says where a file is fetched.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaSource {
    /// The network is asked for it by this id.
    Id(String),
    /// It is an address that opens to whoever has it, for a while.
    Url(String),
    /// It is asked for by the id, and where that fails at the address, which is good for minutes.
    IdOrUrl { id: String, url: String },
}

impl MediaSource {
    /// Returns what the network tells of a file; `None` where it tells nothing.
    pub fn told(id: Option<String>, url: Option<String>) -> Option<Self> {
        match (id, url) {
            (Some(id), Some(url)) => Some(Self::IdOrUrl { id, url }),
            (Some(id), None) => Some(Self::Id(id)),
            (None, url) => url.map(Self::Url),
        }
    }
}

impl fmt::Debug for MediaSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MediaSource(…)")
    }
}
