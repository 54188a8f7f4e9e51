//! Updates between their arrival and their handling.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use async_trait::async_trait;
use diesel::{
    QueryResult, QueryableByName,
    sql_types::{Array, BigInt, Binary, Bool, Integer, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
    inbound::{
        Claimed, JournalEntry, Settlement, UnreadableEntry,
        ports::{Journal, NumberRoute},
    },
};
use time::OffsetDateTime;

use super::item::kind;
use crate::{
    PgStore,
    error::{failed, locked},
    places,
    sql::{Bind, Columns, at_places, sql},
};

pub(super) const NUMBER_ROUTES: &str =
    "SELECT network_id, workspace_id, channel_id, send_only, disconnected FROM channel_routes
     WHERE network_id = ANY($1)";

pub(super) const ACCOUNT_ROUTES: &str =
    "SELECT network_id, workspace_id FROM account_routes WHERE network_id = ANY($1)";

pub(super) const APPEND: &str = "
    INSERT INTO journal (workspace_id, id, kind, item_sealed, attempts, received_at, due_at)
    SELECT $1, id, kind, item_sealed, attempts, received_at, due_at
    FROM unnest($2, $3, $4, $5, $6, $7) AS entry (id, kind, item_sealed, attempts, received_at, due_at)";

/// What a post is sealed for is known before it is written.
const QUARANTINE_ROW: &str = "SELECT nextval(pg_get_serial_sequence('quarantine', 'id')) AS id";

const QUARANTINE: &str = "
    INSERT INTO quarantine (id, reason, payload_sealed, received_at) OVERRIDING SYSTEM VALUE
    VALUES ($1, $2, $3, $4)";

/// One look at the index for each workspace, however much is due.
pub(super) const WITH_WORK: &str = "
    SELECT workspace_id FROM workspaces workspace WHERE EXISTS (
        SELECT FROM journal
        WHERE journal.workspace_id = workspace.workspace_id AND journal.due_at <= $1)";

/// Not waited for on the disk: what is claimed twice because a lease was lost with the server is handled once
/// all the same.
pub(super) const CLAIM: &str = concat!(
    "WITH due AS MATERIALIZED (
        SELECT ctid AS place FROM journal
        WHERE workspace_id = $1 AND due_at <= $2
        ORDER BY due_at, id LIMIT $4
        FOR UPDATE SKIP LOCKED
    )
    UPDATE journal SET due_at = $3, attempts = attempts + 1
    FROM set_config('synchronous_commit', 'off', true)
    WHERE ",
    at_places!("journal", "SELECT place FROM due"),
    " RETURNING id, item_sealed, attempts, received_at"
);

/// Takes the entries with these ids out, where a condition holds. One that is claimed again at that moment stays, and
/// is handled once all the same.
macro_rules! take_out {
    ($ids:literal $(, $condition:literal)?) => {
        concat!("DELETE FROM journal WHERE ", $crate::sql::with_keys!("journal", "id", $ids $(, $condition)?))
    };
}
pub(super) use take_out;

/// What waits is put back where it is.
pub(super) const SETTLE: &str = concat!(
    "WITH handled AS (",
    take_out!("$2"),
    ")
    INSERT INTO journal (workspace_id, id, kind, item_sealed, attempts, received_at, due_at)
    SELECT $1, entry.id, entry.kind, entry.item_sealed, entry.attempts, entry.received_at, later.due_at
    FROM unnest($3, $4) AS later (id, due_at) CROSS JOIN LATERAL (
        SELECT * FROM journal WHERE journal.workspace_id = $1 AND journal.id = later.id LIMIT 1 FOR UPDATE
    ) entry
    ON CONFLICT (workspace_id, id) DO UPDATE SET due_at = excluded.due_at"
);

pub(super) const TAKE_OUT: &str = concat!(take_out!("$2"), " RETURNING id, item_sealed, received_at");

/// They stay sealed as they are: some of them cannot be opened.
const SET_ASIDE: &str = "
    INSERT INTO quarantine (reason, payload_sealed, received_at, workspace_id, update_id)
    SELECT reason, payload_sealed, received_at, $1, update_id
    FROM unnest($2, $3, $4, $5) AS aside (reason, payload_sealed, received_at, update_id)";

/// An update as the journal keeps it.
pub(crate) struct SealedEntry {
    id: JournalId,
    kind: &'static str,
    item_sealed: Vec<u8>,
    attempts: i32,
    received_at: OffsetDateTime,
    due_at: OffsetDateTime,
}

