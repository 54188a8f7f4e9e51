//! How accounts stand at their network.

use async_trait::async_trait;
use diesel::sql_types::{Jsonb, Text, Timestamptz, Uuid};
use diesel_async::RunQueryDsl;
use domain::{
    channels::{AccountStanding, ports::AccountStandings},
    errors::StoreError,
    ids::WorkspaceId,
};

use crate::{
    PgStore,
    error::{failed, unreadable},
    sql::{Bind, sql},
};

/// What the network told later stays; of what it tells again nothing is news.
pub(super) const SET_STANDING: &str = "
    UPDATE accounts SET standing = $3, standing_at = $4
    WHERE workspace_id = $1 AND network_id = $2 AND disconnected_at IS NULL
      AND coalesce(standing_at <= $4, true) AND standing IS DISTINCT FROM $3";

#[async_trait]
impl AccountStandings for PgStore {
    async fn set_standing(
        &self,
        workspace: WorkspaceId,
        network_id: &str,
        standing: &AccountStanding,
    ) -> Result<bool, StoreError> {
        let kept = serde_json::to_value(standing).map_err(|error| StoreError::Internal(error.to_string()))?;
        let mut connection = self.connection().await?;
        let changed = sql(SET_STANDING)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Text, _>(network_id)
            .bind::<Jsonb, _>(kept)
            .bind::<Timestamptz, _>(standing.since)
            .execute(&mut connection)
            .await
            .map_err(failed)?;
        Ok(changed > 0)
    }
}

/// Reads how an account stands.
pub(crate) fn read_standing(kept: Option<serde_json::Value>) -> Result<Option<AccountStanding>, StoreError> {
    kept.map(serde_json::from_value).transpose().map_err(|_| unreadable("standing"))
}
