//! Whom a broadcast goes to, and what became of each.

use std::collections::{BTreeMap, HashMap};

use diesel::{ExpressionMethods, PgExpressionMethods, QueryDsl, SelectableHelper};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    broadcasts::{BroadcastPerson, BroadcastState, PersonResult, PersonState, ports::BegunSend},
    contacts::{Contact, ContactName},
    errors::StoreError,
    ids::{BroadcastId, ContactId, MessageId, WorkspaceId},
    live::LiveKind,
    paging::Position,
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::{PgBroadcasts, progress::count_people, row::PersonRow};
use crate::{
    contacts::ContactRow,
    error::failed,
    live::tell,
    schema::{broadcast_people, broadcasts, contacts, sends},
    sql::{first_and_last, insert, storable, update},
};

impl PgBroadcasts {
    pub(super) async fn add_people(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        people: &[BroadcastPerson],
        after: Option<Position>,
        reached: Option<Position>,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let noted = diesel::update(broadcasts::table)
            .filter(broadcasts::workspace_id.eq(workspace.uuid()))
            .filter(broadcasts::id.eq(id.uuid()))
            .filter(broadcasts::state.eq(BroadcastState::Running.as_str()))
            .filter(broadcasts::collected.eq(false))
            .filter(broadcasts::collected_id.is_not_distinct_from(after.map(|place| place.id)))
            .set((
                broadcasts::collected.eq(reached.is_none()),
                broadcasts::collected_at.eq(reached.map(|place| place.at)),
                broadcasts::collected_id.eq(reached.map(|place| place.id)),
            ))
            .execute(&mut connection);
        if transaction.begin_with(noted).await.map_err(failed)? == 0 {
            // Somebody has stopped it, or collects it too: whoever goes on collects them again.
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
                .or_nothing(),
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

    pub(super) async fn chosen(
        &self,
        workspace: WorkspaceId,
        ids: &[ContactId],
    ) -> Result<Vec<Contact>, StoreError> {
        let ids: Vec<_> = ids.iter().copied().map(ContactId::uuid).collect();
        let mut connection = self.database.connection().await?;
        let rows = contacts::table
            .filter(contacts::workspace_id.eq(workspace.uuid()))
            .filter(contacts::id.eq_any(ids))
            .select(ContactRow::as_select())
            .load::<ContactRow>(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(ContactRow::read).collect()
    }

    pub(super) async fn queued_people(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        behind: Option<MessageId>,
        limit: u32,
    ) -> Result<Vec<BroadcastPerson>, StoreError> {
        let behind = behind.map_or(uuid::Uuid::nil(), MessageId::uuid);
        let mut connection = self.database.connection().await?;
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

    pub(super) async fn begun_sends(
        &self,
        workspace: WorkspaceId,
        messages: &[MessageId],
    ) -> Result<HashMap<MessageId, BegunSend>, StoreError> {
        let ids: Vec<_> = messages.iter().copied().map(MessageId::uuid).collect();
        let Some((first, last)) = first_and_last(ids.iter().copied()) else { return Ok(HashMap::new()) };
        let mut connection = self.database.connection().await?;
        let rows: Vec<(uuid::Uuid, String, OffsetDateTime)> = sends::table
            .filter(sends::workspace_id.eq(workspace.uuid()))
            .filter(sends::id.between(first, last))
            .filter(sends::id.eq_any(ids))
            .select((sends::id, sends::state, sends::created_at))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let begun = |(id, state, at): (uuid::Uuid, String, OffsetDateTime)| {
            (id.into(), if state == "in_flight" { BegunSend::InFlight(at) } else { BegunSend::Sent })
        };
        Ok(rows.into_iter().map(begun).collect())
    }

    pub(super) async fn settle_people(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        results: &[PersonResult],
    ) -> Result<bool, StoreError> {
        let mut results: Vec<&PersonResult> = results.iter().collect();
        results.sort_unstable_by(|one, other| one.phone.as_str().cmp(other.phone.as_str()));
        let transaction = self.database.transaction().await?;
        let (mut first, mut second): (&AsyncPgConnection, &AsyncPgConnection) = (&transaction, &transaction);
        let settled = update(broadcast_people::table, workspace, &results)
            .key(broadcast_people::phone, |result| result.phone.as_str())
            .key(broadcast_people::broadcast_id, |_| id.uuid())
            .set(broadcast_people::reason, |result| result.reason.as_deref().map(storable))
            .set(broadcast_people::changed_at, |result| result.at)
            .set(broadcast_people::state, |result| result.state.as_str())
            .when("broadcast_people.state = 'queued'")
            .returning((broadcast_people::state, broadcast_people::reason))
            .load(&mut first);
        let running = broadcasts::table
            .filter(broadcasts::workspace_id.eq(workspace.uuid()))
            .filter(broadcasts::id.eq(id.uuid()))
            .filter(broadcasts::state.eq(BroadcastState::Running.as_str()))
            .select(broadcasts::id)
            .load(&mut second);
        let flight = try_join(settled, running);
        let (settled, running): (Vec<(String, Option<String>)>, Vec<uuid::Uuid>) =
            transaction.begin_with(flight).await.map_err(failed)?;
        let mut moved: BTreeMap<(String, String), i64> = BTreeMap::new();
        for (state, reason) in settled {
            *moved.entry((state, reason.unwrap_or_default())).or_default() += 1;
            *moved.entry((PersonState::Queued.as_str().to_owned(), String::new())).or_default() -= 1;
        }
        let mut flight = transaction.flight();
        count_people(&mut flight, workspace, id, &moved);
        tell(&mut flight, workspace, LiveKind::BroadcastsChanged, &[(None, None)]);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(!running.is_empty())
    }
}
