//! A conversation on the wire (REST API v1, Conversation).

use domain::{
    conversations::{Conversation, Group},
    ids::{ContactId, ConversationId, GroupId, MemberId},
};
use serde::Serialize;
use time::OffsetDateTime;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConversationBody {
    id: ConversationId,
    contact_id: ContactId,
    channel: &'static str,
    status: &'static str,
    assigned_to: Option<MemberId>,
    group: Option<GroupBody>,
    #[serde(with = "domain::clock::timestamp")]
    last_message_at: OffsetDateTime,
    #[serde(with = "domain::clock::timestamp")]
    created_at: OffsetDateTime,
}

#[derive(Serialize)]
struct GroupBody {
    id: GroupId,
    name: String,
}

impl From<Conversation> for ConversationBody {
    fn from(conversation: Conversation) -> Self {
        Self {
            id: conversation.id,
            contact_id: conversation.contact,
            channel: conversation.channel_kind.as_str(),
            status: conversation.status.as_str(),
            assigned_to: conversation.assigned_to,
            group: conversation.group.map(|Group { id, name }| GroupBody { id, name }),
            last_message_at: conversation.last_message_at,
            created_at: conversation.created_at,
        }
    }
}
