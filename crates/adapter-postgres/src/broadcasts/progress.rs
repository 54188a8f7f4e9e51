//! How far a broadcast is.

use diesel::{
    QueryableByName,
    sql_types::{BigInt, Nullable, Text, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    broadcasts::{BroadcastProgress, PersonState},
    errors::StoreError,
    ids::{BroadcastId, WorkspaceId},
};
use futures_util::future::try_join;

use super::PgBroadcasts;
use crate::{
    error::{failed, unreadable},
    sql::statement,
};

/// Of whom nobody knew whether the network has their message counts as sent once a status has told.
pub(super) const PEOPLE: &str = "SELECT state, reason, count(*) AS people FROM (
        SELECT CASE WHEN state = 'unconfirmed' THEN coalesce((
                   SELECT 'sent' FROM sends
                   WHERE workspace_id = :workspace AND id = person.message_id AND state = 'sent'), state)
               ELSE state END AS state, reason
        FROM broadcast_people person WHERE workspace_id = :workspace AND broadcast_id = :broadcast
    ) told GROUP BY state, reason ORDER BY state, reason";

/// A message that was read came to a phone, though nobody has said so. Look-ups that a person decides stand in sub-selects
/// of their own, which keeps the planner from reading a table for all at once.
pub(super) const MESSAGES: &str = "SELECT
        count(*) FILTER (WHERE coalesce(send.delivered_at, send.read_at) IS NOT NULL) AS delivered,
        count(*) FILTER (WHERE send.read_at IS NOT NULL) AS read,
        count(*) FILTER (WHERE send.failed_at IS NOT NULL) AS undelivered,
        count(*) FILTER (WHERE conversation.customer_wrote_at > send.created_at) AS answered,
        count(*) FILTER (WHERE stop.stopped_at > send.created_at) AS stopped
    FROM broadcast_people person
    CROSS JOIN LATERAL (
        SELECT created_at, delivered_at, read_at, failed_at FROM sends
        WHERE workspace_id = :workspace AND id = person.message_id OFFSET 0
    ) send
    LEFT JOIN LATERAL (
        SELECT conversation_id FROM messages
        WHERE workspace_id = :workspace AND id = person.message_id OFFSET 0
    ) message ON true
    LEFT JOIN LATERAL (
        SELECT customer_wrote_at FROM conversations
        WHERE workspace_id = :workspace AND id = message.conversation_id OFFSET 0
    ) conversation ON true
    LEFT JOIN LATERAL (
        SELECT stopped_at FROM marketing_stops
        WHERE workspace_id = :workspace AND phone = person.phone OFFSET 0
    ) stop ON true
    WHERE person.workspace_id = :workspace AND person.broadcast_id = :broadcast";

#[derive(QueryableByName)]
struct PeopleRow {
    #[diesel(sql_type = Text)]
    state: String,
    #[diesel(sql_type = Nullable<Text>)]
    reason: Option<String>,
    #[diesel(sql_type = BigInt)]
    people: i64,
}

#[derive(QueryableByName)]
struct MessagesRow {
    #[diesel(sql_type = BigInt)]
    delivered: i64,
    #[diesel(sql_type = BigInt)]
    read: i64,
    #[diesel(sql_type = BigInt)]
    undelivered: i64,
    #[diesel(sql_type = BigInt)]
    answered: i64,
    #[diesel(sql_type = BigInt)]
    stopped: i64,
}

impl PgBroadcasts {
    pub(super) async fn progress_of(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
    ) -> Result<BroadcastProgress, StoreError> {
        let connection = self.database.connection().await?;
        let (mut first, mut second) = (&*connection, &*connection);
        let people = statement(PEOPLE).of(workspace).bind::<Uuid, _>("broadcast", id.uuid());
        let messages = statement(MESSAGES).of(workspace).bind::<Uuid, _>("broadcast", id.uuid());
        let people = people.load::<PeopleRow>(&mut first);
        let messages = messages.get_result::<MessagesRow>(&mut second);
        let (people, messages) = try_join(people, messages).await.map_err(failed)?;
        let count = |count: i64| u64::try_from(count).map_err(|_| unreadable("count"));
        let of_state = |row: PeopleRow| {
            let state = PersonState::read(&row.state).ok_or_else(|| unreadable("state of a person"))?;
            Ok((state, row.reason, count(row.people)?))
        };
        Ok(BroadcastProgress {
            people: people.into_iter().map(of_state).collect::<Result<_, StoreError>>()?,
            delivered: count(messages.delivered)?,
            read: count(messages.read)?,
            undelivered: count(messages.undelivered)?,
            answered: count(messages.answered)?,
            stopped: count(messages.stopped)?,
        })
    }
}
