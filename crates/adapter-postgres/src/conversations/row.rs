//! A conversation as a row.

use diesel::{
    QueryableByName,
    sql_types::{BigInt, Bool, Nullable, Text, Timestamptz, Uuid},
};
use domain::{
    channels::ChannelKind,
    conversations::{Conversation, ConversationStatus, Group},
    errors::StoreError,
};
use time::OffsetDateTime;

use crate::error::unreadable;

/// What [`ConversationRow`] reads of a `conversation` whose workspace is `$1`.
macro_rules! conversation {
    () => {
        "conversation.id, conversation.contact_id, conversation.channel_id, conversation.channel, conversation.status,
         conversation.assigned_to, conversation.group_id, conversation.announced, conversation.version,
         conversation.stamped_at, conversation.last_message_at, conversation.created_at,
         (SELECT name FROM groups WHERE workspace_id = $1 AND id = conversation.group_id) AS group_name"
    };
}
pub(super) use conversation;

#[derive(QueryableByName)]
pub(super) struct ConversationRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    contact_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    channel_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    channel: String,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = Nullable<Uuid>)]
    assigned_to: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Uuid>)]
    group_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    group_name: Option<String>,
    #[diesel(sql_type = Bool)]
    announced: bool,
    #[diesel(sql_type = BigInt)]
    version: i64,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    stamped_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Timestamptz)]
    last_message_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
}

impl ConversationRow {
    pub(super) fn read(self) -> Result<Conversation, StoreError> {
        let group = self.group_id.zip(self.group_name);
        Ok(Conversation {
            id: self.id.into(),
            contact: self.contact_id.into(),
            channel: self.channel_id.into(),
            channel_kind: ChannelKind::read(&self.channel).ok_or_else(|| unreadable("channel"))?,
            status: ConversationStatus::read(&self.status).ok_or_else(|| unreadable("status"))?,
            assigned_to: self.assigned_to.map(Into::into),
            group: group.map(|(id, name)| Group { id: id.into(), name }),
            announced: self.announced,
            version: self.version,
            stamped_at: self.stamped_at,
            last_message_at: self.last_message_at,
            created_at: self.created_at,
        })
    }
}
