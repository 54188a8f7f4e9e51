//! A message's whole life, for an owner or an agent who is told that it never came.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{Progress, Role, TemplateRef, ports::MessageLives};
use crate::{
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    webhooks::{Attempt, Delivery},
};

/// State of a send.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendingState {
    /// The network was, or is being, asked; the outcome is unknown.
    InFlight,
    Sent,
    Refused,
}

impl SendingState {
    /// Returns the name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::Sent => "sent",
            Self::Refused => "refused",
        }
    }

    /// Parses a name as `as_str` returns it; `None` for any other.
    pub fn read(name: &str) -> Option<Self> {
        [Self::InFlight, Self::Sent, Self::Refused].into_iter().find(|state| state.as_str() == name)
    }
}

/// Stored state of a send. The network's id is left out: on `WhatsApp` it holds the recipient's number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sending {
    pub state: SendingState,
    /// Time at which the request was accepted here.
    pub asked_at: OffsetDateTime,
    /// Time at which the network's answer, or a status that stood for it, was recorded.
    pub settled_at: Option<OffsetDateTime>,
    pub progress: Progress,
    /// Network's words, if it refused the message or could not deliver it.
    pub error: Option<String>,
    /// Network's code for the same.
    pub error_code: Option<i64>,
}

/// A webhook delivery with its attempts, without the receiver's answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub delivery: Delivery,
    /// Oldest first.
    pub attempts: Vec<Attempt>,
}

/// Everything that happened to a message. If its content is not stored, the send alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageLife {
    pub id: MessageId,
    pub conversation: Option<ConversationId>,
    /// Author; `None` if it is in no conversation.
    pub role: Option<Role>,
    /// Id of the team member who wrote it, if it was one.
    pub sender_id: Option<String>,
    pub template: Option<TemplateRef>,
    pub reference: Option<String>,
    pub recorded_at: Option<OffsetDateTime>,
    pub has_network_id: bool,
    /// `None` if this service did not send it.
    pub sending: Option<Sending>,
    /// Webhook deliveries about it, oldest first.
    pub told: Vec<Told>,
}

/// Explanation of what happened to a message.
pub struct ExplainMessage {
    pub store: Arc<dyn MessageLives>,
}

impl ExplainMessage {
    /// Loads the life of a message; `None` if the workspace has no such message.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
    ) -> Result<Option<MessageLife>, StoreError> {
        self.store.life(workspace, message).await
    }
}
