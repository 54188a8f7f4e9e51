//! Updates between their arrival and their handling.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use async_trait::async_trait;
use diesel::{
    QueryResult, QueryableByName,
    sql_types::{Array, BigInt, Binary, Bool, Integer, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    channels::ChannelKind,
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
    inbound::{
        Claimed, HandedOver, HeldUpdate, JournalEntry, Settlement, UnreadableEntry,
        ports::{Journal, NumberRoute},
    },
};
use time::OffsetDateTime;

use super::{
    item::kind,
    settle::{set_aside, settle},
};
use crate::{
    PgStore,
    error::{failed, locked},
    owners::Owner,
    places,
    sql::{Bind, Columns, at_places, sql},
};

/// Those that are wanted are in this process's hands ($7) from the start, where it works off the workspace's journal.
/// The row that says so is locked against its end, so that whoever works it off next sees these rows. What was
/// acknowledged before this began and nobody has taken up is seen, too: its post was answered after its commit.
pub(super) const APPEND: &str = "
    WITH hand AS MATERIALIZED (
        SELECT FROM journal_hands WHERE workspace_id = $1 AND holder = $7 FOR SHARE
    ), kept AS (
        INSERT INTO journal (workspace_id, id, kind, item_sealed, attempts, received_at, holder)
        SELECT $1, id, kind, item_sealed, CASE WHEN taken THEN 1 ELSE attempts END, received_at,
               CASE WHEN taken THEN $7 ELSE 0 END
        FROM (
            SELECT entry.*, wanted AND $7 <> 0 AND EXISTS (SELECT FROM hand) AS taken
            FROM unnest($2, $3, $4, $5, $6, $8) WITH ORDINALITY
                AS entry (id, kind, item_sealed, attempts, received_at, wanted, number)
        ) entry
        ORDER BY number
        RETURNING id, place, holder
    )
    SELECT id, place, holder,
           EXISTS (SELECT FROM journal
                   WHERE workspace_id = $1 AND holder = 0 AND due_at IS NULL) AS behind
    FROM kept";

/// What a post is sealed for is known before it is written.
const QUARANTINE_ROW: &str = "SELECT nextval(pg_get_serial_sequence('quarantine', 'id')) AS id";

const QUARANTINE: &str = "
    INSERT INTO quarantine (id, reason, payload_sealed, received_at, network) OVERRIDING SYSTEM VALUE
    VALUES ($1, $2, $3, $4, $5)";

/// A few looks at indexes for each workspace, however much there is. What others hold counts, as they may be gone.
pub(super) const WITH_WORK: &str = "
    SELECT workspace_id FROM workspaces workspace WHERE coalesce(
        (SELECT true FROM journal
         WHERE journal.workspace_id = workspace.workspace_id AND due_at IS NULL AND holder < $2 LIMIT 1),
        (SELECT true FROM journal
         WHERE journal.workspace_id = workspace.workspace_id AND due_at IS NULL AND holder > $2 LIMIT 1),
        (SELECT true FROM journal
         WHERE journal.workspace_id = workspace.workspace_id AND due_at <= $1 LIMIT 1),
        false)";

/// By whom works off the workspace's journal ($5) and nobody else. What has lost its place is anybody's when it is due.
///
/// Not waited for on the disk: what is claimed twice because a claim was lost with the server is handled once all the
/// same.
pub(super) const CLAIM: &str = concat!(
    "WITH hand AS MATERIALIZED (
        SELECT FROM journal_hands WHERE workspace_id = $1 AND holder = $5 FOR SHARE
    ), due AS MATERIALIZED (
        (SELECT ctid AS at FROM journal
         WHERE workspace_id = $1 AND holder = 0 AND due_at IS NULL ORDER BY place LIMIT $4)
        UNION ALL
        (SELECT ctid FROM journal WHERE workspace_id = $1 AND due_at <= $2 ORDER BY due_at LIMIT $4)
    )
    UPDATE journal
    SET holder = $5, attempts = attempts + 1, due_at = CASE WHEN due_at IS NULL THEN NULL ELSE $3 END
    FROM set_config('synchronous_commit', 'off', true)
    WHERE EXISTS (SELECT FROM hand) AND ",
    at_places!("journal", "SELECT at FROM due"),
    " RETURNING id, item_sealed, attempts, received_at, place, due_at IS NOT NULL AS late"
);

