//! A message as the API and the events write it (docs/use/rest-api.md, "Shapes").

use serde::Serialize;
use time::OffsetDateTime;

use super::{
    Marks, Message, MessageMeta, Reaction, TemplateRef, context::Context, delivery::MessageDelivery,
    list::ListedMessage,
};
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
    /// Absent if this service did not send the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    delivery: Option<MessageDelivery>,
}

/// A message as an event carries it, with its conversation beside it.
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
    /// Present only for a customer's message.
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::clock::timestamp::option")]
    sent_at: Option<OffsetDateTime>,
    /// Present only if a template send made the message.
    #[serde(skip_serializing_if = "Option::is_none")]
    meta: Option<MetaBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<ContextBody>,
}

/// Context of a message, and the changes to it since.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ContextBody {
    #[serde(flatten)]
    refers: Context,
    #[serde(skip_serializing_if = "Option::is_none")]
    reaction: Option<ReactionBody>,
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::clock::timestamp::option")]
    edited_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::clock::timestamp::option")]
    deleted_at: Option<OffsetDateTime>,
}

#[derive(Serialize)]
struct MetaBody {
    template: TemplateRef,
    reference: Option<String>,
    /// `api`, or `dashboard` if a member sent it there.
    via: &'static str,
}

#[derive(Serialize)]
struct ReactionBody {
    emoji: String,
    #[serde(with = "crate::clock::timestamp")]
    at: OffsetDateTime,
}

impl ContextBody {
    fn of(refers: Context, marks: Marks) -> Option<Self> {
        if refers.is_empty() && marks == Marks::default() {
            return None;
        }
        let Marks { reaction, edited_at, deleted_at } = marks;
        let reaction = reaction.map(|Reaction { emoji, at }| ReactionBody { emoji, at });
        Some(Self { refers, reaction, edited_at, deleted_at })
    }
}

impl MessageBody {
    /// Makes the body of a message; `delivery` is `None` if this service did not send it.
    pub fn of(message: Message, delivery: Option<MessageDelivery>) -> Self {
        Self {
            conversation_id: message.conversation,
            sender_id: message.sender_id.clone(),
            shared: message.into(),
            delivery,
        }
    }

    /// Makes the body of a message that the network has just taken. A repeat of its send is answered by the
    /// same.
    pub fn taken(message: Message) -> Self {
        let delivery = MessageDelivery::taken(message.created_at);
        Self::of(message, Some(delivery))
    }
}

impl From<ListedMessage> for MessageBody {
    fn from(ListedMessage { message, delivery }: ListedMessage) -> Self {
        Self::of(message, delivery)
    }
}

impl From<Message> for EventMessageBody {
    fn from(message: Message) -> Self {
        // A template sent with an API key has no sender.
        let via = if message.sender_id.is_some() { "dashboard" } else { "api" };
        Self {
            id: message.id,
            role: message.role.as_str(),
            content: message.content,
            attachments: message.attachments,
            transcription: message.transcription,
            created_at: message.created_at,
            sent_at: message.sent_at,
            meta: message.meta.map(|MessageMeta { template, reference }| MetaBody {
                template,
                reference,
                via,
            }),
            context: ContextBody::of(message.context, message.marks),
        }
    }
}
