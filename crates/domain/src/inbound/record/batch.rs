//! Result of recording a batch of updates: one transaction.

use std::{collections::BTreeSet, fmt};

use time::OffsetDateTime;

use super::super::conversation::InboundMedia;
use crate::{
    channels::ChannelKind,
    contacts::{Contact, Identity},
    conversation::Conversation,
    conversations::Waiting,
    events::Event,
    ids::{ContactId, JournalId, MessageId},
    messages::{Message, NetworkMessageId},
};

/// A batch of one workspace, ready to be committed.
#[derive(Debug, Clone)]
pub struct InboxBatch {
    /// Time of recording, which decides the month of everybody's activity.
    pub at: OffsetDateTime,
    pub new_contacts: Vec<NewContact>,
    pub active: Vec<Active>,
    pub conversations: Vec<ConversationChange>,
    pub messages: Vec<NewMessage>,
    pub marks: Vec<Mark>,
    /// Events to announce, in order.
    pub events: Vec<Event>,
    /// Entries that leave the journal.
    pub done: Vec<JournalId>,
}

impl InboxBatch {
    pub(super) const fn at(at: OffsetDateTime) -> Self {
        Self {
            at,
            new_contacts: Vec::new(),
            active: Vec::new(),
            conversations: Vec::new(),
            messages: Vec::new(),
            marks: Vec::new(),
            events: Vec::new(),
            done: Vec::new(),
        }
    }
}

/// A person who is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContact {
    pub contact: Contact,
    pub avatar_url: Option<String>,
    /// Identities other than phone numbers.
    pub identities: Vec<Identity>,
    /// Identities by which nobody is written to.
    pub lesser: BTreeSet<Identity>,
    pub activity: Activity,
}

/// A known person who was in touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Active {
    pub contact: ContactId,
    pub activity: Activity,
}

/// Contact with a person, in either direction: the plan counts both alike.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// Networks that they wrote from.
    pub wrote_from: BTreeSet<&'static str>,
    /// Time of their last message, by the network's clock; `None` if they did not write.
    pub wrote_at: Option<OffsetDateTime>,
}

impl Activity {
    pub(super) fn wrote(&mut self, from: ChannelKind, at: OffsetDateTime) {
        self.wrote_from.insert(from.as_str());
        self.wrote_at = self.wrote_at.max(Some(at));
    }
}

/// A conversation after the batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationChange {
    /// Version that this was decided on; `None` for a new conversation.
    pub before_version: Option<i64>,
    pub conversation: Conversation,
    /// Time of the customer's last message, by the network's clock; `None` if they did not write in this
    /// batch.
    pub customer_wrote_at: Option<OffsetDateTime>,
    /// Change of the time since when the customer waits.
    pub waiting: Waiting,
    /// First of the time stamps that the batch gives; the conversation may not have a later one yet.
    pub first_stamp: Option<OffsetDateTime>,
}

/// A message to record.
#[derive(Clone, PartialEq, Eq)]
pub struct NewMessage {
    pub message: Message,
    /// Network's id, which is recorded once.
    pub network_id: NetworkMessageId,
    pub media: Vec<InboundMedia>,
    /// Whether the message began its conversation or brought it back; the workspace's rules may ask for that.
    pub began: bool,
}

impl fmt::Debug for NewMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewMessage").field("message", &self.message).finish_non_exhaustive()
    }
}

/// A customer's changes to an earlier message; the latest of each kind wins, by the network's clock.
#[derive(Clone, PartialEq, Eq)]
pub struct Mark {
    pub message: MessageId,
    /// Reaction and its time; the inner `None` takes an earlier one back.
    pub reaction: Option<(Option<String>, OffsetDateTime)>,
    pub edited: Option<(String, OffsetDateTime)>,
    /// Time at which the customer took it back.
    pub deleted_at: Option<OffsetDateTime>,
}

impl Mark {
    pub(super) const fn on(message: MessageId) -> Self {
        Self { message, reaction: None, edited: None, deleted_at: None }
    }
}

impl fmt::Debug for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mark").field("message", &self.message).finish_non_exhaustive()
    }
}
