//! The people of a broadcast, and the outcome of each.

use std::collections::{BTreeMap, HashMap};

use diesel::{
    ExpressionMethods, PgExpressionMethods, QueryDsl, QueryResult, QueryableByName, SelectableHelper,
    sql_types::{Array, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::{
    broadcasts::{BroadcastPerson, PersonResult, PersonState, ports::BegunSend, span_of},
    contacts::{Contact, ContactName},
    errors::StoreError,
    ids::{BroadcastId, ChannelId, ContactId, MessageId, WorkspaceId},
    live::LiveKind,
    paging::Position,
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::{
    limits::count_written_to,
    progress::count_people,
    row::{PersonRow, running},
};
use crate::{
    Database,
    contacts::ContactRow,
    error::failed,
    live::tell,
    schema::{broadcast_people, broadcasts, contact_aliases, contacts, sends},
    sql::{RunQueryDsl, first_and_last, insert, statement, storable},
};

/// Writes the outcomes of people who are still queued. The range bounds a plan that was made when there were
/// few people: people are collected together, so between the first and the last id few others are queued.
pub(super) const SETTLED: &str = "UPDATE broadcast_people
    SET state = told.state, reason = told.reason, changed_at = told.changed_at
    FROM unnest(:messages, :states, :reasons, :changed) AS told (message_id, state, reason, changed_at)
    WHERE broadcast_people.workspace_id = :workspace AND broadcast_people.broadcast_id = :broadcast
      AND broadcast_people.state = 'queued' AND broadcast_people.message_id BETWEEN :first AND :last
      AND broadcast_people.message_id = told.message_id
    RETURNING broadcast_people.message_id, broadcast_people.state, broadcast_people.reason";

#[derive(QueryableByName)]
struct SettledRow {
    #[diesel(sql_type = Uuid)]
    message_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    state: String,
    #[diesel(sql_type = Nullable<Text>)]
    reason: Option<String>,
}

pub(super) async fn collect(
    database: &Database,
    workspace: WorkspaceId,
    id: BroadcastId,
    people: &[BroadcastPerson],
    after: Option<Position>,
    reached: Option<Position>,
    at: OffsetDateTime,
) -> Result<bool, StoreError> {
    let transaction = database.transaction().await?;
    let mut connection: &AsyncPgConnection = &transaction;
    let noted = diesel::update(running(workspace, id))
        .filter(broadcasts::collected.eq(false))
        .filter(broadcasts::collected_id.is_not_distinct_from(after.map(|place| place.id)))
        .set((
            broadcasts::collected.eq(reached.is_none()),
            broadcasts::collected_at.eq(reached.map(|place| place.at)),
            broadcasts::collected_id.eq(reached.map(|place| place.id)),
        ))
        .execute(&mut connection);
    if transaction.begin_with(noted).await.map_err(failed)? == 0 {
        // The broadcast was stopped, or another node collects it; whoever continues collects these again.
        return Ok(false);
    }
    let mut flight = transaction.flight();
    flight.insert(
        insert(broadcast_people::table, workspace, people)
            .column(broadcast_people::broadcast_id, |_| id.uuid())
            .column(broadcast_people::phone, |person| person.phone.as_str())
            .column(broadcast_people::contact_id, |person| person.contact.map(ContactId::uuid))
            .column(broadcast_people::name, |person| person.name.as_ref().map(ContactName::as_str))
            .column(broadcast_people::message_id, |person| person.message.uuid())
            .column(broadcast_people::state, |_| PersonState::Queued.as_str())
            .column(broadcast_people::changed_at, |_| at)
            .in_order_of(broadcast_people::phone)
            .on_conflict_do_nothing(),
    );
    let added = transaction.send(flight.counts()).await.map_err(failed)?;
    let added: usize = added.into_iter().sum();
    let mut flight = transaction.flight();
    if added > 0 {
        let queued = (PersonState::Queued.as_str().to_owned(), String::new());
        let added = i64::try_from(added).unwrap_or(i64::MAX);
        count_people(&mut flight, workspace, id, &BTreeMap::from([(queued, added)]));
    }
    transaction.commit_with(flight.counts()).await.map_err(failed)?;
    Ok(true)
}

/// Finds the contacts that those of these ids were merged into.
async fn survivors(
    mut connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    ids: &[uuid::Uuid],
) -> QueryResult<Vec<uuid::Uuid>> {
    contact_aliases::table
        .filter(contact_aliases::workspace_id.eq(workspace.uuid()))
        .filter(contact_aliases::id.eq_any(ids))
        .select(contact_aliases::contact_id)
        .load(&mut connection)
        .await
}

pub(super) async fn count_contacts(
    database: &Database,
    workspace: WorkspaceId,
    ids: &[ContactId],
) -> Result<usize, StoreError> {
    let ids: Vec<_> = ids.iter().copied().map(ContactId::uuid).collect();
    let connection = database.connection().await?;
    let connection: &AsyncPgConnection = &connection;
    let known = contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(contacts::id.eq_any(&ids))
        .count()
        .get_result::<i64>(&mut { connection });
    let (known, former) = try_join(known, survivors(connection, workspace, &ids)).await.map_err(failed)?;
    Ok(usize::try_from(known).unwrap_or(usize::MAX).saturating_add(former.len()))
}

pub(super) async fn contacts(
    database: &Database,
    workspace: WorkspaceId,
    ids: &[ContactId],
) -> Result<Vec<Contact>, StoreError> {
    let mut ids: Vec<_> = ids.iter().copied().map(ContactId::uuid).collect();
    let connection = database.connection().await?;
    let mut connection: &AsyncPgConnection = &connection;
    ids.extend(survivors(connection, workspace, &ids).await.map_err(failed)?);
    let rows = contacts::table
        .filter(contacts::workspace_id.eq(workspace.uuid()))
        .filter(contacts::id.eq_any(ids))
        .select(ContactRow::as_select())
        .load::<ContactRow>(&mut connection)
        .await
        .map_err(failed)?;
    rows.into_iter().map(ContactRow::read).collect()
}

pub(super) async fn queued(
    database: &Database,
    workspace: WorkspaceId,
    id: BroadcastId,
    behind: Option<MessageId>,
    limit: u32,
) -> Result<Vec<BroadcastPerson>, StoreError> {
    let behind = behind.map_or(uuid::Uuid::nil(), MessageId::uuid);
    let mut connection = database.connection().await?;
    let rows = broadcast_people::table
        .filter(broadcast_people::workspace_id.eq(workspace.uuid()))
        .filter(broadcast_people::broadcast_id.eq(id.uuid()))
        .filter(broadcast_people::state.eq(PersonState::Queued.as_str()))
        .filter(broadcast_people::message_id.gt(behind))
        .order(broadcast_people::message_id)
        .limit(i64::from(limit))
        .select(PersonRow::as_select())
        .load::<PersonRow>(&mut connection)
        .await
        .map_err(failed)?;
    rows.into_iter().map(PersonRow::read).collect()
}

pub(super) async fn begun(
    database: &Database,
    workspace: WorkspaceId,
    messages: &[MessageId],
) -> Result<HashMap<MessageId, BegunSend>, StoreError> {
    let ids: Vec<_> = messages.iter().copied().map(MessageId::uuid).collect();
    let Some((first, last)) = first_and_last(ids.iter().copied()) else { return Ok(HashMap::new()) };
    let mut connection = database.connection().await?;
    let rows: Vec<(uuid::Uuid, uuid::Uuid, String, OffsetDateTime)> = sends::table
        .filter(sends::workspace_id.eq(workspace.uuid()))
        .filter(sends::id.between(first, last))
        .filter(sends::id.eq_any(ids))
        .select((sends::id, sends::channel_id, sends::state, sends::created_at))
        .load(&mut connection)
        .await
        .map_err(failed)?;
    let begun = |(id, channel, state, at): (uuid::Uuid, uuid::Uuid, String, OffsetDateTime)| {
        let by = channel.into();
        (id.into(), if state == "in_flight" { BegunSend::InFlight(by, at) } else { BegunSend::Sent(by) })
    };
    Ok(rows.into_iter().map(begun).collect())
}

pub(super) async fn settle(
    database: &Database,
    workspace: WorkspaceId,
    id: BroadcastId,
    results: &[PersonResult],
) -> Result<bool, StoreError> {
    let mut results: Vec<&PersonResult> = results.iter().collect();
    // In one order, so that two settlements of the same people cannot deadlock.
    results.sort_unstable_by_key(|result| result.message);
    let messages: Vec<uuid::Uuid> = results.iter().map(|result| result.message.uuid()).collect();
    let (first_message, last_message) = first_and_last(messages.iter().copied()).unwrap_or_default();
    let states: Vec<&str> = results.iter().map(|result| result.state.as_str()).collect();
    let reasons: Vec<Option<String>> =
        results.iter().map(|result| result.reason.as_deref().map(storable)).collect();
    let changed: Vec<OffsetDateTime> = results.iter().map(|result| result.at).collect();
    let transaction = database.transaction().await?;
    let (mut first, mut second): (&AsyncPgConnection, &AsyncPgConnection) = (&transaction, &transaction);
    let settled = statement(SETTLED)
        .of(workspace)
        .bind::<Uuid, _>("broadcast", id.uuid())
        .bind::<Array<Uuid>, _>("messages", messages)
        .bind::<Array<Text>, _>("states", states)
        .bind::<Array<Nullable<Text>>, _>("reasons", reasons)
        .bind::<Array<Timestamptz>, _>("changed", changed)
        .bind::<Uuid, _>("first", first_message)
        .bind::<Uuid, _>("last", last_message)
        .load::<SettledRow>(&mut first);
    let still_running = running(workspace, id).select(broadcasts::id).load::<uuid::Uuid>(&mut second);
    let flight = try_join(settled, still_running);
    let (settled, still_running) = transaction.begin_with(flight).await.map_err(failed)?;
    let mut moved: BTreeMap<(String, String), i64> = BTreeMap::new();
    let mut written_to: BTreeMap<(ChannelId, OffsetDateTime), i64> = BTreeMap::new();
    for SettledRow { message_id, state, reason } in settled {
        let place = results.binary_search_by_key(&message_id, |result| result.message.uuid()).ok();
        let result = place.and_then(|place| results.get(place));
        if let Some((by, at)) = result.and_then(|result| Some((result.written_by?, result.at))) {
            *written_to.entry((by, span_of(at))).or_default() += 1;
        }
        *moved.entry((state, reason.unwrap_or_default())).or_default() += 1;
        *moved.entry((PersonState::Queued.as_str().to_owned(), String::new())).or_default() -= 1;
    }
    let mut flight = transaction.flight();
    count_people(&mut flight, workspace, id, &moved);
    count_written_to(&mut flight, workspace, id, &written_to);
    tell(&mut flight, workspace, LiveKind::BroadcastsChanged, &[(None, None)]);
    transaction.commit_with(flight.counts()).await.map_err(failed)?;
    Ok(!still_running.is_empty())
}
