//! Removal of updates from the journal, and their postponement.

use std::collections::HashMap;

use diesel::{ExpressionMethods, QueryDsl, QueryResult, Queryable, Selectable, SelectableHelper};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
    inbound::{SetAside, Settlement},
};
use time::OffsetDateTime;

use crate::{
    error::failed,
    inbound::PgInbound,
    schema::{journal, quarantine},
    sql::{RunQueryDsl, first_and_last, storable, update},
    transaction::Flight,
};

/// Selects those of these updates that the holder holds.
///
/// Includes the range of keys: the journal is empty most of the time, and a plan made then would read all of
/// a workspace's rows for a list of keys. Ids are in the order of their making, and what is handled together
/// came together.
#[diesel::dsl::auto_type(no_type_alias)]
pub(super) fn held(workspace: WorkspaceId, holder: i32, updates: &[JournalId]) -> _ {
    let workspace: uuid::Uuid = workspace.uuid();
    let ids: Vec<uuid::Uuid> = updates.iter().map(|id| id.uuid()).collect();
    let range: Option<(uuid::Uuid, uuid::Uuid)> = first_and_last(ids.iter().copied());
    let first: uuid::Uuid = range.unwrap_or_default().0;
    let last: uuid::Uuid = range.unwrap_or_default().1;
    journal::table
        .filter(journal::workspace_id.eq(workspace))
        .filter(journal::holder.eq(holder))
        .filter(journal::id.between(first, last))
        .filter(journal::id.eq_any(ids))
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = journal)]
struct TakenOut {
    id: uuid::Uuid,
    item_sealed: Vec<u8>,
    received_at: OffsetDateTime,
}

impl PgInbound {
    pub(super) async fn settle_held(
        &self,
        workspace: WorkspaceId,
        Settlement { handled, postponed, set_aside }: &Settlement,
    ) -> Result<(), StoreError> {
        let holder = self.holder();
        if postponed.is_empty() && set_aside.is_empty() {
            let mut connection = self.database.connection().await?;
            let gone = diesel::delete(held(workspace, holder, handled)).execute(&mut connection);
            return gone.await.map(drop).map_err(failed);
        }
        let transaction = self.database.transaction().await?;
        let aside: HashMap<_, _> = set_aside.iter().map(|entry| (entry.id, entry)).collect();
        let taken_out = if aside.is_empty() {
            Vec::new()
        } else {
            let ids: Vec<JournalId> = aside.keys().copied().collect();
            transaction.begin_with(take_out(&transaction, workspace, holder, &ids)).await.map_err(failed)?
        };
        let mut flight = transaction.flight();
        if !handled.is_empty() {
            flight.add(diesel::delete(held(workspace, holder, handled)));
        }
        postpone(&mut flight, workspace, holder, postponed);
        for row in &taken_out {
            if let Some(entry) = aside.get(&row.id.into()) {
                keep(&mut flight, workspace, entry, row);
            }
        }
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(())
    }
}

fn take_out<'c>(
    connection: &'c AsyncPgConnection,
    workspace: WorkspaceId,
    holder: i32,
    updates: &[JournalId],
) -> impl Future<Output = QueryResult<Vec<TakenOut>>> + Send + use<'c> {
    diesel::delete(held(workspace, holder, updates))
        .returning(TakenOut::as_returning())
        .load(&mut { connection })
}

/// Schedules updates again, which lose their place.
fn postpone(
    flight: &mut Flight<'_>,
    workspace: WorkspaceId,
    holder: i32,
    postponed: &[(JournalId, OffsetDateTime)],
) {
    let Some(ids) = first_and_last(postponed.iter().map(|(id, _)| id.uuid())) else { return };
    flight.update(
        update(journal::table, workspace, postponed)
            .key(journal::id, |(id, _)| id.uuid())
            .guard(journal::holder, |_| holder)
            .set(journal::due_at, |(_, due_at)| *due_at)
            .set(journal::holder, |_| 0)
            .within(journal::id, ids),
    );
}

/// Moves an update to the quarantine. It stays sealed as it is, since some cannot be opened.
fn keep(flight: &mut Flight<'_>, workspace: WorkspaceId, entry: &SetAside, row: &TakenOut) {
    flight.add(diesel::insert_into(quarantine::table).values((
        quarantine::reason.eq(storable(&entry.reason)),
        quarantine::payload_sealed.eq(row.item_sealed.clone()),
        quarantine::received_at.eq(row.received_at),
        quarantine::workspace_id.eq(workspace.uuid()),
        quarantine::update_id.eq(row.id),
        quarantine::network.eq(entry.network.map(domain::channels::ChannelKind::as_str)),
    )));
}
