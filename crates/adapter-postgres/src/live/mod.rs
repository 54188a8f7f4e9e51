//! What teams hear of at once: changes as statements write them down, and feeds in which they are numbered.

mod change;
mod changes;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Array, BigInt, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    live::{Feed, LiveEvent, LiveKind, ports::LiveStore},
};
use time::OffsetDateTime;

use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
    webhooks::Count,
};

pub(crate) use change::tell;
pub(crate) use changes::live_change;

/// Rows that one statement numbers or forgets.
const AT_ONCE: i64 = 1_000;

const OPEN: &str =
    "INSERT INTO live_feeds (workspace_id, epoch) VALUES ($1, $2) ON CONFLICT (workspace_id) DO NOTHING";

/// Whoever numbers or forgets holds this to the end of their transaction, and reads only after they have it: what was
/// committed before is then seen, and numbered by one alone.
const LOCK: &str = "SELECT epoch, last, forgotten FROM live_feeds WHERE workspace_id = $1 FOR UPDATE";

/// Changes in the order of their ids, of each change what is about one conversation after the other.
const NUMBER: &str = "
    WITH taken AS (
        DELETE FROM live_changes WHERE workspace_id = $1 AND id = ANY(ARRAY(
            SELECT id FROM live_changes WHERE workspace_id = $1 ORDER BY id LIMIT $4))
        RETURNING id, kind, conversations, messages
    ), numbered AS (
        INSERT INTO live_events (workspace_id, number, kind, conversation_id, message_id, at)
        SELECT $1, $2 + row_number() OVER (ORDER BY taken.id, change.place), taken.kind, change.conversation_id,
               change.message_id, $3
        FROM taken, unnest(taken.conversations, taken.messages)
             WITH ORDINALITY AS change (conversation_id, message_id, place)
        RETURNING number
    ), moved AS (
        UPDATE live_feeds SET last = last + (SELECT count(*) FROM numbered)
        WHERE workspace_id = $1 AND EXISTS (SELECT FROM numbered)
    )
    SELECT count(*) FROM taken";

const FEED: &str = "SELECT epoch, last, forgotten FROM live_feeds WHERE workspace_id = $1";

const STIRRED: &str = "
    SELECT asked.workspace_id FROM unnest($1, $2) AS asked (workspace_id, seen)
    WHERE coalesce((SELECT last <> asked.seen FROM live_feeds WHERE workspace_id = asked.workspace_id), true)
       OR (SELECT id FROM live_changes WHERE workspace_id = asked.workspace_id ORDER BY id LIMIT 1) IS NOT NULL";

const EVENTS: &str = "
    SELECT number, kind, conversation_id, message_id FROM live_events
    WHERE workspace_id = $1 AND number > $2 ORDER BY number LIMIT $3";

/// One look at each workspace's oldest.
const STALE: &str = "
    SELECT workspace_id FROM workspaces workspace
    WHERE (SELECT at FROM live_events WHERE workspace_id = workspace.workspace_id ORDER BY number LIMIT 1) < $1
       OR (SELECT at FROM live_changes WHERE workspace_id = workspace.workspace_id ORDER BY id LIMIT 1) < $1";

const FORGET_EVENTS: &str = "
    WITH gone AS (
        DELETE FROM live_events WHERE workspace_id = $1 AND number = ANY(ARRAY(
            SELECT number FROM (
                SELECT number, at FROM live_events WHERE workspace_id = $1 ORDER BY number LIMIT $3) oldest
            WHERE at < $2))
        RETURNING number
    ), moved AS (
        UPDATE live_feeds SET forgotten = greatest(forgotten, (SELECT max(number) FROM gone))
        WHERE workspace_id = $1 AND EXISTS (SELECT FROM gone)
    )
    SELECT count(*) FROM gone";

/// Changes that nobody had numbered: whoever was told all before them is passed over by one number.
const FORGET_CHANGES: &str = "
    WITH gone AS (
        DELETE FROM live_changes WHERE workspace_id = $1 AND id = ANY(ARRAY(
            SELECT id FROM (
                SELECT id, at FROM live_changes WHERE workspace_id = $1 ORDER BY id LIMIT $3) oldest
            WHERE at < $2))
        RETURNING id
    ), moved AS (
        UPDATE live_feeds SET last = last + 1, forgotten = last + 1
        WHERE workspace_id = $1 AND EXISTS (SELECT FROM gone)
    )
    SELECT count(*) FROM gone";

#[derive(QueryableByName)]
struct FeedRow {
    #[diesel(sql_type = Uuid)]
    epoch: uuid::Uuid,
    #[diesel(sql_type = BigInt)]
    last: i64,
    #[diesel(sql_type = BigInt)]
    forgotten: i64,
}

