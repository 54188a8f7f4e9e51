//! Sends that a person has not read yet, as far as known.

use diesel::{
    QueryResult, QueryableByName,
    sql_types::{Array, Binary, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::ids::{ConversationId, WorkspaceId};
use time::OffsetDateTime;

use crate::sql::{RunQueryDsl, statement};

/// Watermarks come only from pages and accounts, whose sends have no number. A recent send that is still
/// under way may be among those read.
pub(super) const BEHIND: &str = "
    WITH up_to AS MATERIALIZED (
        SELECT coalesce(
            :time,
            (SELECT named.created_at FROM sends named
             WHERE named.workspace_id = :workspace AND named.network_id_hash = :message),
            (SELECT named.created_at FROM messages named
             WHERE named.workspace_id = :workspace AND named.network_id_hash = :message)) AS at
    )
    SELECT id, network_id_sealed FROM sends
    WHERE workspace_id = :workspace AND conversation_id = :conversation AND behind AND status = ANY(:before)
      AND CASE WHEN network_id_sealed IS NOT NULL THEN created_at <= (SELECT at FROM up_to)
               ELSE created_at > :recently AND created_at <= coalesce((SELECT at FROM up_to), 'infinity') END
    ORDER BY created_at";

#[derive(QueryableByName)]
pub(super) struct BehindRow {
    #[diesel(sql_type = Uuid)]
    pub(super) id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Binary>)]
    pub(super) network_id_sealed: Option<Vec<u8>>,
}

/// A watermark of a conversation: it covers sends in one of the states `before`, up to a time, or up to a
/// message by the hash of its network id. Sends still under way count from `recently` on.
pub(super) struct Watermark<'a> {
    pub(super) conversation: ConversationId,
    pub(super) before: &'a [&'a str],
    pub(super) time: Option<OffsetDateTime>,
    pub(super) message: Option<Vec<u8>>,
    pub(super) recently: OffsetDateTime,
}

pub(super) async fn rows(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    watermark: Watermark<'_>,
) -> QueryResult<Vec<BehindRow>> {
    statement(BEHIND)
        .of(workspace)
        .bind::<Uuid, _>("conversation", watermark.conversation.uuid())
        .bind::<Array<Text>, _>("before", watermark.before)
        .bind::<Nullable<Timestamptz>, _>("time", watermark.time)
        .bind::<Nullable<Binary>, _>("message", watermark.message)
        .bind::<Timestamptz, _>("recently", watermark.recently)
        .load(&mut { connection })
        .await
}
