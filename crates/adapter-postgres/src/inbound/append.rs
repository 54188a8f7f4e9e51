//! Journaling of updates.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use diesel::{
    ExpressionMethods, QueryDsl, QueryResult, QueryableByName,
    sql_types::{Array, BigInt, Binary, Bool, Integer, Text, Timestamptz, Uuid},
};
use diesel_async::AsyncPgConnection;
use domain::{
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
    inbound::JournalEntry,
};
use futures_util::future::try_join;

use super::{
    batches::{Appended, KeptUpdates, SealedEntry},
    item::kind,
};
use crate::{
    error::failed,
    inbound::PgInbound,
    schema::{journal, journal_hands},
    sql::{RunQueryDsl, Statement, statement},
};

/// Draws journal places, each greater than all that were drawn before.
const PLACES: &str = "SELECT nextval('journal_places') AS place FROM generate_series(1, :count::integer)";

/// Updates that are wanted are held by this process from the start, if it holds the workspace's journal.
/// Places are drawn before: a statement that draws them runs on a cluster's coordinator, and needs a
/// two-phase commit.
pub(super) const APPEND: &str = "
    INSERT INTO journal (workspace_id, id, kind, item_sealed, attempts, received_at, place, holder)
    SELECT owner.workspace_id, entry.id, entry.kind, entry.item_sealed,
           CASE WHEN entry.wanted AND hand.holder IS NOT NULL THEN 1 ELSE entry.attempts END, entry.received_at,
           entry.place, CASE WHEN entry.wanted AND hand.holder IS NOT NULL THEN hand.holder ELSE 0 END
    FROM workspaces owner
    LEFT JOIN journal_hands hand ON hand.workspace_id = owner.workspace_id AND hand.workspace_id = :workspace
                                AND hand.holder = :holder
    CROSS JOIN unnest(:ids, :kinds, :items, :attempts, :received_at, :places, :wanted)
        AS entry (id, kind, item_sealed, attempts, received_at, place, wanted)
    WHERE owner.workspace_id = :workspace
    RETURNING id, holder";

#[derive(QueryableByName)]
struct PlaceRow {
    #[diesel(sql_type = BigInt)]
    place: i64,
}

#[derive(QueryableByName)]
struct KeptRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Integer)]
    holder: i32,
}

impl PgInbound {
    pub(super) fn sealed_by_workspace(
        &self,
        entries: &[JournalEntry],
    ) -> Result<BTreeMap<WorkspaceId, Vec<Appended>>, StoreError> {
        let mut by_workspace: BTreeMap<WorkspaceId, Vec<Appended>> = BTreeMap::new();
        for entry in entries {
            by_workspace.entry(entry.workspace).or_default().push((self.sealed_entry(entry)?, false));
        }
        Ok(by_workspace)
    }

    pub(super) fn sealed_entry(&self, entry: &JournalEntry) -> Result<SealedEntry, StoreError> {
        Ok(SealedEntry {
            id: entry.id,
            kind: kind(&entry.item),
            item_sealed: self.seal_item(entry.workspace, entry.id, &entry.item)?,
            attempts: i32::try_from(entry.attempts).unwrap_or(i32::MAX),
            received_at: entry.received_at,
        })
    }

    pub(super) async fn append_sealed(
        &self,
        workspace: WorkspaceId,
        batch: &[Arc<[Appended]>],
    ) -> Result<Vec<KeptUpdates>, StoreError> {
        let entries: Vec<&Appended> = batch.iter().flat_map(|entries| entries.iter()).collect();
        let holder = self.holder();
        let is_wanted = holder != 0 && entries.iter().any(|(_, wanted)| *wanted);
        let transaction = self.database.transaction().await?;
        let behind =
            async { if is_wanted { lock_hand(&transaction, workspace, holder).await } else { Ok(None) } };
        let first = try_join(behind, draw_places(&transaction, entries.len()));
        let (behind, places) = transaction.begin_with(first).await.map_err(failed)?;
        let kept = append(workspace, &entries, &places, holder).load::<KeptRow>(&mut &*transaction);
        let rows = transaction.commit_with(kept).await.map_err(failed)?;
        drop(transaction);
        let behind = behind.unwrap_or_default();
        let in_hand: HashSet<JournalId> =
            rows.into_iter().filter(|row| row.holder != 0).map(|row| row.id.into()).collect();
        let ids = entries.iter().map(|(entry, _)| entry.id);
        let places: HashMap<JournalId, i64> =
            ids.zip(places).filter(|(id, _)| in_hand.contains(id)).collect();
        let kept = |entries: &Arc<[Appended]>| {
            let own = entries.iter().filter_map(|(entry, _)| Some((entry.id, *places.get(&entry.id)?)));
            KeptUpdates { places: own.collect(), holder, behind }
        };
        Ok(batch.iter().map(kept).collect())
    }
}

/// Locks the row of the workspace's journal holder against a change if this process is it, so that the next
/// holder sees what is journaled now. Returns whether earlier acknowledged updates wait unclaimed, whose post
/// was answered after its commit; `None` if another process is the holder.
async fn lock_hand(
    connection: &AsyncPgConnection,
    workspace: WorkspaceId,
    holder: i32,
) -> QueryResult<Option<bool>> {
    let waiting = journal::table
        .filter(journal::workspace_id.eq(workspace.uuid()))
        .filter(journal::holder.eq(0))
        .filter(journal::due_at.is_null())
        .select(journal::id)
        .single_value();
    let behind: Vec<bool> = journal_hands::table
        .filter(journal_hands::workspace_id.eq(workspace.uuid()))
        .filter(journal_hands::holder.eq(holder))
        .select(waiting.is_not_null())
        .for_share()
        .load(&mut { connection })
        .await?;
    Ok(behind.into_iter().next())
}

pub(super) async fn draw_places(connection: &AsyncPgConnection, count: usize) -> QueryResult<Vec<i64>> {
    let count = i32::try_from(count).unwrap_or(i32::MAX);
    let drawn = statement(PLACES).bind::<Integer, _>("count", count).load::<PlaceRow>(&mut { connection });
    let mut places: Vec<i64> = drawn.await?.into_iter().map(|row| row.place).collect();
    places.sort_unstable();
    Ok(places)
}

/// Returns the insertion of these updates at these places. The caller has locked the holder's row.
pub(super) fn append<'a>(
    workspace: WorkspaceId,
    entries: &[&'a Appended],
    places: &'a [i64],
    holder: i32,
) -> Statement<'a> {
    statement(APPEND)
        .of(workspace)
        .bind::<Integer, _>("holder", holder)
        .bind::<Array<Uuid>, _>("ids", each(entries, |entry| entry.id.uuid()))
        .bind::<Array<Text>, _>("kinds", each(entries, |entry| entry.kind))
        .bind::<Array<Binary>, _>("items", each(entries, |entry| entry.item_sealed.as_slice()))
        .bind::<Array<Integer>, _>("attempts", each(entries, |entry| entry.attempts))
        .bind::<Array<Timestamptz>, _>("received_at", each(entries, |entry| entry.received_at))
        .bind::<Array<BigInt>, _>("places", places)
        .bind::<Array<Bool>, _>(
            "wanted",
            entries.iter().map(|(_, wanted)| *wanted && holder != 0).collect::<Vec<_>>(),
        )
}

fn each<'a, V>(entries: &[&'a Appended], value: impl Fn(&'a SealedEntry) -> V) -> Vec<V> {
    entries.iter().map(|(entry, _)| value(entry)).collect()
}
