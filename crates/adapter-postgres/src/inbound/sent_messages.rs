//! Sent messages, and what the network says of them.

use async_trait::async_trait;
use diesel::{
    OptionalExtension,
    sql_types::{Binary, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{MessageId, WorkspaceId},
    inbound::{SentMessage, StatusChange, ports::SentMessages},
    messages::NetworkMessageId,
};

use crate::{
    PgStore,
    error::failed,
    sending::{LedgerRow, ledger},
    sql::{Bind, sql},
    webhooks::{Count, owe, owing},
};

pub(super) const FIND: &str = concat!(
    ledger!(),
    " WHERE send.workspace_id = $1 AND (send.id = $2 OR send.network_id_hash = $3)
      ORDER BY send.id IS NOT DISTINCT FROM $2 DESC LIMIT 1",
);

pub(super) const COMMIT: &str = concat!(
    "WITH owing AS (
        UPDATE sends SET status = $8, delivered_at = $9, read_at = $10, failed_at = $11,
                         error = coalesce($12, error)
        WHERE workspace_id = $1 AND id = $7
          AND (status, delivered_at, read_at, failed_at) IS NOT DISTINCT FROM ($13, $14, $15, $16)
        RETURNING id
    ), ",
    owe!(),
    " SELECT count(*) FROM owing",
);

#[async_trait]
impl SentMessages for PgStore {
    async fn find(
        &self,
        workspace: WorkspaceId,
        tag: Option<MessageId>,
        network_id: &NetworkMessageId,
    ) -> Result<Option<SentMessage>, StoreError> {
        let mut connection = self.connection().await?;
        let row: Option<LedgerRow> = sql(FIND)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Nullable<Uuid>, _>(tag.map(MessageId::uuid))
            .bind::<Binary, _>(self.network_id_hash(network_id))
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        drop(connection);
        let Some(row) = row else { return Ok(None) };
        let customer = row.customer()?;
        Ok(Some(SentMessage { entry: row.entry(workspace)?, customer }))
    }

    async fn commit(&self, change: &StatusChange) -> Result<(), StoreError> {
        let StatusChange { workspace, id, before, after, kept_error, events } = change;
        let mut connection = self.connection().await?;
        let owed = self.owed(&mut connection, *workspace, events).await?;
        let written: Count = owing(COMMIT, *workspace, &owed)
            .bind::<Uuid, _>(id.uuid())
            .bind::<Text, _>(after.status.as_str())
            .bind::<Nullable<Timestamptz>, _>(after.delivered_at)
            .bind::<Nullable<Timestamptz>, _>(after.read_at)
            .bind::<Nullable<Timestamptz>, _>(after.failed_at)
            .bind::<Nullable<Text>, _>(kept_error.as_deref().map(|error| error.replace('\0', "")))
            .bind::<Text, _>(before.status.as_str())
            .bind::<Nullable<Timestamptz>, _>(before.delivered_at)
            .bind::<Nullable<Timestamptz>, _>(before.read_at)
            .bind::<Nullable<Timestamptz>, _>(before.failed_at)
            .get_result(&mut connection)
            .await
            .map_err(failed)?;
        if written.count == 0 { Err(StoreError::Stale) } else { Ok(()) }
    }
}
