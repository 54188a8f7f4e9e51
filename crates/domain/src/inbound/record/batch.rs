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

/// It is a batch of one workspace, ready to be committed.
#[derive(Debug, Clone)]
pub struct InboxBatch {
    /// It is recorded then: that decides the month of everybody's activity.
    pub at: OffsetDateTime,
    /// These people are new.
    pub new_contacts: Vec<NewContact>,
    /// These people are known, and were in touch.
    pub active: Vec<Active>,
    /// These conversations are new, or have moved.
    pub conversations: Vec<ConversationChange>,
    pub messages: Vec<NewMessage>,
    /// They say what changed about earlier messages.
    pub marks: Vec<Mark>,
    /// These are announced, in order.
    pub events: Vec<Event>,
    /// These leave the journal.
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

/// They are new.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContact {
    pub contact: Contact,
    pub avatar_url: Option<String>,
    /// They are their identities without a number.
    pub identities: Vec<Identity>,
    /// By these of them nobody is written to.
    pub lesser: BTreeSet<Identity>,
    pub activity: Activity,
}

/// They are known, and were in touch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Active {
    pub contact: ContactId,
    pub activity: Activity,
}

/// A person was in touch: to them or from them, which the plan counts alike.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Activity {
    /// They wrote from these networks.
    pub wrote_from: BTreeSet<&'static str>,
    /// They last wrote then, by the network's clock.
    pub wrote_at: Option<OffsetDateTime>,
}

impl Activity {
    pub(super) fn wrote(&mut self, from: ChannelKind, at: OffsetDateTime) {
        self.wrote_from.insert(from.as_str());
        self.wrote_at = self.wrote_at.max(Some(at));
    }
}

/// It is a conversation after the batch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationChange {
    /// It was decided on this version; `None` for a new one.
    pub before_version: Option<i64>,
    /// It is the conversation from now on.
    pub conversation: Conversation,
    /// It says when its customer last wrote, by the network's clock; `None` when they did not in this batch.
    pub customer_wrote_at: Option<OffsetDateTime>,
    /// It is what the batch does to since when they wait.
    pub waiting: Waiting,
    /// It is the first of the times that the batch gives to what happens in it: nothing may have been given a
    /// later one.
    pub first_stamp: Option<OffsetDateTime>,
}

/// It is a message to record.
#[derive(Clone, PartialEq, Eq)]
pub struct NewMessage {
    pub message: Message,
    /// The network's id is recorded once.
    pub network_id: NetworkMessageId,
    /// Its files are fetched afterwards.
    pub media: Vec<InboundMedia>,
    /// It says whether it began its conversation or brought it back, which rules of the workspace may ask
    /// for.
    pub began: bool,
}

impl fmt::Debug for NewMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewMessage").field("message", &self.message).finish_non_exhaustive()
    }
}

/// It is what a customer did to an earlier message; the latest of each wins, by the network's clock.
#[derive(Clone, PartialEq, Eq)]
pub struct Mark {
    pub message: MessageId,
    /// It is the customer's reaction and when; no reaction when an earlier one was taken back.
    pub reaction: Option<(Option<String>, OffsetDateTime)>,
    /// It has new words since then.
    pub edited: Option<(String, OffsetDateTime)>,
    /// It was taken back then.
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
