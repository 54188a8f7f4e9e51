//! The progress of a broadcast, counted with each change.

use std::collections::BTreeMap;

use diesel::{
    ExpressionMethods, QueryDsl, Queryable, QueryableByName, Selectable, SelectableHelper,
    sql_types::{BigInt, Uuid},
};
use domain::{
    broadcasts::{BroadcastProgress, PersonState},
    errors::StoreError,
    ids::{BroadcastId, WorkspaceId},
};
use futures_util::future::try_join5;

use super::left_out;
use crate::{
    Database,
    error::{failed, unreadable},
    schema::{broadcast_counts, broadcast_people_counts},
    sql::{RunQueryDsl, insert, statement},
    transaction::Flight,
};

/// Parts of the counts of a broadcast's messages, so that few writers wait for each other.
pub(super) const PARTS: u8 = 8;

/// Unconfirmed people whose message a status has reported: they count as sent.
pub(super) const CONFIRMED: &str = "SELECT count(*) AS people FROM (
        SELECT message_id FROM broadcast_people
        WHERE workspace_id = :workspace AND broadcast_id = :broadcast AND state = 'unconfirmed' LIMIT 10000
    ) person
    CROSS JOIN LATERAL (
        SELECT 1 FROM sends WHERE workspace_id = :workspace AND id = person.message_id AND state = 'sent' OFFSET 0
    ) send";

/// Reasons of undelivered messages, of the newest only, since each is one look-up.
pub(super) const CODES: &str = "SELECT send.error_code AS code, count(*) AS people FROM (
        SELECT message_id FROM broadcast_marks
        WHERE workspace_id = :workspace AND broadcast_id = :broadcast AND kind = 'undelivered'
        ORDER BY message_id DESC LIMIT 10000
    ) mark
    CROSS JOIN LATERAL (
        SELECT error_code FROM sends
        WHERE workspace_id = :workspace AND id = mark.message_id AND error_code IS NOT NULL OFFSET 0
    ) send
    GROUP BY send.error_code ORDER BY people DESC, code";

#[derive(Queryable, Selectable)]
#[diesel(table_name = broadcast_counts)]
struct CountsRow {
    delivered: i64,
    read: i64,
    undelivered: i64,
    answered: i64,
    stopped: i64,
}

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    people: i64,
}

#[derive(QueryableByName)]
struct CodeRow {
    #[diesel(sql_type = BigInt)]
    code: i64,
    #[diesel(sql_type = BigInt)]
    people: i64,
}

pub(super) fn count_messages(flight: &mut Flight<'_>, workspace: WorkspaceId, id: BroadcastId) {
    let parts: Vec<i16> = (0..PARTS).map(i16::from).collect();
    flight.insert(
        insert(broadcast_counts::table, workspace, &parts)
            .column(broadcast_counts::broadcast_id, |_| id.uuid())
            .column(broadcast_counts::part, |part| *part)
            .column(broadcast_counts::delivered, |_| 0_i64)
            .column(broadcast_counts::read, |_| 0_i64)
            .column(broadcast_counts::undelivered, |_| 0_i64)
            .column(broadcast_counts::answered, |_| 0_i64)
            .column(broadcast_counts::stopped, |_| 0_i64)
            .in_order_of(broadcast_counts::part)
            .on_conflict_do_nothing(),
    );
}

/// Adds to the counts of people by state and reason; a negative number takes away.
pub(super) fn count_people(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    id: BroadcastId,
    people: &BTreeMap<(String, String), i64>,
) {
    let people: Vec<_> = people.iter().collect();
    flight.insert(
        insert(broadcast_people_counts::table, workspace, &people)
            .column(broadcast_people_counts::broadcast_id, |_| id.uuid())
            .column(broadcast_people_counts::state, |((state, _), _)| state.as_str())
            .column(broadcast_people_counts::reason, |((_, reason), _)| reason.as_str())
            .column(broadcast_people_counts::people, |(_, people)| **people)
            .in_order_of(broadcast_people_counts::state)
            .in_order_of(broadcast_people_counts::reason)
            .on_conflict((
                broadcast_people_counts::broadcast_id,
                broadcast_people_counts::state,
                broadcast_people_counts::reason,
            ))
            .add_excluded(broadcast_people_counts::people),
    );
}

pub(super) async fn progress(
    database: &Database,
    workspace: WorkspaceId,
    id: BroadcastId,
) -> Result<BroadcastProgress, StoreError> {
    let connection = database.connection().await?;
    let connection = &*connection;
    let people = broadcast_people_counts::table
        .filter(broadcast_people_counts::workspace_id.eq(workspace.uuid()))
        .filter(broadcast_people_counts::broadcast_id.eq(id.uuid()))
        .filter(broadcast_people_counts::people.gt(0_i64))
        .order((broadcast_people_counts::state, broadcast_people_counts::reason))
        .select((
            broadcast_people_counts::state,
            broadcast_people_counts::reason,
            broadcast_people_counts::people,
        ))
        .load::<(String, String, i64)>(&mut { connection });
    let parts = broadcast_counts::table
        .filter(broadcast_counts::workspace_id.eq(workspace.uuid()))
        .filter(broadcast_counts::broadcast_id.eq(id.uuid()))
        .select(CountsRow::as_select())
        .load::<CountsRow>(&mut { connection });
    let confirmed = statement(CONFIRMED).of(workspace).bind::<Uuid, _>("broadcast", id.uuid());
    let confirmed = async { confirmed.get_result::<CountRow>(&mut { connection }).await };
    let codes = statement(CODES).of(workspace).bind::<Uuid, _>("broadcast", id.uuid());
    let codes = async { codes.load::<CodeRow>(&mut { connection }).await };
    let numbers = left_out::rows(connection, workspace, id);
    let (people, parts, confirmed, codes, numbers) =
        try_join5(people, parts, confirmed, codes, numbers).await.map_err(failed)?;
    let count = |count: i64| u64::try_from(count).map_err(|_| unreadable("count"));
    let of_state = |(state, reason, people): (String, String, i64)| {
        let state = PersonState::read(&state).ok_or_else(|| unreadable("state of a person"))?;
        Ok((state, (!reason.is_empty()).then_some(reason), count(people)?))
    };
    let people: Result<Vec<_>, StoreError> = people.into_iter().map(of_state).collect();
    let codes: Result<Vec<_>, StoreError> =
        codes.into_iter().map(|CodeRow { code, people }| Ok((code, count(people)?))).collect();
    let sum = |of: fn(&CountsRow) -> i64| count(parts.iter().map(of).sum());
    let mut progress = BroadcastProgress {
        people: people?,
        delivered: sum(|part| part.delivered)?,
        read: sum(|part| part.read)?,
        undelivered: sum(|part| part.undelivered)?,
        undelivered_codes: codes?,
        answered: sum(|part| part.answered)?,
        stopped: sum(|part| part.stopped)?,
        left_out: left_out::read(numbers)?,
    };
    progress.confirm(count(confirmed.people)?);
    Ok(progress)
}