#[derive(QueryableByName)]
struct NumberRow {
    #[diesel(sql_type = Text)]
    network_id: String,
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    channel_id: uuid::Uuid,
    #[diesel(sql_type = Bool)]
    send_only: bool,
    #[diesel(sql_type = Bool)]
    disconnected: bool,
}

#[derive(QueryableByName)]
struct AccountRow {
    #[diesel(sql_type = Text)]
    network_id: String,
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
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
}

#[derive(QueryableByName)]
struct TakenOut {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Binary)]
    item_sealed: Vec<u8>,
    #[diesel(sql_type = Timestamptz)]
    received_at: OffsetDateTime,
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
        let mut connection = self.connection().await?;
        let rows: Vec<AccountRow> = sql(ACCOUNT_ROUTES)
            .bind::<Array<Text>, _>(network_ids)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let known: HashMap<String, WorkspaceId> =
            rows.into_iter().map(|row| (row.network_id, row.workspace_id.into())).collect();
        Ok(network_ids.iter().map(|id| known.get(id).copied()).collect())
    }

    async fn append(
        &self,
        entries: &[JournalEntry],
        held_until: Option<OffsetDateTime>,
    ) -> Result<(), StoreError> {
        for (workspace, sealed) in self.sealed_by_workspace(entries, held_until)? {
            let store = self.clone();
            let run = move |batch: Vec<Arc<[SealedEntry]>>| {
                let store = store.clone();
                async move { store.append_sealed(workspace, &batch).await }
            };
            self.batches.append.call(workspace, sealed.into(), run).await?;
        }
        Ok(())
    }

    async fn quarantine(&self, raw: &[u8], reason: &str, now: OffsetDateTime) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        let row: QuarantineRow = sql(QUARANTINE_ROW).get_result(&mut connection).await.map_err(failed)?;
        let sealed = self.vault.seal(raw, &places::quarantined_post(row.id)).map_err(locked)?;
        sql(QUARANTINE)
            .bind::<BigInt, _>(row.id)
            .bind::<Text, _>(reason)
            .bind::<Binary, _>(sealed)
            .bind::<Timestamptz, _>(now)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }

    async fn workspaces_with_work(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError> {
        self.workspaces(WITH_WORK, now).await
    }

    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Claimed, StoreError> {
        let rows: Vec<EntryRow> = self.claimed(CLAIM, workspace, (now, lease_until), limit).await?;
        let mut claimed = Claimed::default();
        for row in rows {
            let id = JournalId::from(row.id);
            let attempts = u32::try_from(row.attempts).unwrap_or_default();
            match self.open_item(workspace, id, &row.item_sealed) {
                Ok(item) => {
                    let received_at = row.received_at;
                    claimed.entries.push(JournalEntry { id, workspace, received_at, attempts, item });
                }
                Err(error) => {
                    claimed.unreadable.push(UnreadableEntry { id, attempts, reason: error.to_string() });
                }
            }
        }
        claimed.entries.sort_unstable_by_key(|entry| entry.id);
        Ok(claimed)
    }

    async fn settle(&self, workspace: WorkspaceId, settlement: &Settlement) -> Result<(), StoreError> {
        if settlement.set_aside.is_empty() {
            let mut connection = self.connection().await?;
            return settle(&mut connection, workspace, settlement).await.map_err(failed);
        }
        let mut transaction = self.begin().await?;
        settle(&mut transaction, workspace, settlement).await.map_err(failed)?;
        set_aside(&mut transaction, workspace, &settlement.set_aside).await.map_err(failed)?;
        transaction.commit().await
    }
}

impl PgStore {
    async fn find_number_routes(
        &self,
        asked: &[Arc<[String]>],
    ) -> Result<Vec<Vec<Option<NumberRoute>>>, StoreError> {
        let mut network_ids: Vec<&str> =
            asked.iter().flat_map(|ids| ids.iter()).map(String::as_str).collect();
        network_ids.sort_unstable();
        network_ids.dedup();
        let mut connection = self.connection().await?;
        let rows: Vec<NumberRow> = sql(NUMBER_ROUTES)
            .bind::<Array<Text>, _>(network_ids)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let route = |row: NumberRow| {
            let route = NumberRoute {
                workspace: row.workspace_id.into(),
                channel: row.channel_id.into(),
                send_only: row.send_only,
                disconnected: row.disconnected,
            };
            (row.network_id, route)
        };
        let known: HashMap<String, NumberRoute> = rows.into_iter().map(route).collect();
        let routes = |ids: &Arc<[String]>| ids.iter().map(|id| known.get(id).copied()).collect();
        Ok(asked.iter().map(routes).collect())
    }

