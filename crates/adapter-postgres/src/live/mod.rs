//! Live updates of browsers: changes as noted by statements, and feeds in which they are numbered.

mod change;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, OptionalExtension, QueryDsl, QueryResult, Queryable,
    Selectable, SelectableHelper,
};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    live::{Feed, FeedPosition, LiveEvent, LiveKind, ports::LiveStore},
};
use futures_util::future::{try_join, try_join3};
use time::OffsetDateTime;

use crate::{
    Database,
    error::failed,
    schema::{live_changes, live_events, live_feeds, workspaces},
    sql::{RunQueryDsl, first_and_last, insert},
};

pub(crate) use change::{About, tell, tell_of};

/// Live updates of browsers.
#[derive(Clone)]
pub struct PgLive {
    pub(crate) database: Database,
}

/// Most changes numbered or forgotten by one transaction.
const AT_ONCE: usize = 1_000;

#[derive(Queryable, Selectable)]
#[diesel(table_name = live_feeds)]
struct FeedRow {
    epoch: uuid::Uuid,
    last: i64,
    forgotten: i64,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = live_changes)]
struct ChangeRow {
    id: i64,
    kind: String,
    conversations: Vec<Option<uuid::Uuid>>,
    messages: Vec<Option<uuid::Uuid>>,
    member_id: Option<uuid::Uuid>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = live_events)]
struct EventRow {
    number: i64,
    kind: String,
    conversation_id: Option<uuid::Uuid>,
    message_id: Option<uuid::Uuid>,
    member_id: Option<uuid::Uuid>,
}

impl From<FeedRow> for Feed {
    fn from(FeedRow { epoch, last, forgotten }: FeedRow) -> Self {
        Self { epoch, last, forgotten }
    }
}

impl ChangeRow {
    fn events(self) -> impl Iterator<Item = EventRow> {
        let Self { kind, conversations, messages, member_id, .. } = self;
        conversations.into_iter().zip(messages).map(move |(conversation_id, message_id)| EventRow {
            number: 0,
            kind: kind.clone(),
            conversation_id,
            message_id,
            member_id,
        })
    }
}

impl EventRow {
    /// Returns `None` for a kind that only a later version knows; this node skips it.
    fn read(self) -> Option<LiveEvent> {
        Some(LiveEvent {
            number: self.number,
            kind: LiveKind::read(&self.kind)?,
            conversation: self.conversation_id.map(Into::into),
            message: self.message_id.map(Into::into),
            member: self.member_id.map(Into::into),
        })
    }
}

/// Locks the feed until the transaction ends. Numbering and forgetting hold this lock and read only after
/// taking it: all changes committed before are then visible, and numbered once.
fn lock(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
) -> impl Future<Output = QueryResult<Option<FeedRow>>> + Send + '_ {
    let locked = live_feeds::table
        .filter(live_feeds::workspace_id.eq(workspace.uuid()))
        .select(FeedRow::as_select())
        .for_update()
        .get_result(&mut { connection });
    async { locked.await.optional() }
}

impl PgLive {
    /// Numbers the next changes; returns the feed and whether more may follow. `None` if there is no feed.
    async fn number_some(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
    ) -> Result<Option<(Feed, bool)>, StoreError> {
        let transaction = self.database.transaction().await?;
        let changes = live_changes::table
            .filter(live_changes::workspace_id.eq(workspace.uuid()))
            .order(live_changes::id)
            .limit(rows(AT_ONCE))
            .select(ChangeRow::as_select())
            .load(&mut &*transaction);
        let first = try_join(lock(&transaction, workspace), changes);
        let (feed, changes) = transaction.begin_with(first).await.map_err(failed)?;
        let Some(mut feed) = feed else { return Ok(None) };
        let Some((first, last)) = first_and_last(changes.iter().map(|change| change.id)) else {
            transaction.commit().await?;
            return Ok(Some((feed.into(), false)));
        };
        let more = changes.len() == AT_ONCE;
        let ids: Vec<i64> = changes.iter().map(|change| change.id).collect();
        let mut events: Vec<EventRow> = changes.into_iter().flat_map(ChangeRow::events).collect();
        for event in &mut events {
            feed.last += 1;
            event.number = feed.last;
        }
        let mut flight = transaction.flight();
        // A lower id may still be committed later, and is left.
        flight.add(
            diesel::delete(live_changes::table)
                .filter(live_changes::workspace_id.eq(workspace.uuid()))
                .filter(live_changes::id.between(first, last))
                .filter(live_changes::id.eq_any(ids)),
        );
        flight.insert(
            insert(live_events::table, workspace, &events)
                .column(live_events::number, |event| event.number)
                .column(live_events::kind, |event| event.kind.as_str())
                .column(live_events::conversation_id, |event| event.conversation_id)
                .column(live_events::message_id, |event| event.message_id)
                .column(live_events::member_id, |event| event.member_id)
                .column(live_events::at, |_| now),
        );
        flight.add(
            diesel::update(live_feeds::table)
                .filter(live_feeds::workspace_id.eq(workspace.uuid()))
                .set(live_feeds::last.eq(feed.last)),
        );
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(Some((feed.into(), more)))
    }
}

