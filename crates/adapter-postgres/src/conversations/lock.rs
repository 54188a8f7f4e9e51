//! Locking a conversation for the times of its events.

use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, QueryResult};
use diesel_async::AsyncPgConnection;
use domain::ids::{ConversationId, WorkspaceId};
use time::OffsetDateTime;

use crate::{schema::conversations, sql::RunQueryDsl};

/// Locks the conversation and loads the latest time stamped on something in it; `None` if it does not exist.
pub(crate) async fn lock_conversation(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    conversation: ConversationId,
) -> QueryResult<Option<Option<OffsetDateTime>>> {
    conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::id.eq(conversation.uuid()))
        .select(conversations::stamped_at)
        .for_no_key_update()
        .get_result(&mut connection)
        .await
        .optional()
}

pub(crate) fn stamp(
    flight: &mut crate::transaction::Flight<'_>,
    workspace: WorkspaceId,
    conversation: ConversationId,
    at: OffsetDateTime,
) {
    flight.add(
        diesel::update(conversations::table)
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::id.eq(conversation.uuid()))
            .set(conversations::stamped_at.eq(at)),
    );
}