/// Each by its own look at an index.
pub(super) const IN_HAND: &str = "
    SELECT found.id FROM unnest($2) AS named (id) CROSS JOIN LATERAL (
        SELECT id FROM journal
        WHERE journal.workspace_id = $1 AND journal.id = named.id AND journal.holder = $3 LIMIT 1
    ) found";

/// An update as the journal keeps it.
pub(crate) struct SealedEntry {
    id: JournalId,
    kind: &'static str,
    item_sealed: Vec<u8>,
    attempts: i32,
    received_at: OffsetDateTime,
}

/// An update to journal, and whether this process wants to have it in hand.
pub(crate) type Appended = (SealedEntry, bool);

/// An update as it was journaled.
#[derive(QueryableByName)]
pub(super) struct KeptRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Integer)]
    holder: i32,
    #[diesel(sql_type = Bool)]
    behind: bool,
}

#[derive(QueryableByName)]
struct IdRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
}

#[derive(QueryableByName)]
struct EntryRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Binary)]
    item_sealed: Vec<u8>,
    #[diesel(sql_type = Integer)]
    attempts: i32,
    #[diesel(sql_type = Timestamptz)]
    received_at: OffsetDateTime,
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Bool)]
    late: bool,
}

#[derive(QueryableByName)]
struct QuarantineRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
}

#[async_trait]
impl Journal for PgStore {
    async fn number_routes(&self, network_ids: &[String]) -> Result<Vec<Option<NumberRoute>>, StoreError> {
        let store = self.clone();
        let run = move |asked: Vec<Arc<[String]>>| {
            let store = store.clone();
            async move { store.find_number_routes(&asked).await }
        };
        self.batches.number_routes.call((), network_ids.into(), run).await
    }

    async fn account_routes(&self, network_ids: &[String]) -> Result<Vec<Option<WorkspaceId>>, StoreError> {
        self.find_account_routes(network_ids).await
    }

    async fn append(
        &self,
        workspace: WorkspaceId,
        entries: &[JournalEntry],
        take_up: bool,
    ) -> Result<HandedOver, StoreError> {
        let sealed: Result<Arc<[Appended]>, StoreError> =
            entries.iter().map(|entry| Ok((self.sealed_entry(entry)?, take_up))).collect();
        let store = self.clone();
        let run = move |batch: Vec<Arc<[Appended]>>| {
            let store = store.clone();
            async move { store.append_sealed(workspace, &batch).await }
        };
        let kept: KeptUpdates = self.batches.append.call(workspace, sealed?, run).await?;
        let held = |entry: &JournalEntry| {
            let place = *kept.places.get(&entry.id)?;
            Some(HeldUpdate {
                entry: JournalEntry { attempts: 1, ..entry.clone() },
                place,
                late: false,
                failures: 0,
            })
        };
        let updates = entries.iter().filter_map(held).collect();
        Ok(HandedOver { updates, holder: kept.holder, behind: kept.behind })
    }

    async fn quarantine(
        &self,
        raw: &[u8],
        network: Option<ChannelKind>,
        reason: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let row: QuarantineRow = sql(QUARANTINE_ROW).get_result(&mut connection).await.map_err(failed)?;
        let sealed = self.vault.seal(raw, &places::quarantined_post(row.id)).map_err(locked)?;
        sql(QUARANTINE)
            .bind::<BigInt, _>(row.id)
            .bind::<Text, _>(reason)
            .bind::<Binary, _>(sealed)
            .bind::<Timestamptz, _>(now)
            .bind::<Nullable<Text>, _>(network.map(ChannelKind::as_str))
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }

    async fn workspaces_with_work(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        let mut connection = self.connection().await?;
        let found: Vec<Owner> = sql(WITH_WORK)
            .bind::<Timestamptz, _>(now)
            .bind::<Integer, _>(self.holder())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(found.into_iter().map(|owner| owner.workspace_id.into()).collect())
    }

    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Claimed, StoreError> {
        let Some(holder) = self.take_hold(workspace).await? else {
            return Ok(Claimed { elsewhere: true, ..Claimed::default() });
        };
        let mut connection = self.connection().await?;
        let rows: Vec<EntryRow> = sql(CLAIM)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Timestamptz, _>(now)
            .bind::<Timestamptz, _>(lease_until)
            .bind::<BigInt, _>(i64::from(limit))
            .bind::<Integer, _>(holder)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let mut claimed = Claimed::default();
        for row in rows {
            let id = JournalId::from(row.id);
            let attempts = u32::try_from(row.attempts).unwrap_or_default();
            let (received_at, place, late) = (row.received_at, row.place, row.late);
            match self.open_item(workspace, id, &row.item_sealed) {
                Ok(item) => {
                    let entry = JournalEntry { id, workspace, received_at, attempts, item };
                    claimed.entries.push(HeldUpdate { entry, place, late, failures: 0 });
                }
                Err(error) => {
                    claimed.unreadable.push(UnreadableEntry { id, attempts, reason: error.to_string() });
                }
            }
        }
        claimed.entries.sort_unstable_by_key(|held| held.place);
        Ok(claimed)
    }

