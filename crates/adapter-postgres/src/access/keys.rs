//! API keys and their rate windows.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Array, Binary, Bool, Integer, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::{
        ApiKeyHash, Caller, ListedKey, Scope,
        audit::AuditEntry,
        ports::{AuthenticatedKey, KeyStore},
    },
    errors::StoreError,
    ids::{ApiKeyId, WorkspaceId},
};
use time::OffsetDateTime;

use super::write_audit;
use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, Columns, sql},
};

/// Each key once, with its uses. A node whose clock is behind counts into the window that is open already. Windows are
/// taken in one order everywhere.
pub(super) const AUTHENTICATE: &str = "
    WITH key AS MATERIALIZED (
        SELECT key.key_hash, key.id, key.workspace_id, key.creator_id, key.scopes, asked.started_at, asked.uses
        FROM api_keys key JOIN unnest($1, $2, $3) AS asked (key_hash, started_at, uses) USING (key_hash)
        WHERE key.key_hash = ANY($1) AND key.revoked_at IS NULL
    ), taken AS (
        INSERT INTO rate_windows AS open (key_id, started_at, used)
        SELECT id, started_at, uses FROM key ORDER BY id
        ON CONFLICT (key_id) DO UPDATE SET
            used = CASE WHEN excluded.started_at > open.started_at THEN excluded.used
                        ELSE open.used + excluded.used END,
            started_at = greatest(open.started_at, excluded.started_at)
        RETURNING key_id, used
    )
    SELECT key.key_hash, key.id, key.workspace_id, key.creator_id, key.scopes, taken.used,
           (SELECT region FROM workspaces WHERE workspaces.workspace_id = key.workspace_id) AS region
    FROM key JOIN taken ON taken.key_id = key.id";

pub(super) const ADD: &str = "
    INSERT INTO api_keys (key_hash, id, workspace_id, creator_id, label, scopes, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

/// A key's window starts with the minute of its last use.
pub(super) const LIST: &str = "
    SELECT key.id, key.creator_id, key.label, key.scopes, key.created_at, key.revoked_at,
           (SELECT used.started_at FROM rate_windows used WHERE used.key_id = key.id) AS last_used_at
    FROM api_keys key WHERE key.workspace_id = $1 ORDER BY key.created_at DESC, key.id DESC";

pub(super) const REVOKE: &str = "
    WITH revoked AS (
        UPDATE api_keys SET revoked_at = $3 WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL
        RETURNING id
    )
    SELECT EXISTS (SELECT FROM revoked) AS revoked FROM api_keys WHERE workspace_id = $1 AND id = $2";

#[derive(QueryableByName)]
struct KeyRow {
    #[diesel(sql_type = Binary)]
    key_hash: Vec<u8>,
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    creator_id: uuid::Uuid,
    #[diesel(sql_type = Array<Text>)]
    scopes: Vec<String>,
    #[diesel(sql_type = Integer)]
    used: i32,
    #[diesel(sql_type = Nullable<Text>)]
    region: Option<String>,
}

#[derive(QueryableByName)]
struct ListedRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    creator_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    label: String,
    #[diesel(sql_type = Array<Text>)]
    scopes: Vec<String>,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    revoked_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    last_used_at: Option<OffsetDateTime>,
}

#[derive(QueryableByName)]
struct RevokedRow {
    #[diesel(sql_type = Bool)]
    revoked: bool,
}

/// A request with a key, and when the window that it counts into began.
pub(crate) type KeyUse = (ApiKeyHash, OffsetDateTime);

fn read_scopes(words: &[String]) -> Result<Vec<Scope>, StoreError> {
    words.iter().map(|word| word.parse().map_err(|_| unreadable("scope"))).collect()
}

impl ListedRow {
    fn read(self) -> Result<ListedKey, StoreError> {
        Ok(ListedKey {
            id: self.id.into(),
            creator: self.creator_id.into(),
            label: self.label,
            scopes: read_scopes(&self.scopes)?,
            created_at: self.created_at,
            revoked_at: self.revoked_at,
            last_used_at: self.last_used_at,
        })
    }
}

impl KeyRow {
    fn read(self) -> Result<AuthenticatedKey, StoreError> {
        let scopes = read_scopes(&self.scopes)?;
        let caller = Caller {
            workspace: self.workspace_id.into(),
            key: self.id.into(),
            creator: self.creator_id.into(),
            scopes,
        };
        let used = u32::try_from(self.used).map_err(|_| unreadable("count of requests"))?;
        let region =
            self.region.and_then(|region| region.parse().ok()).ok_or_else(|| unreadable("region"))?;
        Ok(AuthenticatedKey { caller, region, used })
    }
}

