//! What recording a batch of updates comes to: one transaction.

use std::{collections::BTreeSet, fmt};

use time::OffsetDateTime;

use super::super::InboundMedia;
use crate::{
    channels::ChannelKind,
    contacts::{Contact, Identity},
    conversations::{Conversation, Waiting},
    ids::{ContactId, JournalId, MessageId},
    messages::{Message, NetworkMessageId},
    webhooks::Event,
};

/// A batch of one workspace, ready to be committed.
#[derive(Debug, Clone)]
pub struct InboxBatch {
    /// When it is recorded: the month of everybody's activity.
    pub at: OffsetDateTime,
    /// People who are new.
    pub new_contacts: Vec<NewContact>,
    /// People who are known, and were in touch.
    pub active: Vec<Active>,
    /// Conversations that are new, or have moved.
    pub conversations: Vec<ConversationChange>,
    /// New messages.
    pub messages: Vec<NewMessage>,
    /// What changed about earlier ones.
    pub marks: Vec<Mark>,
    /// What is announced, in order.
    pub events: Vec<Event>,
    /// What leaves the journal.
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

/// Somebody who is new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContact {
    /// The contact.
    pub contact: Contact,
    /// Their picture.
    pub avatar_url: Option<String>,
    /// Their identities without a number.
    pub identities: Vec<Identity>,
    /// What they did.
    pub activity: Activity,
}

/// Somebody who is known was in touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Active {
    /// The contact.
    pub contact: ContactId,
    /// What they did.
    pub activity: Activity,
}

/// That a person was in touch: to them or from them, which the plan counts alike.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// The networks they wrote from.
    pub wrote_from: BTreeSet<&'static str>,
    /// When they last wrote, by the network's clock.
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
    /// The version that it was decided on; `None` for a new one.
    pub before_version: Option<i64>,
    /// The conversation from now on.
    pub conversation: Conversation,
    /// When its customer last wrote, by the network's clock; `None` when they did not in this batch.
    pub customer_wrote_at: Option<OffsetDateTime>,
    /// What the batch does to since when they wait.
    pub waiting: Waiting,
    /// The first of the times that the batch gives to what happens in it: nothing may have been given a later one.
    pub first_stamp: Option<OffsetDateTime>,
}

/// A message to record.
#[derive(Clone, PartialEq, Eq)]
pub struct NewMessage {
    /// The message.
    pub message: Message,
    /// The network's id, which is recorded once.
    pub network_id: NetworkMessageId,
    /// Its files, which are fetched afterwards.
    pub media: Vec<InboundMedia>,
    /// Whether it began its conversation or brought it back, which rules of the workspace may ask for.
    pub began: bool,
}

impl fmt::Debug for NewMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewMessage").field("message", &self.message).finish_non_exhaustive()
    }
}

/// What a customer did to an earlier message; the latest of each wins, by the network's clock.
#[derive(Clone, PartialEq, Eq)]
pub struct Mark {
    /// The message.
    pub message: MessageId,
    /// The customer's reaction and when; no reaction when an earlier one was taken back.
    pub reaction: Option<(Option<String>, OffsetDateTime)>,
    /// New words and when.
    pub edited: Option<(String, OffsetDateTime)>,
    /// When it was taken back.
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
