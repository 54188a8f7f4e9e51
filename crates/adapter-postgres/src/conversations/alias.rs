//! Ids of conversations that have become one with another.

use diesel::{ExpressionMethods, NullableExpressionMethods, QueryDsl};
use domain::ids::{ConversationId, WorkspaceId};

use crate::{schema::conversation_aliases, sql::coalesce_id};

/// The conversation that an id names by now: its own, or that of the one it has become one with.
#[diesel::dsl::auto_type(no_type_alias)]
pub(crate) fn current_conversation(workspace: WorkspaceId, id: ConversationId) -> _ {
    let workspace: uuid::Uuid = workspace.uuid();
    let id: uuid::Uuid = id.uuid();
    let now: diesel::dsl::Nullable<conversation_aliases::conversation_id> =
        conversation_aliases::conversation_id.nullable();
    coalesce_id(
        conversation_aliases::table
            .filter(conversation_aliases::workspace_id.eq(workspace))
            .filter(conversation_aliases::id.eq(id))
            .select(now)
            .single_value(),
        id,
    )
}