    async fn in_hand(
        &self,
        workspace: WorkspaceId,
        updates: &[JournalId],
    ) -> Result<HashSet<JournalId>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<IdRow> = sql(IN_HAND)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Uuid>, _>(updates.iter().map(|id| id.uuid()).collect::<Vec<_>>())
            .bind::<Integer, _>(self.holder())
            .load(&mut connection)
            .await
            .map_err(failed)?;
        Ok(rows.into_iter().map(|row| row.id.into()).collect())
    }

    async fn let_go(&self, workspace: WorkspaceId) -> Result<(), StoreError> {
        self.leave_to_others(workspace).await
    }

    async fn settle(&self, workspace: WorkspaceId, settlement: &Settlement) -> Result<(), StoreError> {
        let holder = self.holder();
        if settlement.set_aside.is_empty() {
            let mut connection = self.connection().await?;
            return settle(&mut connection, workspace, settlement, holder).await.map_err(failed);
        }
        let mut transaction = self.begin().await?;
        settle(&mut transaction, workspace, settlement, holder).await.map_err(failed)?;
        set_aside(&mut transaction, workspace, &settlement.set_aside, holder).await.map_err(failed)?;
        transaction.commit().await
    }
}

impl PgStore {
    /// For whoever works off their workspaces' journals.
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

    fn sealed_entry(&self, entry: &JournalEntry) -> Result<SealedEntry, StoreError> {
        Ok(SealedEntry {
            id: entry.id,
            kind: kind(&entry.item),
            item_sealed: self.seal_item(entry.workspace, entry.id, &entry.item)?,
            attempts: i32::try_from(entry.attempts).unwrap_or(i32::MAX),
            received_at: entry.received_at,
        })
    }

    async fn append_sealed(
        &self,
        workspace: WorkspaceId,
        batch: &[Arc<[Appended]>],
    ) -> Result<Vec<KeptUpdates>, StoreError> {
        let entries: Vec<&Appended> = batch.iter().flat_map(|entries| entries.iter()).collect();
        let holder = self.holder();
        let mut connection = self.connection().await?;
        let rows = append(&mut connection, workspace, &entries, holder).await.map_err(failed)?;
        drop(connection);
        let behind = rows.iter().any(|row| row.behind);
        let places: HashMap<JournalId, i64> = rows
            .into_iter()
            .filter(|row| row.holder != 0)
            .map(|row| (JournalId::from(row.id), row.place))
            .collect();
        let kept = |entries: &Arc<[Appended]>| {
            let own = entries.iter().filter_map(|(entry, _)| Some((entry.id, *places.get(&entry.id)?)));
            KeptUpdates { places: own.collect(), holder, behind }
        };
        Ok(batch.iter().map(kept).collect())
    }
}

/// What was journaled, and is in this process's hands under this number.
pub(crate) struct KeptUpdates {
    places: HashMap<JournalId, i64>,
    holder: i32,
    behind: bool,
}

pub(super) async fn append(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    entries: &[&Appended],
    holder: i32,
) -> QueryResult<Vec<KeptRow>> {
    let all = Columns(entries);
    sql(APPEND)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(all.of(|(entry, _)| entry.id.uuid()))
        .bind::<Array<Text>, _>(all.of(|(entry, _)| entry.kind))
        .bind::<Array<Binary>, _>(all.of(|(entry, _)| entry.item_sealed.as_slice()))
        .bind::<Array<Integer>, _>(all.of(|(entry, _)| entry.attempts))
        .bind::<Array<Timestamptz>, _>(all.of(|(entry, _)| entry.received_at))
        .bind::<Integer, _>(holder)
        .bind::<Array<Bool>, _>(all.of(|(_, wanted)| *wanted))
        .load(connection)
        .await
}
