//! A message's whole life: what an owner or an agent asks when somebody says that it never came.

use std::sync::Arc;

use time::OffsetDateTime;

use super::{Progress, Role, TemplateRef, ports::MessageLives};
use crate::{
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    webhooks::{Attempt, Delivery},
};

/// How far the sending of a message has come.
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
    /// Its name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InFlight => "in_flight",
            Self::Sent => "sent",
            Self::Refused => "refused",
        }
    }

    /// Reads its name.
    pub fn read(name: &str) -> Option<Self> {
        [Self::InFlight, Self::Sent, Self::Refused].into_iter().find(|state| state.as_str() == name)
    }
}

/// What is kept of a sending. The network's own id is not in it: on `WhatsApp` it holds the recipient's number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sending {
    /// How far it has come.
    pub state: SendingState,
    /// When the request for it was accepted here.
    pub asked_at: OffsetDateTime,
    /// When the network's answer, or a status that stood for it, was written down.
    pub settled_at: Option<OffsetDateTime>,
    /// What the network has reported since.
    pub progress: Progress,
    /// The network's words where it refused the message or could not deliver it.
    pub error: Option<String>,
    /// Its code for that.
    pub error_code: Option<i64>,
}

/// A webhook delivery with its attempts, whose answers are left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Told {
    /// The delivery.
    pub delivery: Delivery,
    /// The first first.
    pub attempts: Vec<Attempt>,
}

/// What happened to a message, from first to last. Of what was kept nowhere there is the sending alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageLife {
    /// The message.
    pub id: MessageId,
    /// Its conversation.
    pub conversation: Option<ConversationId>,
    /// Who wrote it, where it is in a conversation.
    pub role: Option<Role>,
    /// Which person of the team, where it was one.
    pub sender_id: Option<String>,
    /// The template it was made from.
    pub template: Option<TemplateRef>,
    /// The caller's own id.
    pub reference: Option<String>,
    /// When it was recorded in its conversation.
    pub recorded_at: Option<OffsetDateTime>,
    /// Whether the network has given it an id.
    pub has_network_id: bool,
    /// How it was sent, where this service did.
    pub sending: Option<Sending>,
    /// What webhook addresses were told of it, the first first.
    pub told: Vec<Told>,
}

/// Tells a message's life.
pub struct ExplainMessage {
    /// Where messages, their sendings and their deliveries are kept.
    pub store: Arc<dyn MessageLives>,
}

impl ExplainMessage {
    /// The life; `None` when the workspace has no such message.
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
