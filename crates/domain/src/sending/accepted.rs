//! A send that a network has taken, and what becomes of its conversation.

use time::OffsetDateTime;

use super::ledger::SendResult;
use crate::{
    attachments::StoredAttachment,
    contacts::Contact,
    conversation::Conversation,
    events::Event,
    messages::{Message, NetworkMessageId},
};

/// A contact and their conversation, as far as they exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ConversationParts {
    pub contact: Option<Contact>,
    pub conversation: Option<Conversation>,
    pub files: Vec<StoredAttachment>,
}

/// Change to the inbox by a template send or a reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConversationEffect {
    pub contact: Contact,
    pub contact_is_new: bool,
    /// Carries the new time of its last message.
    pub conversation: Conversation,
    pub conversation_is_new: bool,
    pub message: Message,
}

/// An accepted send with everything that follows from it.
#[derive(Debug, Clone)]
pub struct AcceptedSend {
    pub network_id: NetworkMessageId,
    pub accepted_at: OffsetDateTime,
    pub result: SendResult,
    /// `None` if the send is kept in no conversation.
    pub effect: Option<ConversationEffect>,
    pub events: Vec<Event>,
}
