//! How far a broadcast is, counted with each change.

use std::collections::BTreeMap;

use diesel::{
    ExpressionMethods, QueryDsl, QueryResult, Queryable, QueryableByName, Selectable, SelectableHelper,
    sql_types::{Array, BigInt, Bool, Nullable, SmallInt, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    broadcasts::{ANSWERED_WITHIN, BroadcastProgress, PersonState},
    errors::StoreError,
    ids::{BroadcastId, ContactId, WorkspaceId},
    inbound::StatusChange,
    phone::PhoneNumber,
};
use futures_util::future::try_join5;
use time::OffsetDateTime;

use super::left_out;
use crate::{
    Database,
    error::{failed, unreadable},
    schema::{broadcast_counts, broadcast_people_counts},
    sql::{insert, statement},
    transaction::Flight,
};

/// Parts that the counts of a broadcast's messages have, so that few wait for each other.
const PARTS: u8 = 8;

/// Of whom nobody knew whether the network has their message counts as sent once a status has told.
pub(super) const CONFIRMED: &str = "SELECT count(*) AS people FROM (
        SELECT message_id FROM broadcast_people
        WHERE workspace_id = :workspace AND broadcast_id = :broadcast AND state = 'unconfirmed' LIMIT 10000
    ) person
    CROSS JOIN LATERAL (
        SELECT 1 FROM sends WHERE workspace_id = :workspace AND id = person.message_id AND state = 'sent' OFFSET 0
    ) send";

/// Why the network could not deliver what it took: of the newest, since each is looked up by itself.
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

/// What statuses tell of messages that are of a broadcast: whoever sends otherwise may name any reference. Each message is
/// looked up by itself.
pub(super) const TOLD: &str = "WITH told AS (
        SELECT told.broadcast, told.message, told.delivered, told.read, told.failed_at
        FROM unnest(:broadcasts, :messages, :delivered, :read, :failed)
            AS told (broadcast, message, delivered, read, failed_at)
        WHERE EXISTS (SELECT 1 FROM broadcast_people WHERE workspace_id = :workspace
                      AND broadcast_id = told.broadcast AND message_id = told.message OFFSET 0)
    ), marked AS (
        INSERT INTO broadcast_marks (workspace_id, broadcast_id, kind, message_id, marked_at)
        SELECT :workspace, broadcast, 'undelivered', message, failed_at FROM told WHERE failed_at IS NOT NULL
        ORDER BY broadcast, message ON CONFLICT DO NOTHING RETURNING broadcast_id
    )
    UPDATE broadcast_counts SET
        delivered = broadcast_counts.delivered + sums.delivered, read = broadcast_counts.read + sums.read,
        undelivered = broadcast_counts.undelivered
            + (SELECT count(*) FROM marked WHERE marked.broadcast_id = sums.broadcast)
    FROM (
        SELECT broadcast, count(*) FILTER (WHERE delivered) AS delivered, count(*) FILTER (WHERE read) AS read
        FROM told GROUP BY broadcast
    ) sums
    WHERE broadcast_counts.workspace_id = :workspace AND broadcast_counts.broadcast_id = sums.broadcast
      AND broadcast_counts.part = :part";

/// Whether any of these people were in a broadcast that came to them lately.
pub(super) const HAS_ANSWERED: &str = "SELECT EXISTS (
        SELECT 1 FROM unnest(:contacts) AS wrote (contact)
        CROSS JOIN LATERAL (
            SELECT phone FROM contacts WHERE workspace_id = :workspace AND id = wrote.contact OFFSET 0
        ) contact
        CROSS JOIN LATERAL (
            SELECT changed_at FROM broadcast_people
            WHERE workspace_id = :workspace AND phone = contact.phone OFFSET 0
        ) person
        WHERE person.changed_at > :since
    ) AS has_answered";

/// Whoever writes soon after a broadcast's message has answered it. Their message may be on its way to being
/// written down as sent.
pub(super) const ANSWERED: &str = "WITH marked AS (
        INSERT INTO broadcast_marks (workspace_id, broadcast_id, kind, message_id, marked_at)
        SELECT :workspace, person.broadcast_id, 'answered', person.message_id, :at
        FROM unnest(:contacts) AS wrote (contact)
        CROSS JOIN LATERAL (
            SELECT phone FROM contacts WHERE workspace_id = :workspace AND id = wrote.contact OFFSET 0
        ) contact
        CROSS JOIN LATERAL (
            SELECT broadcast_id, message_id, state, changed_at FROM broadcast_people
            WHERE workspace_id = :workspace AND phone = contact.phone OFFSET 0
        ) person
        WHERE person.changed_at > :since
          AND (person.state IN ('sent', 'unconfirmed') OR EXISTS (
              SELECT 1 FROM sends WHERE workspace_id = :workspace AND id = person.message_id))
        ORDER BY person.broadcast_id, person.message_id ON CONFLICT DO NOTHING RETURNING broadcast_id
    )
    UPDATE broadcast_counts SET answered = broadcast_counts.answered + sums.people
    FROM (SELECT broadcast_id, count(*) AS people FROM marked GROUP BY broadcast_id) sums
    WHERE broadcast_counts.workspace_id = :workspace AND broadcast_counts.broadcast_id = sums.broadcast_id
      AND broadcast_counts.part = :part";

