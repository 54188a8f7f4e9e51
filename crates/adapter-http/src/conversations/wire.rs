//! A conversation on the wire (docs/use/rest-api.md, "Shapes").

use domain::{
    conversation::{Conversation, Group},
    ids::{ContactId, ConversationId, GroupId, MemberId},
};
use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::schema::{conversations as schema, values};

/// A conversation with one person on one channel.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Conversation)]
pub(crate) struct ConversationBody {
    #[schema(value_type = values::Id)]
    id: ConversationId,
    #[schema(value_type = values::Id)]
    contact_id: ContactId,
    #[schema(value_type = schema::Channel, inline)]
    channel: &'static str,
    #[schema(value_type = schema::Status, inline)]
    status: &'static str,
    /// The person who holds it.
    #[schema(value_type = Option<values::Id>, required = true)]
    assigned_to: Option<MemberId>,
    #[schema(value_type = Option<schema::Group>, required = true)]
    group: Option<GroupBody>,
    #[serde(with = "domain::clock::timestamp")]
    #[schema(value_type = values::Timestamp)]
    last_message_at: OffsetDateTime,
    #[serde(with = "domain::clock::timestamp")]
    #[schema(value_type = values::Timestamp)]
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
