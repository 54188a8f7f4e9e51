//! Claiming updates from the journal.

use diesel::{ExpressionMethods, QueryDsl, QueryResult, Queryable, Selectable, SelectableHelper};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
};
use futures_util::future::{try_join, try_join3};
use time::OffsetDateTime;

use super::settle::held;
use crate::{
    error::failed,
    inbound::PgInbound,
    schema::{journal, journal_hands},
    sql::{RunQueryDsl, first_and_last, set_config},
};

pub(super) struct Due {
    pub(super) workspace: WorkspaceId,
    pub(super) now: OffsetDateTime,
    pub(super) lease_until: OffsetDateTime,
    /// Most updates in their places, and most that have lost them.
    pub(super) limit: i64,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = journal)]
pub(super) struct EntryRow {
    pub(super) id: uuid::Uuid,
    pub(super) item_sealed: Vec<u8>,
    pub(super) attempts: i32,
    pub(super) received_at: OffsetDateTime,
    pub(super) place: i64,
    /// Set for an update that has lost its place.
    pub(super) due_at: Option<OffsetDateTime>,
}

impl PgInbound {
    /// Claims updates if this process holds the workspace's journal; `None` if it does not. Updates that have
    /// lost their place are claimed when they are due.
    pub(super) async fn take_up(&self, own: i32, due: &Due) -> Result<Option<Vec<EntryRow>>, StoreError> {
        let transaction = self.database.transaction().await?;
        let connection = &*transaction;
        let found = try_join3(due.lock_hand(connection, own), due.in_place(connection), due.late(connection));
        let (hand, in_place, late) = transaction.begin_with(found).await.map_err(failed)?;
        if hand.is_empty() || in_place.is_empty() && late.is_empty() {
            transaction.commit().await?;
            return Ok((!hand.is_empty()).then(Vec::new));
        }
        // Does not wait for the disk: an update claimed twice, as the server lost a claim, is handled once.
        let unsynced =
            diesel::select(set_config("synchronous_commit", "off", true)).execute(&mut { connection });
        let taken = try_join(due.take(connection, own, &in_place), due.lease(connection, own, &late));
        let (_, (mut rows, late)) =
            transaction.commit_with(try_join(unsynced, taken)).await.map_err(failed)?;
        rows.extend(late);
        Ok(Some(rows))
    }
}

impl Due {
    /// Locks the journal's holder against a change: the next holder then sees what is claimed now.
    async fn lock_hand(&self, connection: &AsyncPgConnection, own: i32) -> QueryResult<Vec<i32>> {
        journal_hands::table
            .filter(journal_hands::workspace_id.eq(self.workspace.uuid()))
            .filter(journal_hands::holder.eq(own))
            .select(journal_hands::holder)
            .for_share()
            .load(&mut { connection })
            .await
    }

    async fn in_place(&self, connection: &AsyncPgConnection) -> QueryResult<Vec<uuid::Uuid>> {
        journal::table
            .filter(journal::workspace_id.eq(self.workspace.uuid()))
            .filter(journal::holder.eq(0))
            .filter(journal::due_at.is_null())
            .order(journal::place)
            .limit(self.limit)
            .select(journal::id)
            .load(&mut { connection })
            .await
    }

    async fn late(
        &self,
        connection: &AsyncPgConnection,
    ) -> QueryResult<Vec<(uuid::Uuid, Option<OffsetDateTime>)>> {
        journal::table
            .filter(journal::workspace_id.eq(self.workspace.uuid()))
            .filter(journal::due_at.le(self.now))
            .order(journal::due_at)
            .limit(self.limit)
            .select((journal::id, journal::due_at))
            .load(&mut { connection })
            .await
    }

    async fn take(
        &self,
        connection: &AsyncPgConnection,
        own: i32,
        in_place: &[uuid::Uuid],
    ) -> QueryResult<Vec<EntryRow>> {
        if in_place.is_empty() {
            return Ok(Vec::new());
        }
        let updates: Vec<JournalId> = in_place.iter().copied().map(Into::into).collect();
        diesel::update(held(self.workspace, 0, &updates))
            .set((journal::holder.eq(own), journal::attempts.eq(journal::attempts + 1)))
            .returning(EntryRow::as_returning())
            .load(&mut { connection })
            .await
    }

    /// Bounded by the latest due time and the range of ids: a plan made over an empty journal then reads no
    /// more than what is due by then, or lies between the ids.
    async fn lease(
        &self,
        connection: &AsyncPgConnection,
        own: i32,
        late: &[(uuid::Uuid, Option<OffsetDateTime>)],
    ) -> QueryResult<Vec<EntryRow>> {
        let ids: Vec<uuid::Uuid> = late.iter().map(|(id, _)| *id).collect();
        let Some((first, last)) = first_and_last(ids.iter().copied()) else { return Ok(Vec::new()) };
        let last_due = late.iter().filter_map(|(_, due_at)| *due_at).max();
        diesel::update(journal::table)
            .filter(journal::workspace_id.eq(self.workspace.uuid()))
            .filter(journal::due_at.le(last_due))
            .filter(journal::id.between(first, last))
            .filter(journal::id.eq_any(ids))
            .set((
                journal::holder.eq(own),
                journal::attempts.eq(journal::attempts + 1),
                journal::due_at.eq(self.lease_until),
            ))
            .returning(EntryRow::as_returning())
            .load(&mut { connection })
            .await
    }
}
