//! The rows that a decision about a conversation is based on.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, NullableExpressionMethods, QueryDsl, QueryResult,
    SelectableHelper,
    dsl::{exists, select},
};
use diesel_async::AsyncPgConnection;
use domain::{
    conversation::Group,
    conversations::{Command, DecisionContext, TeamMembership},
    errors::StoreError,
    events::Customer,
    ids::{ConversationId, GroupId, MemberId, WorkspaceId},
    messages::Role,
};
use time::OffsetDateTime;

use super::{
    alias::current_conversation,
    row::{ConversationRow, group_name, last_role},
};
use crate::{
    schema::{contacts, conversations, group_members, groups, members},
    sql::RunQueryDsl,
    stored::parse_phone,
};

#[derive(diesel::Queryable)]
pub(super) struct ContextRow {
    conversation: ConversationRow,
    group_name: Option<String>,
    moved_at: Option<OffsetDateTime>,
    customer_name: Option<String>,
    customer_phone: Option<String>,
    holder_is_here: bool,
    /// Author of its last message, not counting its own system messages and the hand-over message.
    last_role: Option<String>,
}

pub(super) fn context(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    id: ConversationId,
) -> impl Future<Output = QueryResult<ContextRow>> + Send + '_ {
    let customer =
        contacts::id.eq(conversations::contact_id).and(contacts::workspace_id.eq(workspace.uuid()));
    let holder_here = members::table
        .filter(members::workspace_id.eq(workspace.uuid()))
        .filter(members::id.nullable().eq(conversations::assigned_to))
        .filter(members::left_at.is_null())
        .select(members::id);
    conversations::table
        .inner_join(contacts::table.on(customer))
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::id.eq(current_conversation(workspace, id)))
        .select((
            ConversationRow::as_select(),
            group_name(workspace),
            conversations::moved_at,
            contacts::name,
            contacts::phone,
            exists(holder_here),
            last_role(workspace),
        ))
        .get_result(&mut { connection })
}

pub(super) fn asked_group(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    command: Command,
) -> impl Future<Output = QueryResult<Option<String>>> + Send + '_ {
    let group = groups::table
        .filter(groups::workspace_id.eq(workspace.uuid()))
        .filter(groups::id.nullable().eq(command.group().map(GroupId::uuid)))
        .select(groups::name);
    select(group.single_value()).get_result(&mut { connection })
}

/// Whether the member in a command is on the team, and in the group that it names.
pub(super) fn asked_member(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    command: Command,
) -> impl Future<Output = QueryResult<(bool, bool)>> + Send + '_ {
    let member = command.member().map(MemberId::uuid);
    let here = members::table
        .filter(members::workspace_id.eq(workspace.uuid()))
        .filter(members::id.nullable().eq(member))
        .filter(members::left_at.is_null())
        .select(members::id);
    let in_group = group_members::table
        .filter(group_members::workspace_id.eq(workspace.uuid()))
        .filter(group_members::group_id.nullable().eq(command.group().map(GroupId::uuid)))
        .filter(group_members::member_id.nullable().eq(member))
        .select(group_members::member_id);
    select((exists(here), exists(in_group))).get_result(&mut { connection })
}

impl ContextRow {
    pub(super) fn read(
        self,
        command: Command,
        asked_group: Option<String>,
        (member_is_here, member_is_in_group): (bool, bool),
    ) -> Result<DecisionContext, StoreError> {
        let conversation = self.conversation.read(self.group_name)?;
        let customer = Customer {
            id: conversation.contact,
            name: self.customer_name,
            phone: self.customer_phone.as_deref().map(parse_phone).transpose()?,
        };
        Ok(DecisionContext {
            conversation,
            customer,
            holder_is_here: self.holder_is_here,
            moved_at: self.moved_at,
            unanswered: self.last_role.as_deref() == Some(Role::Customer.as_str()),
            group: command.group().zip(asked_group).map(|(id, name)| Group { id, name }),
            member: match (member_is_here, member_is_in_group) {
                (false, _) => TeamMembership::NotOnTeam,
                (true, false) => TeamMembership::OnTeam,
                (true, true) => TeamMembership::InGroup,
            },
        })
    }
}
