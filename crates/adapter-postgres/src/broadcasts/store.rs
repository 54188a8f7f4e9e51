//! The store of broadcasts: writing, changing state, claiming.

use std::collections::{HashMap, HashSet};

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, SelectableHelper, dsl::exists};
use diesel_async::AsyncPgConnection;
use domain::{
    audit::AuditEntry,
    broadcasts::{
        Audience, Bar, Broadcast, BroadcastContent, BroadcastPerson, BroadcastProgress, BroadcastState,
        LeftOutNumber, PeopleFilter, PersonResult, Prices, due_at,
        ports::{BegunSend, BroadcastStore, FoundPeople, StateChange},
    },
    contacts::Contact,
    errors::StoreError,
    ids::{BroadcastId, ChannelId, ContactId, GroupId, MessageId, WorkspaceId},
    live::LiveKind,
    paging::{PageRequest, Position},
};
use futures_util::future::try_join;
use time::{Duration, OffsetDateTime};

use super::{
    PgBroadcasts, left_out,
    limits::forget_written_to,
    listed, people,
    progress::{self, count_messages},
    row::{BroadcastRow, running},
};
use crate::{
    audit::audit,
    bounds,
    error::{failed, unreadable},
    live::tell,
    schema::{broadcast_people, broadcast_prices, broadcasts, contacts, conversations, groups, workspaces},
    sql::{RunQueryDsl, after, insert, storable},
    transaction::Flight,
};

fn written<T: serde::Serialize>(value: &T) -> Result<serde_json::Value, StoreError> {
    serde_json::to_value(value).map_err(|_| unreadable("broadcast"))
}

#[derive(diesel::AsChangeset)]
#[diesel(table_name = broadcasts, treat_none_as_null = true)]
struct Moved {
    state: &'static str,
    reason: Option<String>,
    starts_at: Option<OffsetDateTime>,
    ended_at: Option<OffsetDateTime>,
    due_at: Option<OffsetDateTime>,
    limited_until: Option<OffsetDateTime>,
}

impl Moved {
    fn by(change: &StateChange, entry: &AuditEntry) -> Self {
        Self {
            state: change.to.as_str(),
            reason: change.reason.map(|reason| reason.as_str().to_owned()),
            starts_at: change.starts_at,
            ended_at: change.to.is_over().then_some(change.at),
            due_at: due_at(change, entry.actor),
            // Whoever continues it computes the limit anew.
            limited_until: None,
        }
    }
}

/// Retention of the counts of people written to, longer than the network's window.
const WRITTEN_TO_IS_KEPT: Duration = Duration::days(2);

/// Adds what goes with a change of state: empty counts and the return of all numbers where it is to be sent,
/// the entry of the log, and the notification of browsers.
fn beside_move(flight: &mut Flight<'_>, workspace: WorkspaceId, change: &StateChange, entry: &AuditEntry) {
    if matches!(change.to, BroadcastState::Scheduled | BroadcastState::Running) {
        count_messages(flight, workspace, change.broadcast);
        left_out::take_back_all(flight, workspace, change.broadcast);
    }
    forget_written_to(flight, workspace, change.at - WRITTEN_TO_IS_KEPT);
    audit(flight, workspace, entry);
    tell(flight, workspace, LiveKind::BroadcastsChanged, &[(None, None)]);
}

/// States in which a broadcast is claimed and continued.
const IN_HAND: [&str; 2] = [BroadcastState::Scheduled.as_str(), BroadcastState::Running.as_str()];
const OVER: [&str; 2] = [BroadcastState::Finished.as_str(), BroadcastState::Cancelled.as_str()];

#[async_trait]
impl BroadcastStore for PgBroadcasts {
    async fn list(&self, workspace: WorkspaceId, page: PageRequest) -> Result<Vec<Broadcast>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows = broadcasts::table
            .filter(broadcasts::workspace_id.eq(workspace.uuid()))
            .filter(after(broadcasts::created_at, broadcasts::id, page.after))
            .order((broadcasts::created_at.desc(), broadcasts::id.desc()))
            .limit(i64::from(page.limit.rows()) + 1)
            .select(BroadcastRow::as_select())
            .load::<BroadcastRow>(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(BroadcastRow::read).collect()
    }

