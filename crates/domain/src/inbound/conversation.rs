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

/// Something that happened between a person and one of the workspace's connections.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationUpdate {
    /// With whom.
    pub person: Person,
    /// When, by the network's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    /// What.
    pub what: UpdateKind,
}

impl ConversationUpdate {
    /// Every identity in it, those of before a change first.
    pub(super) fn named(&self) -> impl Iterator<Item = &Identity> {
        let now: &[Identity] = match &self.what {
            UpdateKind::Renumbered { now } => now,
            _ => &[],
        };
        self.person.identities.iter().chain(now)
    }

    /// The network that it came from, by the names that it gives people.
    pub(super) fn network(&self) -> ChannelKind {
        self.person.identities.first().map_or(ChannelKind::Whatsapp, Identity::channel)
    }
}

/// A person as a network presents them. Prints nothing of who they are.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Every name that the network gave of them: at least one.
    pub identities: Vec<Identity>,
    /// What they call themselves.
    pub name: Option<String>,
    /// Their picture.
    pub avatar_url: Option<String>,
}

impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Person({:?}, …)", self.identities)
    }
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "happening", rename_all = "snake_case")]
pub enum UpdateKind {
    /// The customer wrote.
    Wrote(Written),
    /// The network repeats what the business sent: we ourselves, or a person in the network's own app.
    Echoed {
        /// What was sent.
        written: Written,
        /// The tag that the send carried, where the network gives it back.
        tag: Option<String>,
        /// Whether the network says that it came from this app.
        by_us: bool,
    },
    /// The customer reacted to a message.
    Reacted {
        /// To which.
        message: NetworkMessageId,
        /// With what; `None` takes an earlier one back.
        emoji: Option<String>,
    },
    /// The customer rewrote a message.
    Edited {
        /// Which.
        message: NetworkMessageId,
        /// Its text from now on.
        content: String,
    },
    /// The customer took a message back.
    Deleted {
        /// Which.
        message: NetworkMessageId,
    },
    /// The network knows the person by other names from now on.
    Renumbered {
        /// The new ones.
        now: Vec<Identity>,
    },
    /// The person told the network something without writing.
    Signalled {
        /// What.
        signal: ContactSignal,
    },
    /// What the business sent has come this far.
    Seen {
        /// `Delivered` or `Read`.
        status: DeliveryStatus,
        /// Up to where.
        up_to: SeenUpTo,
    },
}

/// Up to where a status of a conversation reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeenUpTo {
    /// Everything sent up to this moment, by the network's clock.
    Time(#[serde(with = "time::serde::rfc3339")] OffsetDateTime),
    /// This message and those before it.
    Message(NetworkMessageId),
}

/// Sends that a person's reading had not reached yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Behind {
    /// Those that are recorded, oldest first.
    pub sends: Vec<MessageNames>,
    /// Whether another may be among them whose answer is still being written down.
    pub under_way: bool,
}

/// A message. Prints nothing of its contents.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    /// The network's id.
    pub network_id: NetworkMessageId,
    /// Its words; what is no text is put into words, and what is only files has none.
    pub content: String,
    /// Its files.
    pub media: Vec<InboundMedia>,
    /// What it refers to.
    #[serde(default)]
    pub context: Context<NetworkMessageId>,
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Written(…)")
    }
}

/// A file of a message, still at the network. Prints nothing of where it is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboundMedia {
    /// What it is.
    pub kind: AttachmentKind,
    /// Where it is fetched.
    pub source: MediaSource,
    /// Its media type, as far as the network says.
    pub content_type: Option<String>,
    /// Its file name.
    pub title: Option<String>,
    /// The hash of its bytes.
    pub sha256: Option<Vec<u8>>,
    /// Whether the customer spoke it just then.
    pub voice: bool,
}

impl fmt::Debug for InboundMedia {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboundMedia").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// Where a file is fetched.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MediaSource {
    /// The network is asked for it by this id.
    Id(String),
    /// An address that opens to whoever has it, for a while.
    Url(String),
    /// By the id, and where that fails at the address, which is good for minutes.
    IdOrUrl {
        /// The id.
        id: String,
        /// The address.
        url: String,
    },
}

impl MediaSource {
    /// What the network tells of a file; `None` where it tells nothing.
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
