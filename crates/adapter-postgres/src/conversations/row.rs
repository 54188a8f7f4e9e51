//! A conversation as a row.

use diesel::{
    ExpressionMethods, NullableExpressionMethods, PgExpressionMethods, QueryDsl, Queryable, QueryableByName,
    Selectable,
};
use domain::{
    channels::ChannelKind,
    conversation::{Conversation, ConversationStatus, Group},
    errors::StoreError,
    ids::WorkspaceId,
    messages::Role,
};
use time::OffsetDateTime;

use crate::{
    error::unreadable,
    schema::{conversations, groups, messages},
};

#[derive(Queryable, Selectable, QueryableByName)]
#[diesel(table_name = conversations)]
pub(crate) struct ConversationRow {
    id: uuid::Uuid,
    contact_id: uuid::Uuid,
    channel_id: uuid::Uuid,
    channel: String,
    status: String,
    assigned_to: Option<uuid::Uuid>,
    group_id: Option<uuid::Uuid>,
    announced: bool,
    version: i64,
    stamped_at: Option<OffsetDateTime>,
    last_message_at: OffsetDateTime,
    created_at: OffsetDateTime,
}

/// Selects the group's name, by a look-up for each conversation: the planner cannot read all groups instead.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn group_name(workspace: WorkspaceId) -> _ {
    let workspace: uuid::Uuid = workspace.uuid();
    let id: diesel::dsl::Nullable<groups::id> = groups::id.nullable();
    groups::table
        .filter(groups::workspace_id.eq(workspace))
        .filter(id.eq(conversations::group_id))
        .select(groups::name)
        .single_value()
}

/// Selects the author of a conversation's newest message, not counting its own system messages and those that
/// only tell the customer of a wait or a hand-over.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn last_role(workspace: WorkspaceId) -> _ {
    let workspace: uuid::Uuid = workspace.uuid();
    let system: &'static str = Role::System.as_str();
    let id: diesel::dsl::Nullable<messages::id> = messages::id.nullable();
    messages::table
        .filter(messages::workspace_id.eq(workspace))
        .filter(messages::conversation_id.eq(conversations::id))
        .filter(messages::role.ne(system))
        .filter(id.is_distinct_from(conversations::hand_over_message_id))
        .filter(id.is_distinct_from(conversations::wait_message_id))
        .filter(id.is_distinct_from(conversations::more_message_id))
        .order((messages::created_at.desc(), messages::id.desc()))
        .select(messages::role)
        .single_value()
}

impl ConversationRow {
    pub(crate) fn read(self, group_name: Option<String>) -> Result<Conversation, StoreError> {
        let group = self.group_id.zip(group_name);
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
