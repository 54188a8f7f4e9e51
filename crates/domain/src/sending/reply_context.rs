//! What a reply rests on.

use time::OffsetDateTime;

use crate::{
    channels::Connection,
    contacts::{Contact, Identity},
    conversation::Conversation,
    workspaces::Plan,
};

/// State that a reply is decided on, read at one moment.
#[derive(Debug, Clone)]
pub struct ReplyContext {
    pub plan: Plan,
    pub author_is_here: bool,
    pub contact: Contact,
    pub conversation: Conversation,
    /// `None` if the conversation's channel is not connected.
    pub connection: Option<Connection>,
    /// Identity by which the contact is reached over it, if known.
    pub to: Option<Identity>,
    /// Time of the customer's last message, by the network's clock.
    pub customer_wrote_at: Option<OffsetDateTime>,
}
