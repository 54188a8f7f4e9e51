//! A message as the API and the events write it (REST API v1, Message).

use serde::Serialize;
use time::OffsetDateTime;

use super::{Message, TemplateRef};
use crate::{
    attachments::Attachment,
    ids::{ConversationId, MessageId},
};

/// A message as an answer of the API carries it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageBody {
    conversation_id: ConversationId,
    sender_id: Option<String>,
    #[serde(flatten)]
    shared: EventMessageBody,
}

/// A message as an event carries it, with its thread beside it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventMessageBody {
    id: MessageId,
    role: &'static str,
    content: String,
    attachments: Vec<Attachment>,
    transcription: Option<String>,
    #[serde(with = "crate::clock::timestamp")]
    created_at: OffsetDateTime,
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<MetaBody>,
}

#[derive(Serialize)]
struct MetaBody {
    template: TemplateRef,
    reference: Option<String>,
    via: &'static str,
}

impl From<Message> for MessageBody {
    fn from(mut message: Message) -> Self {
        Self {
            conversation_id: message.conversation,
            sender_id: message.sender_id.take(),
            shared: message.into(),
        }
    }
}

impl From<Message> for EventMessageBody {
    fn from(message: Message) -> Self {
        Self {
            id: message.id,
            role: message.role.as_str(),
            content: message.content,
            attachments: message.attachments,
            transcription: message.transcription,
            created_at: message.created_at,
            meta: message.meta.map(|meta| MetaBody {
                template: meta.template,
                reference: meta.reference,
                via: "api",
            }),
        }
    }
}