#[async_trait]
impl KeyStore for PgStore {
    async fn authenticate(
        &self,
        key: ApiKeyHash,
        window_start: OffsetDateTime,
    ) -> Result<Option<AuthenticatedKey>, StoreError> {
        let store = self.clone();
        let run = move |uses: Vec<KeyUse>| {
            let store = store.clone();
            async move { store.authenticate_all(&uses).await }
        };
        self.batches.authenticate.call((), (key, window_start), run).await
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        caller: &Caller,
        hash: ApiKeyHash,
        label: &str,
        entry: &AuditEntry,
    ) -> Result<(), StoreError> {
        let scopes: Vec<&str> = caller.scopes.iter().map(|scope| scope.as_str()).collect();
        let mut transaction = self.begin().await?;
        sql(ADD)
            .bind::<Binary, _>(hash.0)
            .bind::<Uuid, _>(caller.key.uuid())
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(caller.creator.uuid())
            .bind::<Text, _>(label)
            .bind::<Array<Text>, _>(scopes)
            .bind::<Timestamptz, _>(entry.at)
            .execute(&mut transaction)
            .await
            .map_err(failed)?;
        write_audit(&mut transaction, workspace, entry).await?;
        transaction.commit().await
    }

    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<ListedKey>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<ListedRow> =
            sql(LIST).bind::<Uuid, _>(workspace.uuid()).get_results(&mut connection).await.map_err(failed)?;
        rows.into_iter().map(ListedRow::read).collect()
    }

    async fn revoke(
        &self,
        workspace: WorkspaceId,
        key: ApiKeyId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let mut transaction = self.begin().await?;
        let found = sql(REVOKE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(key.uuid())
            .bind::<Timestamptz, _>(entry.at)
            .get_result::<RevokedRow>(&mut transaction)
            .await
            .optional();
        let found = found.map_err(failed)?;
        if found.as_ref().is_some_and(|row| row.revoked) {
            write_audit(&mut transaction, workspace, entry).await?;
            transaction.commit().await?;
        }
        Ok(found.is_some())
    }
}

impl PgStore {
    /// Several uses of one key are one change of its window, and each is told which one it was.
    async fn authenticate_all(&self, uses: &[KeyUse]) -> Result<Vec<Option<AuthenticatedKey>>, StoreError> {
        let mut asked: HashMap<ApiKeyHash, (OffsetDateTime, u32)> = HashMap::with_capacity(uses.len());
        for (key, window_start) in uses {
            let (latest, count) = asked.entry(*key).or_insert((*window_start, 0));
            *latest = (*latest).max(*window_start);
            *count += 1;
        }
        let keys: Vec<(ApiKeyHash, (OffsetDateTime, u32))> = asked.into_iter().collect();
        let column = Columns(&keys);
        let mut connection = self.connection().await?;
        let rows: Vec<KeyRow> = sql(AUTHENTICATE)
            .bind::<Array<Binary>, _>(column.of(|(key, _)| key.0))
            .bind::<Array<Timestamptz>, _>(column.of(|(_, (window_start, _))| *window_start))
            .bind::<Array<Integer>, _>(column.of(|(_, (_, count))| i32::try_from(*count).unwrap_or(i32::MAX)))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let mut found = HashMap::with_capacity(rows.len());
        for row in rows {
            let hash = row.key_hash.as_slice().try_into().map_err(|_| unreadable("hash of a key"))?;
            found.insert(ApiKeyHash(hash), row.read()?);
        }
        let counts: HashMap<ApiKeyHash, u32> =
            keys.into_iter().map(|(key, (_, count))| (key, count)).collect();
        let mut turns: HashMap<ApiKeyHash, u32> = HashMap::with_capacity(counts.len());
        let mut answer = |(key, _): &KeyUse| {
            let turn = turns.entry(*key).or_default();
            *turn += 1;
            let after_me = counts.get(key)?.saturating_sub(*turn);
            let last = found.get(key)?;
            Some(AuthenticatedKey { used: last.used.saturating_sub(after_me), ..last.clone() })
        };
        Ok(uses.iter().map(&mut answer).collect())
    }
}