    pub(super) fn sealed_by_workspace(
        &self,
        entries: &[JournalEntry],
        held_until: Option<OffsetDateTime>,
    ) -> Result<BTreeMap<WorkspaceId, Vec<SealedEntry>>, StoreError> {
        let mut by_workspace: BTreeMap<WorkspaceId, Vec<SealedEntry>> = BTreeMap::new();
        for entry in entries {
            by_workspace.entry(entry.workspace).or_default().push(self.sealed_entry(entry, held_until)?);
        }
        Ok(by_workspace)
    }

    fn sealed_entry(
        &self,
        entry: &JournalEntry,
        held_until: Option<OffsetDateTime>,
    ) -> Result<SealedEntry, StoreError> {
        Ok(SealedEntry {
            id: entry.id,
            kind: kind(&entry.item),
            item_sealed: self.seal_item(entry.workspace, entry.id, &entry.item)?,
            attempts: i32::try_from(entry.attempts).unwrap_or(i32::MAX),
            received_at: entry.received_at,
            due_at: held_until.unwrap_or(entry.received_at),
        })
    }

    async fn append_sealed(
        &self,
        workspace: WorkspaceId,
        batch: &[Arc<[SealedEntry]>],
    ) -> Result<Vec<()>, StoreError> {
        let entries: Vec<&SealedEntry> = batch.iter().flat_map(|entries| entries.iter()).collect();
        let mut connection = self.connection().await?;
        append(&mut connection, workspace, &entries).await.map_err(failed)?;
        Ok(vec![(); batch.len()])
    }
}

pub(super) async fn append(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    entries: &[&SealedEntry],
) -> QueryResult<()> {
    let all = Columns(entries);
    sql(APPEND)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(all.of(|entry| entry.id.uuid()))
        .bind::<Array<Text>, _>(all.of(|entry| entry.kind))
        .bind::<Array<Binary>, _>(all.of(|entry| entry.item_sealed.as_slice()))
        .bind::<Array<Integer>, _>(all.of(|entry| entry.attempts))
        .bind::<Array<Timestamptz>, _>(all.of(|entry| entry.received_at))
        .bind::<Array<Timestamptz>, _>(all.of(|entry| entry.due_at))
        .execute(connection)
        .await?;
    Ok(())
}

async fn settle(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    settlement: &Settlement,
) -> QueryResult<()> {
    let (later, due_at): (Vec<_>, Vec<_>) =
        settlement.postponed.iter().map(|(id, due_at)| (id.uuid(), *due_at)).unzip();
    sql(SETTLE)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(settlement.handled.iter().map(|id| id.uuid()).collect::<Vec<_>>())
        .bind::<Array<Uuid>, _>(later)
        .bind::<Array<Timestamptz>, _>(due_at)
        .execute(connection)
        .await?;
    Ok(())
}

/// Two statements: the journal belongs to workspaces, the quarantine to none.
async fn set_aside(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
    entries: &[(JournalId, String)],
) -> QueryResult<()> {
    let reasons: HashMap<uuid::Uuid, &str> =
        entries.iter().map(|(id, reason)| (id.uuid(), reason.as_str())).collect();
    let rows: Vec<TakenOut> = sql(TAKE_OUT)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Uuid>, _>(reasons.keys().copied().collect::<Vec<_>>())
        .load(connection)
        .await?;
    let reason =
        |row: &TakenOut| reasons.get(&row.id).map(|reason| reason.replace('\0', "")).unwrap_or_default();
    sql(SET_ASIDE)
        .bind::<Uuid, _>(workspace.uuid())
        .bind::<Array<Text>, _>(rows.iter().map(reason).collect::<Vec<_>>())
        .bind::<Array<Binary>, _>(rows.iter().map(|row| row.item_sealed.as_slice()).collect::<Vec<_>>())
        .bind::<Array<Timestamptz>, _>(rows.iter().map(|row| row.received_at).collect::<Vec<_>>())
        .bind::<Array<Uuid>, _>(rows.iter().map(|row| row.id).collect::<Vec<_>>())
        .execute(connection)
        .await?;
    Ok(())
}
