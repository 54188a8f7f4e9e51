//! Sends that a person's reading has not reached yet, as far as we know.

use diesel::{
    BoolExpressionMethods, ExpressionMethods, NullableExpressionMethods, QueryDsl, QueryResult, Queryable,
    Selectable, SelectableHelper,
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::ids::{ConversationId, WorkspaceId};
use futures_util::future::try_join;
use time::{OffsetDateTime, macros::datetime};

use crate::schema::{messages, sends};

/// No send is from later.
const LAST: OffsetDateTime = datetime!(9999-12-31 23:59:59 UTC);

#[derive(Queryable, Selectable)]
#[diesel(table_name = sends)]
pub(super) struct BehindRow {
    pub(super) id: uuid::Uuid,
    pub(super) network_id_sealed: Option<Vec<u8>>,
}

/// What is asked of a conversation: what was sent in one of these states up to a time. What is still under way counts
/// from `recently` on. Without a time, what was read is not known, and may be all that is under way.
pub(super) struct Watermark<'a> {
    pub(super) conversation: ConversationId,
    pub(super) before: &'a [&'a str],
    pub(super) time: Option<OffsetDateTime>,
    pub(super) recently: OffsetDateTime,
}

/// When a message was sent or recorded, by the hash of its network's id.
pub(super) async fn time_of(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    message: &[u8],
) -> QueryResult<Option<OffsetDateTime>> {
    let sent = sends::table
        .filter(sends::workspace_id.eq(workspace.uuid()))
        .filter(sends::network_id_hash.eq(message))
        .select(sends::created_at)
        .limit(1)
        .load::<OffsetDateTime>(&mut { connection });
    let written = messages::table
        .filter(messages::workspace_id.eq(workspace.uuid()))
        .filter(messages::network_id_hash.eq(message))
        .select(messages::created_at)
        .limit(1)
        .load::<OffsetDateTime>(&mut { connection });
    let (sent, written) = try_join(sent, written).await?;
    Ok(sent.into_iter().chain(written).next())
}

/// The sends, the oldest first. Only of pages and accounts, whose sends have no number, are there watermarks. A send that
/// was begun recently and is still under way may be among those that were read.
pub(super) async fn rows(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    watermark: Watermark<'_>,
) -> QueryResult<Vec<BehindRow>> {
    let is_taken = sends::network_id_sealed.is_not_null();
    let is_under_way = sends::network_id_sealed.is_null().and(sends::created_at.gt(watermark.recently));
    let is_read = is_taken
        .and(sends::created_at.nullable().le(watermark.time))
        .or(is_under_way.and(sends::created_at.le(watermark.time.unwrap_or(LAST))));
    sends::table
        .filter(sends::workspace_id.eq(workspace.uuid()))
        .filter(sends::conversation_id.eq(watermark.conversation.uuid()))
        .filter(sends::behind)
        .filter(sends::status.eq_any(watermark.before))
        .filter(is_read)
        .order(sends::created_at)
        .select(BehindRow::as_select())
        .load(&mut { connection })
        .await
}
