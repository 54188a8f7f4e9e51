//! API keys and their rate windows.

use std::collections::HashMap;

use async_trait::async_trait;
use diesel::{
    BoolExpressionMethods, ExpressionMethods, JoinOnDsl, NullableExpressionMethods, QueryDsl, Queryable,
    QueryableByName, Selectable, SelectableHelper,
    sql_types::{Array, Binary, Integer, Timestamptz},
};
use diesel_async::AsyncPgConnection;
use domain::{
    access::{
        ApiKeyHash, Caller, ListedKey, Scope,
        ports::{AuthenticatedKey, KeyStore},
    },
    audit::AuditEntry,
    errors::StoreError,
    ids::{ApiKeyId, WorkspaceId},
};
use futures_util::future::try_join;
use time::OffsetDateTime;

use super::{KeyUse, credentials::wait_for_turn};
use crate::{
    access::PgAccess,
    audit::{audit, still_owner},
    bounds,
    error::{failed, unreadable},
    schema::{api_keys, rate_windows},
    sql::{RunQueryDsl, statement},
};

/// Counts each key once, with all its uses. A node whose clock is behind counts into the window that is
/// already open. Windows are locked in the same order everywhere.
pub(super) const COUNT_USES: &str = "
    INSERT INTO rate_windows AS open (key_id, started_at, used)
    SELECT key.id, asked.started_at, asked.uses
    FROM api_keys key
    JOIN unnest(:hashes, :windows, :uses) AS asked (key_hash, started_at, uses) USING (key_hash)
    WHERE key.key_hash = ANY(:hashes) AND key.revoked_at IS NULL ORDER BY key.id
    ON CONFLICT (key_id) DO UPDATE SET
        used = CASE WHEN excluded.started_at > open.started_at THEN excluded.used
                    ELSE open.used + excluded.used END,
        started_at = greatest(open.started_at, excluded.started_at)
    RETURNING key_id, used";

#[derive(QueryableByName)]
#[diesel(table_name = rate_windows)]
struct UsedRow {
    key_id: uuid::Uuid,
    used: i32,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = api_keys)]
struct KeyRow {
    key_hash: Vec<u8>,
    id: uuid::Uuid,
    workspace_id: uuid::Uuid,
    creator_id: uuid::Uuid,
    scopes: Vec<String>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = api_keys)]
struct ListedRow {
    id: uuid::Uuid,
    creator_id: uuid::Uuid,
    label: String,
    scopes: Vec<String>,
    created_at: OffsetDateTime,
    revoked_at: Option<OffsetDateTime>,
}

fn read_scopes(words: &[String]) -> Result<Vec<Scope>, StoreError> {
    words.iter().map(|word| word.parse().map_err(|_| unreadable("scope"))).collect()
}

impl ListedRow {
    fn read(self, last_used_at: Option<OffsetDateTime>) -> Result<ListedKey, StoreError> {
        Ok(ListedKey {
            id: self.id.into(),
            creator: self.creator_id.into(),
            label: self.label,
            scopes: read_scopes(&self.scopes)?,
            created_at: self.created_at,
            revoked_at: self.revoked_at,
            last_used_at,
        })
    }
}

impl KeyRow {
    fn read(self, used: i32) -> Result<(ApiKeyHash, AuthenticatedKey), StoreError> {
        let hash = self.key_hash.as_slice().try_into().map_err(|_| unreadable("hash of a key"))?;
        let caller = Caller {
            workspace: self.workspace_id.into(),
            key: self.id.into(),
            creator: self.creator_id.into(),
            scopes: read_scopes(&self.scopes)?,
        };
        let used = u32::try_from(used).map_err(|_| unreadable("count of requests"))?;
        Ok((ApiKeyHash(hash), AuthenticatedKey { caller, used }))
    }
}

