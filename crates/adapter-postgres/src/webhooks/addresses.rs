//! Registered addresses.

use async_trait::async_trait;
use diesel::sql_types::{Array, BigInt, Binary, Text, Timestamptz, Uuid};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{WebhookAddressId, WorkspaceId},
    webhooks::{
        Event,
        ports::{Added, AddressStore, NewAddress},
    },
};

use super::{Count, owe, owing};
use crate::{
    PgStore,
    error::{failed, locked},
    sql::{Bind, sql},
};

// Without KEY: what refers to the workspace need not wait.
const LOCK_WORKSPACE: &str = "SELECT workspace_id FROM workspaces WHERE workspace_id = $1 FOR NO KEY UPDATE";

const ADD: &str = "
    INSERT INTO webhook_addresses (workspace_id, id, url, events, secret_sealed, created_at)
    SELECT $1, $2, $3, $4, $5, $6
    WHERE (SELECT count(*) FROM webhook_addresses WHERE workspace_id = $1) < $7";

const OWE: &str = concat!("WITH owing AS (SELECT), ", owe!(), " SELECT count(*) FROM delivery",);

#[async_trait]
impl AddressStore for PgStore {
    async fn add(&self, address: &NewAddress, most: u32) -> Result<Added, StoreError> {
        let secret = address.secret.reveal().as_bytes();
        let sealed = self.vault.seal(secret, &secret_context(address.id)).map_err(locked)?;
        let events: Vec<&str> = address.events.iter().map(|event| event.as_str()).collect();
        let workspace = address.workspace.uuid();
        let mut transaction = self.begin().await?;
        let locked = sql(LOCK_WORKSPACE).bind::<Uuid, _>(workspace).execute(&mut *transaction).await;
        if locked.map_err(failed)? == 0 {
            return Ok(Added::NoWorkspace);
        }
        let added = sql(ADD)
            .bind::<Uuid, _>(workspace)
            .bind::<Uuid, _>(address.id.uuid())
            .bind::<Text, _>(&address.url)
            .bind::<Array<Text>, _>(&events)
            .bind::<Binary, _>(&sealed)
            .bind::<Timestamptz, _>(address.created_at)
            .bind::<BigInt, _>(i64::from(most))
            .execute(&mut *transaction)
            .await
            .map_err(failed)?;
        transaction.commit().await?;
        Ok(if added == 0 { Added::TooMany } else { Added::Yes })
    }

    async fn owe(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        event: &Event,
    ) -> Result<bool, StoreError> {
        let owed = self.owed_to(workspace, address, event)?;
        let mut connection = self.connection().await?;
        let owed: Count = owing(OWE, workspace, &owed).get_result(&mut connection).await.map_err(failed)?;
        Ok(owed.count > 0)
    }
}

/// What an address's secret is sealed for.
pub(super) fn secret_context(id: WebhookAddressId) -> String {
    format!("webhook-secret:{id}")
}
