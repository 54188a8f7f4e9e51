//! Updates of a conversation at a network, as its adapter parses them and the journal stores them.

use std::fmt;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;

use super::sent_message::MessageNames;
use crate::{
    attachments::{AttachmentKind, MediaSource},
    channels::ChannelKind,
    contacts::{ContactSignal, Identity},
    messages::{Context, DeliveryStatus, NetworkMessageId},
};

/// Something that happened between a person and one of the workspace's channels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConversationUpdate {
    pub person: Person,
    /// Time by the network's clock.
    #[serde(with = "time::serde::rfc3339")]
    pub at: OffsetDateTime,
    pub what: UpdateKind,
}

impl ConversationUpdate {
    /// Lists every identity in the update, those before a change first.
    pub(super) fn named(&self) -> impl Iterator<Item = &Identity> {
        let now: &[Identity] = match &self.what {
            UpdateKind::Renumbered { now } => now,
            _ => &[],
        };
        self.person.identities.iter().chain(now)
    }

    /// Records whether another app held the conversation at that time.
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

    /// Returns the network, derived from the person's identities.
    pub(super) fn network(&self) -> ChannelKind {
        self.person.identities.first().map_or(ChannelKind::Whatsapp, Identity::channel)
    }
}

/// A person as a network presents them. `Debug` shows no personal data.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Every identity that the network gave; at least one.
    pub identities: Vec<Identity>,
    /// Display name, chosen by the person.
    pub name: Option<String>,
    pub avatar_url: Option<String>,
}

impl fmt::Debug for Person {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Person({:?}, …)", self.identities)
    }
}

/// Kind of an update. Unless said otherwise, the customer is the one who acted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "happening", rename_all = "snake_case")]
pub enum UpdateKind {
    /// The customer wrote a message.
    Wrote(Written),
    /// The network repeats what the business sent, through this service or in the network's own app.
    Echoed {
        written: Written,
        /// Our tag of the send; `None` if the network does not return it.
        tag: Option<String>,
        /// Whether the network names this app as the sender.
        by_us: bool,
    },
    Reacted {
        message: NetworkMessageId,
        /// `None` takes an earlier reaction back.
        emoji: Option<String>,
    },
    Edited {
        message: NetworkMessageId,
        /// The message's text from now on.
        content: String,
        /// Whether another app held the conversation.
        #[serde(default)]
        held_elsewhere: bool,
    },
    /// The customer took a message back.
    Deleted { message: NetworkMessageId },
    Renumbered {
        /// Identities from now on.
        now: Vec<Identity>,
    },
    /// The person told the network something without writing.
    Signalled { signal: ContactSignal },
    /// The business's messages were delivered or read up to some point.
    Seen {
        /// `Delivered` or `Read`.
        status: DeliveryStatus,
        up_to: SeenUpTo,
    },
}

/// Point up to which a status of a conversation reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeenUpTo {
    /// Everything sent up to this moment, by the network's clock.
    Time(#[serde(with = "time::serde::rfc3339")] OffsetDateTime),
    /// A message, and all before it.
    Message(NetworkMessageId),
}

/// Sends that a status of a conversation covers and that do not have it yet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Behind {
    /// Recorded sends, oldest first.
    pub sends: Vec<MessageNames>,
    /// Whether there may be another one whose answer is still being recorded.
    pub under_way: bool,
}

/// A message. `Debug` shows nothing of its content.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Written {
    pub network_id: NetworkMessageId,
    /// Text; other content is put into words, and a message of files alone has none.
    pub content: String,
    pub media: Vec<InboundMedia>,
    #[serde(default)]
    pub context: Context<NetworkMessageId>,
}

impl fmt::Debug for Written {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Written(…)")
    }
}

/// A file of a message, still at the network. `Debug` shows nothing of where it is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InboundMedia {
    pub kind: AttachmentKind,
    pub source: MediaSource,
    /// Media type; `None` if the network does not tell.
    pub content_type: Option<String>,
    pub title: Option<String>,
    pub sha256: Option<Vec<u8>>,
    /// Whether it is a voice note, spoken for this message.
    pub voice: bool,
}

impl fmt::Debug for InboundMedia {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InboundMedia").field("kind", &self.kind).finish_non_exhaustive()
    }
}
