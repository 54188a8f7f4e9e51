//! Ids of conversations that were merged into another.

use diesel::{ExpressionMethods, NullableExpressionMethods, QueryDsl};
use domain::ids::{ConversationId, WorkspaceId};

use crate::{schema::conversation_aliases, sql::coalesce_id};

/// Resolves an id to the conversation that it stands for now: itself, or the one it was merged into.
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