#[async_trait]
impl KeyStore for PgAccess {
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
        self.authentications.call((), (key, window_start), run).await
    }

    async fn add(
        &self,
        workspace: WorkspaceId,
        caller: &Caller,
        hash: ApiKeyHash,
        label: &str,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let scopes: Vec<&str> = caller.scopes.iter().map(|scope| scope.as_str()).collect();
        let transaction = self.database.transaction().await?;
        let known = api_keys::table
            .filter(api_keys::workspace_id.eq(workspace.uuid()))
            .filter(api_keys::revoked_at.is_null())
            .count()
            .get_result::<i64>(&mut &*transaction);
        let turn = wait_for_turn(&transaction, workspace.uuid());
        let known = async { try_join(turn, known).await.map(|(_, known)| known) };
        if !bounds::has_room(&transaction, workspace, known, most).await? {
            return Ok(false);
        }
        still_owner(&transaction, workspace, entry).await?;
        let mut flight = transaction.flight();
        flight.add(diesel::insert_into(api_keys::table).values((
            api_keys::workspace_id.eq(workspace.uuid()),
            api_keys::key_hash.eq(hash.0.as_slice()),
            api_keys::id.eq(caller.key.uuid()),
            api_keys::creator_id.eq(caller.creator.uuid()),
            api_keys::label.eq(label),
            api_keys::scopes.eq(scopes),
            api_keys::created_at.eq(entry.at),
        )));
        audit(&mut flight, workspace, entry);
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<ListedKey>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<(ListedRow, Option<OffsetDateTime>)> = api_keys::table
            .left_join(rate_windows::table.on(rate_windows::key_id.eq(api_keys::id)))
            .filter(api_keys::workspace_id.eq(workspace.uuid()))
            .order((api_keys::created_at.desc(), api_keys::id.desc()))
            .select((ListedRow::as_select(), rate_windows::started_at.nullable()))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        rows.into_iter().map(|(row, last_used_at)| row.read(last_used_at)).collect()
    }

    async fn revoke(
        &self,
        workspace: WorkspaceId,
        key: ApiKeyId,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError> {
        let of_key = || api_keys::workspace_id.eq(workspace.uuid()).and(api_keys::id.eq(key.uuid()));
        let revoke = diesel::update(api_keys::table.filter(of_key()).filter(api_keys::revoked_at.is_null()))
            .set(api_keys::revoked_at.eq(entry.at));
        if self.database.change_audited(revoke, workspace, entry).await? > 0 {
            return Ok(true);
        }
        let mut connection = self.database.connection().await?;
        let known = diesel::select(diesel::dsl::exists(api_keys::table.filter(of_key())));
        known.get_result(&mut connection).await.map_err(failed)
    }
}

impl PgAccess {
    /// Counts several uses of one key by one change of its window; each use gets its own number.
    pub(super) async fn authenticate_all(
        &self,
        uses: &[KeyUse],
    ) -> Result<Vec<Option<AuthenticatedKey>>, StoreError> {
        let mut asked: HashMap<ApiKeyHash, (OffsetDateTime, u32)> = HashMap::with_capacity(uses.len());
        for (key, window_start) in uses {
            let (latest, count) = asked.entry(*key).or_insert((*window_start, 0));
            *latest = (*latest).max(*window_start);
            *count += 1;
        }
        let found = self.count_uses(&asked).await?;
        let mut turns: HashMap<ApiKeyHash, u32> = HashMap::with_capacity(asked.len());
        let mut answer = |(key, _): &KeyUse| {
            let turn = turns.entry(*key).or_default();
            *turn += 1;
            let (_, count) = asked.get(key)?;
            let after_me = count.saturating_sub(*turn);
            let last = found.get(key)?;
            Some(AuthenticatedKey { used: last.used.saturating_sub(after_me), ..last.clone() })
        };
        Ok(uses.iter().map(&mut answer).collect())
    }

    /// Counts the uses and loads the keys. A key that is revoked in between has no use.
    async fn count_uses(
        &self,
        asked: &HashMap<ApiKeyHash, (OffsetDateTime, u32)>,
    ) -> Result<HashMap<ApiKeyHash, AuthenticatedKey>, StoreError> {
        let hashes: Vec<&[u8]> = asked.keys().map(|key| key.0.as_slice()).collect();
        let windows: Vec<OffsetDateTime> = asked.values().map(|(window_start, _)| *window_start).collect();
        let uses: Vec<i32> =
            asked.values().map(|(_, count)| i32::try_from(*count).unwrap_or(i32::MAX)).collect();
        let connection = self.database.connection().await?;
        let mut connection: &AsyncPgConnection = &connection;
        let keys = api_keys::table
            .filter(api_keys::key_hash.eq_any(&hashes))
            .filter(api_keys::revoked_at.is_null())
            .select(KeyRow::as_select())
            .load::<KeyRow>(&mut connection);
        let counted = statement(COUNT_USES)
            .bind::<Array<Binary>, _>("hashes", &hashes)
            .bind::<Array<Timestamptz>, _>("windows", &windows)
            .bind::<Array<Integer>, _>("uses", &uses)
            .load::<UsedRow>(&mut connection);
        let (keys, counted) = try_join(keys, counted).await.map_err(failed)?;
        let counts: HashMap<uuid::Uuid, i32> =
            counted.into_iter().map(|row| (row.key_id, row.used)).collect();
        keys.into_iter().filter_map(|key| counts.get(&key.id).copied().map(|used| key.read(used))).collect()
    }
}
