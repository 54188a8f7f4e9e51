//! A message as the API and the events write it (REST API v1, Message).

use serde::Serialize;
use time::OffsetDateTime;

use super::{Message, TemplateRef};
use crate::ids::{ConversationId, MessageId};

/// A message on the wire. Events leave out `senderId`, and `conversationId`, which stands beside the message there.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageBody {
    id: MessageId,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation_id: Option<ConversationId>,
    role: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sender_id: Option<Option<String>>,
    content: String,
    attachments: [(); 0],
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

impl MessageBody {
    /// As an answer of the API carries it.
    pub fn answer(message: Message) -> Self {
        Self {
            conversation_id: Some(message.conversation),
            sender_id: Some(message.sender_id.clone()),
            ..Self::event(message)
        }
    }

    /// As an event carries it.
    pub fn event(message: Message) -> Self {
        Self {
            id: message.id,
            conversation_id: None,
            role: message.role.as_str(),
            sender_id: None,
            content: message.content,
            attachments: [],
            transcription: None,
            created_at: message.created_at,
            meta: message.meta.map(|meta| MetaBody {
                template: meta.template,
                reference: meta.reference,
                via: "api",
            }),
        }
    }
}
