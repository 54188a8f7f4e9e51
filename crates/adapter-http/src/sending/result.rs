//! The answer to a template send (docs/use/rest-api.md, "Shapes").

use domain::{
    ids::{ContactId, ConversationId, MessageId},
    messages::MessageBody,
    phone::PhoneNumber,
    sending::Sent,
};
use serde::Serialize;
use utoipa::ToSchema;

use crate::schema::{
    messages::Message,
    values::{Id, Phone},
};

/// What was sent.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = TemplateSendResult)]
pub(super) struct SendResultBody {
    /// The message; delivery events name it.
    #[schema(value_type = Id)]
    id: MessageId,
    #[schema(value_type = SentStatus, inline)]
    status: &'static str,
    #[schema(value_type = Phone)]
    to: PhoneNumber,
    #[schema(value_type = Phone)]
    from: Option<PhoneNumber>,
    /// Null for a one-time code and for what a send-only number sends.
    #[schema(value_type = Option<Id>, required = true)]
    contact_id: Option<ContactId>,
    /// Null for a one-time code and for what a send-only number sends.
    #[schema(value_type = Option<Id>, required = true)]
    conversation_id: Option<ConversationId>,
    /// The request's.
    #[schema(required = true)]
    reference: Option<String>,
    /// Null for a one-time code and for what a send-only number sends.
    #[schema(value_type = Option<Message>, required = true)]
    message: Option<MessageBody>,
}

/// The network took it.
#[derive(ToSchema)]
#[schema(rename_all = "lowercase")]
#[expect(dead_code, reason = "describes the one word")]
enum SentStatus {
    Sent,
}

impl From<Sent> for SendResultBody {
    fn from(Sent { to, result, .. }: Sent) -> Self {
        Self {
            id: result.id,
            status: "sent",
            to,
            from: result.from,
            contact_id: result.contact,
            conversation_id: result.conversation,
            reference: result.reference,
            message: result.message.map(MessageBody::taken),
        }
    }
}