#[async_trait]
impl LiveStore for PgLive {
    async fn open(
        &self,
        workspace: WorkspaceId,
        epoch: uuid::Uuid,
        now: OffsetDateTime,
    ) -> Result<Feed, StoreError> {
        if let Some(feed) = self.number(workspace, now).await? {
            return Ok(feed);
        }
        let mut connection = self.database.connection().await?;
        diesel::insert_into(live_feeds::table)
            .values((live_feeds::workspace_id.eq(workspace.uuid()), live_feeds::epoch.eq(epoch)))
            .on_conflict_do_nothing()
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        self.number(workspace, now).await?.ok_or(StoreError::Stale)
    }

    async fn position(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
    ) -> Result<Option<FeedPosition>, StoreError> {
        let waiting = live_changes::table
            .filter(live_changes::workspace_id.eq(workspace.uuid()))
            .order(live_changes::id)
            .select(live_changes::id);
        let mut connection = self.database.connection().await?;
        let found: Option<(FeedRow, Option<i64>)> = live_feeds::table
            .filter(live_feeds::workspace_id.eq(workspace.uuid()))
            .select((FeedRow::as_select(), waiting.single_value()))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        drop(connection);
        let feed: Option<Feed> = match found {
            Some((_, Some(_))) => {
                self.number_some(workspace, now).await?.filter(|(_, more)| !more).map(|(feed, _)| feed)
            }
            found => found.map(|(feed, _)| feed.into()),
        };
        Ok(feed.map(|feed| feed.end()))
    }

    async fn number(&self, workspace: WorkspaceId, now: OffsetDateTime) -> Result<Option<Feed>, StoreError> {
        loop {
            match self.number_some(workspace, now).await? {
                Some((_, true)) => {}
                numbered => return Ok(numbered.map(|(feed, _)| feed)),
            }
        }
    }

    async fn stirred(&self, seen: &[(WorkspaceId, i64)]) -> Result<Vec<WorkspaceId>, StoreError> {
        let asked: Vec<_> = seen.iter().map(|(workspace, _)| workspace.uuid()).collect();
        // One look-up of the oldest row in each workspace.
        let waiting = live_changes::table
            .filter(live_changes::workspace_id.eq(live_feeds::workspace_id))
            .order(live_changes::id)
            .select(live_changes::id);
        let mut connection = self.database.connection().await?;
        let feeds: QueryResult<Vec<(uuid::Uuid, i64, Option<i64>)>> = live_feeds::table
            .filter(live_feeds::workspace_id.eq_any(asked))
            .select((live_feeds::workspace_id, live_feeds::last, waiting.single_value()))
            .load(&mut connection)
            .await;
        // No feed has this number, so each is examined.
        let unknown = |workspace| (workspace, -1, None);
        let feeds = self.database.or_living(&mut connection, feeds, unknown).await?;
        let is_as_seen = |(workspace, number): &(WorkspaceId, i64)| {
            feeds
                .iter()
                .any(|(of, last, waiting)| *of == workspace.uuid() && last == number && waiting.is_none())
        };
        Ok(seen.iter().filter(|seen| !is_as_seen(seen)).map(|(workspace, _)| *workspace).collect())
    }

