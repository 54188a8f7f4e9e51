//! A conversation as events write it (docs/use/rest-api.md, "Shapes").

use serde::Serialize;
use time::OffsetDateTime;

use crate::{
    conversation::{Conversation, Group},
    ids::{ContactId, ConversationId, GroupId, MemberId},
};

/// A conversation as an event carries it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EventConversationBody {
    id: ConversationId,
    channel: &'static str,
    status: &'static str,
    assigned_to: Option<MemberId>,
    group: Option<GroupBody>,
    customer_id: ContactId,
    #[serde(with = "crate::clock::timestamp")]
    last_message_at: OffsetDateTime,
    #[serde(with = "crate::clock::timestamp")]
    created_at: OffsetDateTime,
}

#[derive(Serialize)]
struct GroupBody {
    id: GroupId,
    name: String,
}

impl From<Conversation> for EventConversationBody {
    fn from(conversation: Conversation) -> Self {
        Self {
            id: conversation.id,
            channel: conversation.channel_kind.as_str(),
            status: conversation.status.as_str(),
            assigned_to: conversation.assigned_to,
            group: conversation.group.map(|Group { id, name }| GroupBody { id, name }),
            customer_id: conversation.contact,
            last_message_at: conversation.last_message_at,
            created_at: conversation.created_at,
        }
    }
}
