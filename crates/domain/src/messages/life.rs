//! A message's whole life: what an owner or an agent asks when somebody says that it never came.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{Progress, Role, TemplateRef, ports::MessageLives};
use crate::{
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    webhooks::{Attempt, Delivery},
};

/// It says how far the sending of a message has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendingState {
    /// The network was, or is being, asked; nobody knows the outcome.
    InFlight,
    /// The network took it.
    Sent,
    /// The network refused it.
    Refused,
}

impl SendingState {
    /// Returns its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::Sent => "sent",
            Self::Refused => "refused",
        }
    }

    /// Reads what `as_str` returns; `None` where `name` is anything else.
    pub fn read(name: &str) -> Option<Self> {
        [Self::InFlight, Self::Sent, Self::Refused].into_iter().find(|state| state.as_str() == name)
    }
}

/// It is what is kept of a sending. The network's own id is not in it: on `WhatsApp` it holds the recipient's
/// number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sending {
    pub state: SendingState,
    /// The request for it was accepted here then.
    pub asked_at: OffsetDateTime,
    /// It says when the network's answer, or a status that stood for it, was written down.
    pub settled_at: Option<OffsetDateTime>,
    /// The network has reported this since.
    pub progress: Progress,
    /// They are the network's words where it refused the message or could not deliver it.
    pub error: Option<String>,
    /// It is the network's code for that.
    pub error_code: Option<i64>,
}

/// It is a webhook delivery with its attempts, whose answers are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    pub delivery: Delivery,
    /// The first comes first.
    pub attempts: Vec<Attempt>,
}

/// It is what happened to a message, from first to last. Of what was kept nowhere there is the sending alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageLife {
    pub id: MessageId,
    pub conversation: Option<ConversationId>,
    /// They wrote it, where it is in a conversation.
    pub role: Option<Role>,
    /// They are the person of the team who wrote it, where it was one.
    pub sender_id: Option<String>,
    /// The message was made from this template.
    pub template: Option<TemplateRef>,
    pub reference: Option<String>,
    /// It was recorded in its conversation then.
    pub recorded_at: Option<OffsetDateTime>,
    /// It says whether the network has given it an id.
    pub has_network_id: bool,
    /// It says how the message was sent, where this service sent it.
    pub sending: Option<Sending>,
    /// Webhook addresses were told this of it; the first comes first.
    pub told: Vec<Told>,
}

/// It tells a message's life.
pub struct ExplainMessage {
    /// It keeps messages, their sendings and their deliveries.
    pub store: Arc<dyn MessageLives>,
}

impl ExplainMessage {
    /// Returns the life; `None` when the workspace has no such message.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        message: MessageId,
    ) -> Result<Option<MessageLife>, StoreError> {
        self.store.life(workspace, message).await
    }
}