    async fn events(
        &self,
        workspace: WorkspaceId,
        after: i64,
        most: u32,
    ) -> Result<Vec<LiveEvent>, StoreError> {
        let mut connection = self.database.connection().await?;
        let mut after = after;
        loop {
            let events: Vec<EventRow> = live_events::table
                .filter(live_events::workspace_id.eq(workspace.uuid()))
                .filter(live_events::number.gt(after))
                .order(live_events::number)
                .limit(i64::from(most))
                .select(EventRow::as_select())
                .load(&mut connection)
                .await
                .map_err(failed)?;
            let Some(last) = events.last().map(|event| event.number) else { return Ok(Vec::new()) };
            let known: Vec<LiveEvent> = events.into_iter().filter_map(EventRow::read).collect();
            if !known.is_empty() {
                return Ok(known);
            }
            after = last;
        }
    }

    async fn stale(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        // One look-up of the oldest row in each workspace.
        let event = live_events::table
            .filter(live_events::workspace_id.eq(workspaces::workspace_id))
            .order(live_events::number)
            .select(live_events::at);
        let change = live_changes::table
            .filter(live_changes::workspace_id.eq(workspaces::workspace_id))
            .order(live_changes::id)
            .select(live_changes::at);
        let mut connection = self.database.connection().await?;
        let stale: Vec<uuid::Uuid> = workspaces::table
            .filter(event.single_value().lt(before).or(change.single_value().lt(before)))
            .select(workspaces::workspace_id)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(stale.into_iter().map(Into::into).collect())
    }

    async fn forget(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError> {
        let transaction = self.database.transaction().await?;
        let events = live_events::table
            .filter(live_events::workspace_id.eq(workspace.uuid()))
            .order(live_events::number)
            .limit(rows(AT_ONCE))
            .select((live_events::number, live_events::at))
            .load::<(i64, OffsetDateTime)>(&mut &*transaction);
        let changes = live_changes::table
            .filter(live_changes::workspace_id.eq(workspace.uuid()))
            .order(live_changes::id)
            .limit(rows(AT_ONCE))
            .select((live_changes::id, live_changes::at))
            .load::<(i64, OffsetDateTime)>(&mut &*transaction);
        let oldest = try_join3(lock(&transaction, workspace), events, changes);
        let (feed, events, changes) = transaction.begin_with(oldest).await.map_err(failed)?;
        let old = |of: Vec<(i64, OffsetDateTime)>| -> Vec<i64> {
            of.into_iter().filter(|(_, at)| *at < before).map(|(number, _)| number).collect()
        };
        let (events, changes) = (old(events), old(changes));
        let mut flight = transaction.flight();
        if let Some((first, last)) = first_and_last(events.iter().copied()) {
            flight.add(
                diesel::delete(live_events::table)
                    .filter(live_events::workspace_id.eq(workspace.uuid()))
                    .filter(live_events::number.between(first, last))
                    .filter(live_events::number.eq_any(events.clone())),
            );
        }
        if let Some((first, last)) = first_and_last(changes.iter().copied()) {
            flight.add(
                diesel::delete(live_changes::table)
                    .filter(live_changes::workspace_id.eq(workspace.uuid()))
                    .filter(live_changes::id.between(first, last))
                    .filter(live_changes::id.eq_any(changes.clone())),
            );
        }
        if let Some(feed) = feed.filter(|_| !(events.is_empty() && changes.is_empty())) {
            let feed = feed.after_forgetting(&events, &changes);
            flight.add(
                diesel::update(live_feeds::table)
                    .filter(live_feeds::workspace_id.eq(workspace.uuid()))
                    .set((live_feeds::last.eq(feed.last), live_feeds::forgotten.eq(feed.forgotten))),
            );
        }
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(events.len().max(changes.len()) == AT_ONCE)
    }
}

impl FeedRow {
    /// Skips a number for forgotten changes without numbers, which readers who knew all before them notice.
    fn after_forgetting(self, events: &[i64], changes: &[i64]) -> Self {
        let forgotten = events.iter().copied().fold(self.forgotten, i64::max);
        if changes.is_empty() {
            return Self { forgotten, ..self };
        }
        Self { last: self.last + 1, forgotten: self.last + 1, ..self }
    }
}

fn rows(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