    async fn find(&self, workspace: WorkspaceId, id: BroadcastId) -> Result<Option<Broadcast>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row = broadcasts::table
            .filter(broadcasts::workspace_id.eq(workspace.uuid()))
            .filter(broadcasts::id.eq(id.uuid()))
            .select(BroadcastRow::as_select())
            .get_result::<BroadcastRow>(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        row.map(BroadcastRow::read).transpose()
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        broadcast: &Broadcast,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let (content, audience) = (written(&broadcast.content)?, written(&broadcast.audience)?);
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let held = bounds::in_turn(&transaction, workspace);
        let open = broadcasts::table
            .filter(broadcasts::workspace_id.eq(workspace.uuid()))
            .filter(broadcasts::state.ne_all(OVER))
            .select(broadcasts::id)
            .limit(i64::from(most))
            .load::<uuid::Uuid>(&mut connection);
        let (_, open) = transaction.begin_with(try_join(held, open)).await.map_err(failed)?;
        if open.len() >= usize::try_from(most).unwrap_or(usize::MAX) {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        flight.add(diesel::insert_into(broadcasts::table).values((
            broadcasts::workspace_id.eq(workspace.uuid()),
            broadcasts::id.eq(broadcast.id.uuid()),
            broadcasts::name.eq(storable(&broadcast.name)),
            broadcasts::state.eq(broadcast.state.as_str()),
            broadcasts::content.eq(content),
            broadcasts::audience.eq(audience),
            broadcasts::author_id.eq(broadcast.author.uuid()),
            broadcasts::created_at.eq(broadcast.created_at),
            broadcasts::collected.eq(false),
        )));
        audit(&mut flight, workspace, entry);
        tell(&mut flight, workspace, LiveKind::BroadcastsChanged, &[(None, None)]);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn edit(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        name: &str,
        content: &BroadcastContent,
        audience: &Audience,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let (content, audience) = (written(content)?, written(audience)?);
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let edited = diesel::update(broadcasts::table)
            .filter(broadcasts::workspace_id.eq(workspace.uuid()))
            .filter(broadcasts::id.eq(id.uuid()))
            .filter(broadcasts::state.eq(BroadcastState::Draft.as_str()))
            .set((
                broadcasts::name.eq(storable(name)),
                broadcasts::content.eq(content),
                broadcasts::audience.eq(audience),
            ))
            .execute(&mut connection);
        if transaction.begin_with(edited).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        audit(&mut flight, workspace, entry);
        tell(&mut flight, workspace, LiveKind::BroadcastsChanged, &[(None, None)]);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn remove(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let removed = diesel::delete(broadcasts::table)
            .filter(broadcasts::workspace_id.eq(workspace.uuid()))
            .filter(broadcasts::id.eq(id.uuid()))
            .filter(broadcasts::state.eq(BroadcastState::Draft.as_str()))
            .execute(&mut connection);
        if transaction.begin_with(removed).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        audit(&mut flight, workspace, entry);
        tell(&mut flight, workspace, LiveKind::BroadcastsChanged, &[(None, None)]);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn change(
        &self,
        workspace: WorkspaceId,
        change: &StateChange,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let changed = diesel::update(broadcasts::table)
            .filter(broadcasts::workspace_id.eq(workspace.uuid()))
            .filter(broadcasts::id.eq(change.broadcast.uuid()))
            .filter(broadcasts::state.eq(change.from.as_str()))
            .set(Moved::by(change, entry))
            .execute(&mut connection);
        if transaction.begin_with(changed).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        beside_move(&mut flight, workspace, change, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn start(
        &self,
        workspace: WorkspaceId,
        change: &StateChange,
        checked: &Broadcast,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let kept = broadcasts::table
            .filter(broadcasts::workspace_id.eq(workspace.uuid()))
            .filter(broadcasts::id.eq(change.broadcast.uuid()))
            .filter(broadcasts::state.eq(change.from.as_str()))
            .select(BroadcastRow::as_select())
            .for_no_key_update()
            .load::<BroadcastRow>(&mut connection);
        let kept = transaction.begin_with(kept).await.map_err(failed)?;
        let Some(kept) = kept.into_iter().next() else { return Ok(false) };
        let kept = kept.read()?;
        if (&kept.content, &kept.audience) != (&checked.content, &checked.audience) {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        flight.add(
            diesel::update(broadcasts::table)
                .filter(broadcasts::workspace_id.eq(workspace.uuid()))
                .filter(broadcasts::id.eq(change.broadcast.uuid()))
                .set(Moved::by(change, entry)),
        );
        beside_move(&mut flight, workspace, change, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn workspaces_with_broadcasts(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        let due = broadcasts::table
            .filter(broadcasts::workspace_id.eq(workspaces::workspace_id))
            .filter(broadcasts::due_at.le(now))
            .select(broadcasts::id);
        self.database.workspaces(exists(due)).await
    }

    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
    ) -> Result<Option<Broadcast>, StoreError> {
        let mut connection = self.database.connection().await?;
        let found: Option<(Option<OffsetDateTime>, BroadcastRow)> = broadcasts::table
            .filter(broadcasts::workspace_id.eq(workspace.uuid()))
            .filter(broadcasts::due_at.le(now))
            .order(broadcasts::due_at)
            .limit(1)
            .select((broadcasts::due_at, BroadcastRow::as_select()))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        let Some((due_at, row)) = found else { return Ok(None) };
        let broadcast = row.read()?;
        let claimed = diesel::update(broadcasts::table)
            .filter(broadcasts::workspace_id.eq(workspace.uuid()))
            .filter(broadcasts::id.eq(broadcast.id.uuid()))
            .filter(broadcasts::due_at.eq(due_at))
            .filter(broadcasts::state.eq_any(IN_HAND))
            .set(broadcasts::due_at.eq(lease_until))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok((claimed > 0).then_some(broadcast))
    }

    async fn postpone(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let postponed = diesel::update(running(workspace, id))
            .set(broadcasts::due_at.eq(at))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(postponed > 0)
    }

    async fn wait(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        limited_until: Option<OffsetDateTime>,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let mut connection: &AsyncPgConnection = &transaction;
        let noted = diesel::update(running(workspace, id))
            .set((broadcasts::limited_until.eq(limited_until), broadcasts::due_at.eq(at)))
            .execute(&mut connection);
        if transaction.begin_with(noted).await.map_err(failed)? == 0 {
            return Ok(false);
        }
        let mut flight = transaction.flight();
        tell(&mut flight, workspace, LiveKind::BroadcastsChanged, &[(None, None)]);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn left_out(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
    ) -> Result<Vec<LeftOutNumber>, StoreError> {
        left_out::left_out(&self.database, workspace, id).await
    }

    async fn leave_out(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        numbers: &[ChannelId],
        bar: Bar,
        at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        left_out::leave_out(&self.database, workspace, id, numbers, bar, at).await
    }

    async fn collect(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        people: &[BroadcastPerson],
        after: Option<Position>,
        reached: Option<Position>,
        at: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        people::collect(&self.database, workspace, id, people, after, reached, at).await
    }

    async fn in_group(
        &self,
        workspace: WorkspaceId,
        group: GroupId,
        of: &[ContactId],
    ) -> Result<HashSet<ContactId>, StoreError> {
        let ids: Vec<_> = of.iter().copied().map(ContactId::uuid).collect();
        let mut connection = self.database.connection().await?;
        // `OFFSET 0` forces a look-up for each contact, instead of reading all of the group's conversations.
        let in_its_hands = conversations::table
            .filter(conversations::workspace_id.eq(workspace.uuid()))
            .filter(conversations::contact_id.eq(contacts::id))
            .filter(conversations::group_id.eq(group.uuid()))
            .select(conversations::id)
            .offset(0);
        let rows: Vec<uuid::Uuid> = contacts::table
            .filter(contacts::workspace_id.eq(workspace.uuid()))
            .filter(contacts::id.eq_any(ids))
            .filter(exists(in_its_hands))
            .select(contacts::id)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    async fn has_group(&self, workspace: WorkspaceId, group: GroupId) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let found = groups::table
            .filter(groups::workspace_id.eq(workspace.uuid()))
            .filter(groups::id.eq(group.uuid()))
            .select(groups::id);
        diesel::select(exists(found)).get_result(&mut connection).await.map_err(failed)
    }

    async fn prices(&self, workspace: WorkspaceId) -> Result<Option<Prices>, StoreError> {
        let mut connection = self.database.connection().await?;
        let kept: Option<serde_json::Value> = broadcast_prices::table
            .filter(broadcast_prices::workspace_id.eq(workspace.uuid()))
            .select(broadcast_prices::prices)
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        kept.map(|kept| serde_json::from_value(kept).map_err(|_| unreadable("prices"))).transpose()
    }

    async fn set_prices(
        &self,
        workspace: WorkspaceId,
        prices: &Prices,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let prices = [written(prices)?];
        let transaction = self.database.transaction().await?;
        let mut flight = transaction.flight();
        flight.insert(
            insert(broadcast_prices::table, workspace, &prices)
                .column(broadcast_prices::prices, Clone::clone)
                .on_conflict(())
                .set_excluded(broadcast_prices::prices),
        );
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map(drop).map_err(failed)
    }

    async fn count_contacts(&self, workspace: WorkspaceId, ids: &[ContactId]) -> Result<usize, StoreError> {
        people::count_contacts(&self.database, workspace, ids).await
    }

    async fn contacts(&self, workspace: WorkspaceId, ids: &[ContactId]) -> Result<Vec<Contact>, StoreError> {
        people::contacts(&self.database, workspace, ids).await
    }

    async fn queued(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        behind: Option<MessageId>,
        limit: u32,
    ) -> Result<Vec<BroadcastPerson>, StoreError> {
        people::queued(&self.database, workspace, id, behind, limit).await
    }

    async fn begun(
        &self,
        workspace: WorkspaceId,
        messages: &[MessageId],
    ) -> Result<HashMap<MessageId, BegunSend>, StoreError> {
        people::begun(&self.database, workspace, messages).await
    }

    async fn settle(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        results: &[PersonResult],
    ) -> Result<bool, StoreError> {
        people::settle(&self.database, workspace, id, results).await
    }

    async fn progress(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
    ) -> Result<BroadcastProgress, StoreError> {
        progress::progress(&self.database, workspace, id).await
    }

    async fn people(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        filter: &PeopleFilter,
        rows: u32,
        before: Option<MessageId>,
    ) -> Result<FoundPeople, StoreError> {
        listed::people(&self.database, workspace, id, filter, rows, before).await
    }

    async fn is_of(
        &self,
        workspace: WorkspaceId,
        id: BroadcastId,
        message: MessageId,
    ) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let found = broadcast_people::table
            .filter(broadcast_people::workspace_id.eq(workspace.uuid()))
            .filter(broadcast_people::broadcast_id.eq(id.uuid()))
            .filter(broadcast_people::message_id.eq(message.uuid()))
            .select(broadcast_people::message_id);
        diesel::select(exists(found)).get_result(&mut connection).await.map_err(failed)
    }

    async fn names(
        &self,
        workspace: WorkspaceId,
        ids: &[BroadcastId],
    ) -> Result<HashMap<BroadcastId, String>, StoreError> {
        let ids: Vec<_> = ids.iter().copied().map(BroadcastId::uuid).collect();
        let mut connection = self.database.connection().await?;
        let rows: Vec<(uuid::Uuid, String)> = broadcasts::table
            .filter(broadcasts::workspace_id.eq(workspace.uuid()))
            .filter(broadcasts::id.eq_any(ids))
            .select((broadcasts::id, broadcasts::name))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(rows.into_iter().map(|(id, name)| (id.into(), name)).collect())
    }
}
