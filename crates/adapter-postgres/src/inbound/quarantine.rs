//! What could not be read or handled.

use async_trait::async_trait;
use diesel::{
    OptionalExtension, QueryableByName,
    sql_types::{BigInt, Binary, Integer, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    channels::ChannelKind,
    errors::StoreError,
    ids::JournalId,
    inbound::{JournalEntry, Quarantined, QuarantinedItem, ports::Quarantine},
};
use time::OffsetDateTime;

use super::journal::append;
use crate::{
    PgStore,
    error::failed,
    places,
    sql::{Bind, sql, storable},
};

const LIST: &str = "
    SELECT id, network, workspace_id, reason, received_at, octet_length(payload_sealed) AS bytes
    FROM quarantine WHERE id > $1 ORDER BY id LIMIT $2";

const OPEN: &str =
    "SELECT payload_sealed, received_at, workspace_id, update_id FROM quarantine WHERE id = $1";

const STAY: &str = "UPDATE quarantine SET reason = $2 WHERE id = $1";

const GO: &str = "DELETE FROM quarantine WHERE id = $1";

#[derive(QueryableByName)]
struct ListedRow {
    #[diesel(sql_type = BigInt)]
    id: i64,
    #[diesel(sql_type = Nullable<Text>)]
    network: Option<String>,
    #[diesel(sql_type = Nullable<Uuid>)]
    workspace_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Text)]
    reason: String,
    #[diesel(sql_type = Timestamptz)]
    received_at: OffsetDateTime,
    #[diesel(sql_type = Integer)]
    bytes: i32,
}

#[derive(QueryableByName)]
struct KeptRow {
    #[diesel(sql_type = Binary)]
    payload_sealed: Vec<u8>,
    #[diesel(sql_type = Timestamptz)]
    received_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Uuid>)]
    workspace_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Uuid>)]
    update_id: Option<uuid::Uuid>,
}

#[async_trait]
impl Quarantine for PgStore {
    async fn list(&self, after: i64, limit: u32) -> Result<Vec<Quarantined>, StoreError> {
        let mut connection = self.connection().await?;
        let rows: Vec<ListedRow> = sql(LIST)
            .bind::<BigInt, _>(after)
            .bind::<BigInt, _>(i64::from(limit))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let listed = |row: ListedRow| Quarantined {
            id: row.id,
            network: row.network.as_deref().and_then(ChannelKind::read),
            workspace: row.workspace_id.map(Into::into),
            reason: row.reason,
            received_at: row.received_at,
            bytes: u64::try_from(row.bytes).unwrap_or_default(),
        };
        Ok(rows.into_iter().map(listed).collect())
    }

    async fn open(&self, id: i64) -> Result<Option<QuarantinedItem>, StoreError> {
        let mut connection = self.connection().await?;
        let row: Option<KeptRow> =
            sql(OPEN).bind::<BigInt, _>(id).get_result(&mut connection).await.optional().map_err(failed)?;
        Ok(row.map(|row| self.opened(id, row)))
    }

    async fn replay(
        &self,
        id: i64,
        entries: &[JournalEntry],
        stays: Option<String>,
    ) -> Result<bool, StoreError> {
        let sealed = self.sealed_by_workspace(entries)?;
        let mut transaction = self.begin().await?;
        // First, so that of two replays at once the other finds it gone.
        let found = match stays {
            Some(reason) => {
                let stay = sql(STAY).bind::<BigInt, _>(id).bind::<Text, _>(storable(&reason));
                stay.execute(&mut transaction).await
            }
            None => sql(GO).bind::<BigInt, _>(id).execute(&mut transaction).await,
        };
        if found.map_err(failed)? == 0 {
            return Ok(false);
        }
        for (workspace, entries) in &sealed {
            let entries: Vec<_> = entries.iter().collect();
            append(&mut transaction, *workspace, &entries, 0).await.map_err(failed)?;
        }
        transaction.commit().await?;
        Ok(true)
    }

    async fn discard(&self, id: i64) -> Result<bool, StoreError> {
        let mut connection = self.connection().await?;
        let gone = sql(GO).bind::<BigInt, _>(id).execute(&mut connection).await.map_err(failed)?;
        Ok(gone > 0)
    }
}

impl PgStore {
    fn opened(&self, id: i64, row: KeptRow) -> QuarantinedItem {
        let KeptRow { payload_sealed, received_at, workspace_id, update_id } = row;
        match workspace_id.zip(update_id) {
            Some((workspace, update)) => {
                let id = JournalId::from(update);
                let workspace = workspace.into();
                match self.open_item(workspace, id, &payload_sealed) {
                    Ok(item) => QuarantinedItem::Update(Box::new(JournalEntry {
                        id,
                        workspace,
                        received_at,
                        attempts: 0,
                        item,
                    })),
                    Err(error) => QuarantinedItem::Sealed(error.to_string()),
                }
            }
            None => match self.vault.open(&payload_sealed, &places::quarantined_post(id)) {
                Ok(raw) => QuarantinedItem::Post(raw),
                Err(error) => QuarantinedItem::Sealed(error.to_string()),
            },
        }
    }
}
