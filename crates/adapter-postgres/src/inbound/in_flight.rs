//! Sends of pages and accounts whose outcome is still unknown.

use diesel::{ExpressionMethods, NullableExpressionMethods, QueryDsl, QueryResult, SelectableHelper};
use diesel_async::AsyncPgConnection;
use domain::{
    contacts::Identity,
    ids::{ChannelId, WorkspaceId},
};

use crate::{
    schema::{conversations, identities, sends, uploads},
    sending::{LedgerRow, ledger_of},
    sql::RunQueryDsl,
};

const AT_MOST: i64 = 100;

/// Loads a person's sends in flight over one connection, with the kinds of their files, by the index of those
/// that a watermark may still move forward.
pub(super) async fn rows(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    channel: ChannelId,
    person: &Identity,
) -> QueryResult<Vec<(LedgerRow, Option<String>)>> {
    let contact = identities::table
        .filter(identities::workspace_id.eq(workspace.uuid()))
        .filter(identities::kind.eq(person.kind()))
        .filter(identities::value.eq(person.value()))
        .select(identities::contact_id)
        .single_value();
    let conversation = conversations::table
        .filter(conversations::workspace_id.eq(workspace.uuid()))
        .filter(conversations::contact_id.nullable().eq(contact))
        .filter(conversations::channel_id.eq(channel.uuid()))
        .select(conversations::id)
        .single_value();
    let file = uploads::table
        .filter(uploads::workspace_id.eq(workspace.uuid()))
        .filter(uploads::message_id.eq(sends::id.nullable()))
        .select(uploads::kind)
        .single_value();
    ledger_of(workspace)
        .filter(sends::conversation_id.eq(conversation))
        .filter(sends::behind)
        .filter(sends::state.eq("in_flight"))
        .order((sends::created_at, sends::id))
        .limit(AT_MOST)
        .select((LedgerRow::as_select(), file))
        .load(&mut { connection })
        .await
}