/// Whoever stops marketing has stopped it since each broadcast's message that they got.
pub(super) const STOPPED: &str = "WITH marked AS (
        INSERT INTO broadcast_marks (workspace_id, broadcast_id, kind, message_id, marked_at)
        SELECT :workspace, broadcast_id, 'stopped', message_id, :at FROM broadcast_people person
        WHERE workspace_id = :workspace AND phone = :phone AND changed_at > :since
          AND (state IN ('sent', 'unconfirmed') OR EXISTS (
              SELECT 1 FROM sends WHERE workspace_id = :workspace AND id = person.message_id))
        ORDER BY broadcast_id, message_id ON CONFLICT DO NOTHING RETURNING broadcast_id
    )
    UPDATE broadcast_counts SET stopped = broadcast_counts.stopped + sums.people
    FROM (SELECT broadcast_id, count(*) AS people FROM marked GROUP BY broadcast_id) sums
    WHERE broadcast_counts.workspace_id = :workspace AND broadcast_counts.broadcast_id = sums.broadcast_id
      AND broadcast_counts.part = :part";

/// What is counted of a broadcast's messages, in one of the parts.
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

/// Which part somebody adds to.
fn part(id: uuid::Uuid) -> i16 {
    i16::from(id.as_bytes().last().copied().unwrap_or_default() % PARTS)
}

/// Begins to count a broadcast's messages.
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
            .or_nothing(),
    );
}

/// Counts people who came to a state, or left one where the number is below 0.
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
            .or_change(broadcast_people_counts::broadcast_id)
            .or_change(broadcast_people_counts::state)
            .or_change(broadcast_people_counts::reason)
            .adding(broadcast_people_counts::people),
    );
}

/// Counts what statuses tell of broadcasts' messages: of each change, the reference that the send has.
pub(crate) fn statuses_told<'c>(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    changes: impl Iterator<Item = (&'c StatusChange, &'c str)>,
) {
    let (mut broadcasts, mut messages) = (Vec::new(), Vec::new());
    let (mut delivered, mut read, mut failed_at) = (Vec::new(), Vec::new(), Vec::new());
    for (change, reference) in changes {
        let Ok(broadcast) = reference.parse::<BroadcastId>() else { continue };
        let (before, after) = (&change.before, &change.after);
        let came =
            |delivered: Option<OffsetDateTime>, read: Option<OffsetDateTime>| delivered.or(read).is_some();
        broadcasts.push(broadcast.uuid());
        messages.push(change.id.uuid());
        delivered.push(came(after.delivered_at, after.read_at) && !came(before.delivered_at, before.read_at));
        read.push(after.read_at.is_some() && before.read_at.is_none());
        failed_at.push(after.failed_at.filter(|_| before.failed_at.is_none()));
    }
    let Some(part) = messages.as_slice().first().copied().map(part) else { return };
    flight.add(
        statement(TOLD)
            .of(workspace)
            .bind::<Array<Uuid>, _>("broadcasts", broadcasts)
            .bind::<Array<Uuid>, _>("messages", messages)
            .bind::<Array<Bool>, _>("delivered", delivered)
            .bind::<Array<Bool>, _>("read", read)
            .bind::<Array<Nullable<Timestamptz>>, _>("failed", failed_at)
            .bind::<SmallInt, _>("part", part),
    );
}

/// Whoever got a message after it has answered it at this time.
fn answered_since(at: OffsetDateTime) -> OffsetDateTime {
    at.checked_sub(ANSWERED_WITHIN).unwrap_or(at)
}

#[derive(QueryableByName)]
struct HasAnsweredRow {
    #[diesel(sql_type = Bool)]
    has_answered: bool,
}

/// Whether any of these people may have got what they answer. It is asked first: on a cluster what notes it commits in two
/// phases, and hardly any message is an answer to a broadcast.
pub(crate) async fn have_answered(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    contacts: &[ContactId],
    at: OffsetDateTime,
) -> QueryResult<bool> {
    if contacts.is_empty() {
        return Ok(false);
    }
    let contacts: Vec<uuid::Uuid> = contacts.iter().copied().map(ContactId::uuid).collect();
    let found: HasAnsweredRow = statement(HAS_ANSWERED)
        .of(workspace)
        .bind::<Array<Uuid>, _>("contacts", contacts)
        .bind::<Timestamptz, _>("since", answered_since(at))
        .get_result(&mut { connection })
        .await?;
    Ok(found.has_answered)
}

/// Notes that these people wrote.
pub(crate) fn people_answered(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    contacts: &[ContactId],
    at: OffsetDateTime,
) {
    let contacts: Vec<uuid::Uuid> = contacts.iter().copied().map(ContactId::uuid).collect();
    let Some(part) = contacts.as_slice().first().copied().map(part) else { return };
    flight.add(
        statement(ANSWERED)
            .of(workspace)
            .bind::<Array<Uuid>, _>("contacts", contacts)
            .bind::<Timestamptz, _>("at", at)
            .bind::<Timestamptz, _>("since", answered_since(at))
            .bind::<SmallInt, _>("part", part),
    );
}

/// Notes that somebody wants no marketing.
pub(super) fn person_stopped(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    phone: &PhoneNumber,
    at: OffsetDateTime,
) {
    flight.add(
        statement(STOPPED)
            .of(workspace)
            .bind::<Text, _>("phone", phone.as_str().to_owned())
            .bind::<Timestamptz, _>("at", at)
            .bind::<Timestamptz, _>("since", answered_since(at))
            .bind::<SmallInt, _>("part", 0),
    );
}

/// How far a broadcast is.
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
