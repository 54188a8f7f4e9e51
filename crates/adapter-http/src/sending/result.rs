//! The answer to a template send (REST API v1, Template send result).

use domain::{
    ids::{ContactId, ConversationId, MessageId},
    messages::MessageBody,
    phone::PhoneNumber,
    sending::Sent,
};
use serde::Serialize;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct SendResultBody {
    id: MessageId,
    status: &'static str,
    to: PhoneNumber,
    from: PhoneNumber,
    contact_id: Option<ContactId>,
    conversation_id: Option<ConversationId>,
    reference: Option<String>,
    message: Option<MessageBody>,
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
            message: result.message.map(MessageBody::answer),
        }
    }
}
