//! Updates between their arrival and their handling.

use std::collections::{BTreeMap, HashMap};

use async_trait::async_trait;
use diesel::{
    QueryableByName,
    sql_types::{Array, BigInt, Binary, Bool, Integer, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{JournalId, WorkspaceId},
    inbound::{
        JournalEntry,
        ports::{Journal, NumberRoute},
    },
};
use time::OffsetDateTime;

use super::item::kind;
use crate::{
    PgStore,
    error::{failed, locked},
    sql::{Bind, sql},
};

const NUMBER_ROUTES: &str =
    "SELECT network_id, workspace_id, channel_id, send_only FROM channel_routes WHERE network_id = ANY($1)";

const ACCOUNT_ROUTES: &str = "SELECT network_id, workspace_id FROM account_routes WHERE network_id = ANY($1)";

const APPEND: &str = "
    INSERT INTO journal (workspace_id, id, kind, item_sealed, attempts, received_at, due_at)
    SELECT $1, id, kind, item_sealed, attempts, received_at, received_at
    FROM unnest($2, $3, $4, $5, $6) AS entry (id, kind, item_sealed, attempts, received_at)";

const QUARANTINE: &str = "INSERT INTO quarantine (reason, payload_sealed, received_at) VALUES ($1, $2, $3)";

/// One look at the index for each workspace, however much is due.
pub(super) const WITH_WORK: &str = "
    SELECT workspace_id FROM workspaces workspace WHERE EXISTS (
        SELECT FROM journal
        WHERE journal.workspace_id = workspace.workspace_id AND journal.kind <> 'message'
          AND journal.due_at <= $1)";

pub(super) const CLAIM: &str = "
    WITH due AS MATERIALIZED (
        SELECT id FROM journal
        WHERE workspace_id = $1 AND kind <> 'message' AND due_at <= $2
        ORDER BY due_at, id LIMIT $4
        FOR UPDATE SKIP LOCKED
    )
    UPDATE journal SET due_at = $3, attempts = attempts + 1 FROM due
    WHERE journal.workspace_id = $1 AND journal.id = due.id
    RETURNING journal.id, journal.item_sealed, journal.attempts, journal.received_at";

pub(super) const FINISH: &str = "DELETE FROM journal WHERE workspace_id = $1 AND id = ANY($2)";

pub(super) const POSTPONE: &str = "UPDATE journal SET due_at = $3 WHERE workspace_id = $1 AND id = $2";

/// What an unreadable payload is sealed for.
const QUARANTINE_CONTEXT: &str = "quarantine";

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

#[async_trait]
impl Journal for PgStore {
    async fn number_routes(&self, network_ids: &[String]) -> Result<Vec<Option<NumberRoute>>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<NumberRow> = sql(NUMBER_ROUTES)
            .bind::<Array<Text>, _>(network_ids)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let route = |row: NumberRow| {
            let route = NumberRoute {
                workspace: row.workspace_id.into(),
                channel: row.channel_id.into(),
                send_only: row.send_only,
            };
            (row.network_id, route)
        };
        let known: HashMap<String, NumberRoute> = rows.into_iter().map(route).collect();
        Ok(network_ids.iter().map(|id| known.get(id).copied()).collect())
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

    async fn append(&self, entries: &[JournalEntry]) -> Result<(), StoreError> {
        let mut by_workspace: BTreeMap<WorkspaceId, Vec<&JournalEntry>> = BTreeMap::new();
        for entry in entries {
            by_workspace.entry(entry.workspace).or_default().push(entry);
        }
        let mut connection = self.connection().await?;
        for (workspace, entries) in by_workspace {
            let sealed = entries.iter().map(|entry| self.seal_item(entry.id, &entry.item));
            let sealed = sealed.collect::<Result<Vec<_>, _>>()?;
            let attempts = entries.iter().map(|entry| i32::try_from(entry.attempts).unwrap_or(i32::MAX));
            sql(APPEND)
                .bind::<Uuid, _>(workspace.uuid())
                .bind::<Array<Uuid>, _>(entries.iter().map(|entry| entry.id.uuid()).collect::<Vec<_>>())
                .bind::<Array<Text>, _>(entries.iter().map(|entry| kind(&entry.item)).collect::<Vec<_>>())
                .bind::<Array<Binary>, _>(sealed)
                .bind::<Array<Integer>, _>(attempts.collect::<Vec<_>>())
                .bind::<Array<Timestamptz>, _>(
                    entries.iter().map(|entry| entry.received_at).collect::<Vec<_>>(),
                )
                .execute(&mut connection)
                .await
                .map_err(failed)?;
        }
        Ok(())
    }

    async fn quarantine(&self, raw: &[u8], reason: &str, now: OffsetDateTime) -> Result<(), StoreError> {
        let sealed = self.vault.seal(raw, QUARANTINE_CONTEXT).map_err(locked)?;
        let mut connection = self.connection().await?;
        sql(QUARANTINE)
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
    ) -> Result<Vec<JournalEntry>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<EntryRow> = sql(CLAIM)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Timestamptz, _>(now)
            .bind::<Timestamptz, _>(lease_until)
            .bind::<BigInt, _>(i64::from(limit))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let read = |row: EntryRow| {
            let id = JournalId::from(row.id);
            let item = self.open_item(id, &row.item_sealed);
            // It stays, and is due again after the lease; the others go on.
            let item =
                item.inspect_err(|error| tracing::error!(update = %id, %error, "not readable")).ok()?;
            let attempts = u32::try_from(row.attempts).unwrap_or_default();
            Some(JournalEntry { id, workspace, received_at: row.received_at, attempts, item })
        };
        let mut entries: Vec<JournalEntry> = rows.into_iter().filter_map(read).collect();
        entries.sort_unstable_by_key(|entry| entry.id);
        Ok(entries)
    }

    async fn finish(&self, workspace: WorkspaceId, handled: &[JournalId]) -> Result<(), StoreError> {
        let ids: Vec<uuid::Uuid> = handled.iter().map(|id| id.uuid()).collect();
        let mut connection = self.connection().await?;
        sql(FINISH)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Array<Uuid>, _>(ids)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }

    async fn postpone(
        &self,
        workspace: WorkspaceId,
        id: JournalId,
        due_at: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let mut connection = self.connection().await?;
        sql(POSTPONE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(id.uuid())
            .bind::<Timestamptz, _>(due_at)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }
}
