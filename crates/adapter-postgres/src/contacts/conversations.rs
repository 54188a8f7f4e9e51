//! The conversations of a contact, which browsers are told of.

use diesel::{ExpressionMethods, QueryDsl, QueryResult};
use diesel_async::AsyncPgConnection;
use domain::ids::{ContactId, ConversationId, WorkspaceId};
use futures_util::future::TryFutureExt;

use crate::{live::About, schema::conversations, sql::RunQueryDsl};

pub(super) fn conversations_with(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    contact: ContactId,
) -> impl Future<Output = QueryResult<Vec<About>>> + Send + '_ {
    let found = conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::contact_id.eq(contact.uuid()))
        .select(conversations::id)
        .load::<uuid::Uuid>(&mut { connection });
    found.map_ok(|ids| ids.into_iter().map(|id| (Some(ConversationId::from(id)), None)).collect())
}
