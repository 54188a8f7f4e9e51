//! A message as the API and the events write it (REST API v1, Message).

use serde::Serialize;
use time::OffsetDateTime;

use super::{Context, Marks, Message, MessageMeta, Reaction, TemplateRef};
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
#[serde(rename_all = "camelCase")]
struct MetaBody {
    #[serde(flatten)]
    template_send: Option<TemplateSendBody>,
    #[serde(flatten)]
    context: Context,
    #[serde(skip_serializing_if = "Option::is_none")]
    reaction: Option<ReactionBody>,
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::clock::timestamp::option")]
    edited_at: Option<OffsetDateTime>,
    #[serde(skip_serializing_if = "Option::is_none", with = "crate::clock::timestamp::option")]
    deleted_at: Option<OffsetDateTime>,
}

#[derive(Serialize)]
struct TemplateSendBody {
    template: TemplateRef,
    reference: Option<String>,
    /// Where it was sent: `api`, or `dashboard` by a member there.
    via: &'static str,
}

#[derive(Serialize)]
struct ReactionBody {
    emoji: String,
    #[serde(with = "crate::clock::timestamp")]
    at: OffsetDateTime,
}

impl MetaBody {
    /// `None` where there is nothing to tell.
    fn of(meta: Option<MessageMeta>, via: &'static str, context: Context, marks: Marks) -> Option<Self> {
        if meta.is_none() && context.is_empty() && marks == Marks::default() {
            return None;
        }
        let Marks { reaction, edited_at, deleted_at } = marks;
        let template_send =
            meta.map(|MessageMeta { template, reference }| TemplateSendBody { template, reference, via });
        let reaction = reaction.map(|Reaction { emoji, at }| ReactionBody { emoji, at });
        Some(Self { template_send, context, reaction, edited_at, deleted_at })
    }
}

impl From<Message> for MessageBody {
    fn from(message: Message) -> Self {
        Self {
            conversation_id: message.conversation,
            sender_id: message.sender_id.clone(),
            shared: message.into(),
        }
    }
}

impl From<Message> for EventMessageBody {
    fn from(message: Message) -> Self {
        // A template that a key has sent is nobody's.
        let via = if message.sender_id.is_some() { "dashboard" } else { "api" };
        Self {
            id: message.id,
            role: message.role.as_str(),
            content: message.content,
            attachments: message.attachments,
            transcription: message.transcription,
            created_at: message.created_at,
            meta: MetaBody::of(message.meta, via, message.context, message.marks),
        }
    }
}