#[derive(QueryableByName)]
struct EventRow {
    #[diesel(sql_type = BigInt)]
    number: i64,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Nullable<Uuid>)]
    conversation_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Uuid>)]
    message_id: Option<uuid::Uuid>,
}

#[derive(QueryableByName)]
struct WorkspaceRow {
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
}

impl From<FeedRow> for Feed {
    fn from(FeedRow { epoch, last, forgotten }: FeedRow) -> Self {
        Self { epoch, last, forgotten }
    }
}

impl EventRow {
    fn read(self) -> Result<LiveEvent, StoreError> {
        Ok(LiveEvent {
            number: self.number,
            kind: LiveKind::read(&self.kind).ok_or_else(|| unreadable("kind"))?,
            conversation: self.conversation_id.map(Into::into),
            message: self.message_id.map(Into::into),
        })
    }
}

impl PgStore {
    /// Numbers one lot; whether there may be more. `None` when the feed is gone.
    async fn number_some(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
    ) -> Result<Option<bool>, StoreError> {
        let mut transaction = self.begin().await?;
        let feed: Option<FeedRow> = sql(LOCK)
            .bind::<Uuid, _>(workspace.uuid())
            .get_result(&mut transaction)
            .await
            .optional()
            .map_err(failed)?;
        let Some(feed) = feed else { return Ok(None) };
        let taken: Count = sql(NUMBER)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<BigInt, _>(feed.last)
            .bind::<Timestamptz, _>(now)
            .bind::<BigInt, _>(AT_ONCE)
            .get_result(&mut transaction)
            .await
            .map_err(failed)?;
        transaction.commit().await?;
        Ok(Some(taken.count == AT_ONCE))
    }
}

#[async_trait]
impl LiveStore for PgStore {
    async fn open(
        &self,
        workspace: WorkspaceId,
        epoch: uuid::Uuid,
        now: OffsetDateTime,
    ) -> Result<Feed, StoreError> {
        if let Some(feed) = self.number(workspace, now).await? {
            return Ok(feed);
        }
        let mut connection = self.connection().await?;
        sql(OPEN)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(epoch)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        self.number(workspace, now).await?.ok_or(StoreError::Stale)
    }

    async fn number(&self, workspace: WorkspaceId, now: OffsetDateTime) -> Result<Option<Feed>, StoreError> {
        while self.number_some(workspace, now).await?.is_some_and(|more| more) {}
        let mut connection = self.connection().await?;
        let feed: Option<FeedRow> = sql(FEED)
            .bind::<Uuid, _>(workspace.uuid())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        Ok(feed.map(Feed::from))
    }

    async fn stirred(&self, seen: &[(WorkspaceId, i64)]) -> Result<Vec<WorkspaceId>, StoreError> {
        let (workspaces, numbers): (Vec<_>, Vec<_>) =
            seen.iter().map(|(workspace, number)| (workspace.uuid(), *number)).unzip();
        let mut connection = self.connection().await?;
        let rows: Vec<WorkspaceRow> = sql(STIRRED)
            .bind::<Array<Uuid>, _>(workspaces)
            .bind::<Array<BigInt>, _>(numbers)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(rows.into_iter().map(|row| row.workspace_id.into()).collect())
    }

    async fn events(
        &self,
        workspace: WorkspaceId,
        after: i64,
        most: u32,
    ) -> Result<Vec<LiveEvent>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<EventRow> = sql(EVENTS)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<BigInt, _>(after)
            .bind::<BigInt, _>(i64::from(most))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(EventRow::read).collect()
    }

    async fn stale(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<WorkspaceRow> =
            sql(STALE).bind::<Timestamptz, _>(before).load(&mut connection).await.map_err(failed)?;
        Ok(rows.into_iter().map(|row| row.workspace_id.into()).collect())
    }

    async fn forget(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let _: Option<FeedRow> = sql(LOCK)
            .bind::<Uuid, _>(workspace.uuid())
            .get_result(&mut transaction)
            .await
            .optional()
            .map_err(failed)?;
        let mut gone = 0;
        for statement in [FORGET_EVENTS, FORGET_CHANGES] {
            let forgotten: Count = sql(statement)
                .bind::<Uuid, _>(workspace.uuid())
                .bind::<Timestamptz, _>(before)
                .bind::<BigInt, _>(AT_ONCE)
                .get_result(&mut transaction)
                .await
                .map_err(failed)?;
            gone = forgotten.count.max(gone);
        }
        transaction.commit().await?;
        Ok(gone == AT_ONCE)
    }
}
