//! API keys and their rate windows; members, invitations and sessions; the log of changes.

mod audit;
mod credentials;
mod invitations;
mod members;
#[cfg(test)]
#[cfg(feature = "testing")]
mod plans;
mod sessions;

pub(crate) use audit::record;

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{Array, Binary, Integer, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    access::{
        ApiKeyHash, Caller, Scope,
        ports::{AuthenticatedKey, KeyStore},
    },
    errors::StoreError,
    ids::{ApiKeyId, WorkspaceId},
};
use time::OffsetDateTime;

use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
};

/// A node whose clock is behind counts into the window that is open already.
const AUTHENTICATE: &str = "
    WITH key AS (
        SELECT id, workspace_id, creator_id, scopes FROM api_keys
        WHERE key_hash = $1 AND revoked_at IS NULL
    ), taken AS (
        INSERT INTO rate_windows AS open (key_id, started_at, used) SELECT id, $2, 1 FROM key
        ON CONFLICT (key_id) DO UPDATE SET
            used = CASE WHEN excluded.started_at > open.started_at THEN 1 ELSE open.used + 1 END,
            started_at = greatest(open.started_at, excluded.started_at)
        RETURNING used
    )
    SELECT key.id, key.workspace_id, key.creator_id, key.scopes, workspaces.region, taken.used
    FROM key, taken, workspaces WHERE workspaces.workspace_id = key.workspace_id";

const ADD: &str = "
    INSERT INTO api_keys (key_hash, id, workspace_id, creator_id, label, scopes, created_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)";

const REVOKE: &str = "
    UPDATE api_keys SET revoked_at = coalesce(revoked_at, $3) WHERE workspace_id = $1 AND id = $2";

#[derive(QueryableByName)]
struct KeyRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    creator_id: uuid::Uuid,
    #[diesel(sql_type = Array<Text>)]
    scopes: Vec<String>,
    #[diesel(sql_type = Text)]
    region: String,
    #[diesel(sql_type = Integer)]
    used: i32,
}

impl KeyRow {
    fn read(self) -> Result<AuthenticatedKey, StoreError> {
        let scopes = self.scopes.iter().map(|scope| scope.parse());
        let scopes = scopes.collect::<Result<Vec<Scope>, _>>().map_err(|_| unreadable("scope"))?;
        let caller = Caller {
            workspace: self.workspace_id.into(),
            key: self.id.into(),
            creator: self.creator_id.into(),
            scopes,
        };
        let used = u32::try_from(self.used).map_err(|_| unreadable("count of requests"))?;
        let region = self.region.parse().map_err(|_| unreadable("region"))?;
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
        let mut connection = self.connection().await?;
        let row = sql(AUTHENTICATE)
            .bind::<Binary, _>(key.0)
            .bind::<Timestamptz, _>(window_start)
            .get_result::<KeyRow>(&mut connection)
            .await
            .optional();
        row.map_err(failed)?.map(KeyRow::read).transpose()
    }

    async fn add(
        &self,
        caller: &Caller,
        hash: ApiKeyHash,
        label: &str,
        now: OffsetDateTime,
    ) -> Result<(), StoreError> {
        let scopes: Vec<&str> = caller.scopes.iter().map(|scope| scope.as_str()).collect();
        let mut connection = self.connection().await?;
        sql(ADD)
            .bind::<Binary, _>(hash.0)
            .bind::<Uuid, _>(caller.key.uuid())
            .bind::<Uuid, _>(caller.workspace.uuid())
            .bind::<Uuid, _>(caller.creator.uuid())
            .bind::<Text, _>(label)
            .bind::<Array<Text>, _>(scopes)
            .bind::<Timestamptz, _>(now)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(())
    }

    async fn revoke(
        &self,
        workspace: WorkspaceId,
        key: ApiKeyId,
        now: OffsetDateTime,
    ) -> Result<bool, StoreError> {
        let mut connection = self.connection().await?;
        let found = sql(REVOKE)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(key.uuid())
            .bind::<Timestamptz, _>(now)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(found > 0)
    }
}
