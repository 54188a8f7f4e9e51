//! Updates and posts that could not be read or handled.

use async_trait::async_trait;
use diesel::{ExpressionMethods, OptionalExtension, QueryDsl, Queryable, Selectable, SelectableHelper};
use domain::{
    channels::ChannelKind,
    errors::StoreError,
    ids::JournalId,
    inbound::{JournalEntry, Quarantined, QuarantinedItem, ports::Quarantine},
};
use time::OffsetDateTime;

use super::append::{append, draw_places};
use crate::{
    error::failed,
    inbound::PgInbound,
    places,
    schema::quarantine,
    sql::{RunQueryDsl, octet_length, storable},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = quarantine)]
struct ListedRow {
    id: i64,
    network: Option<String>,
    workspace_id: Option<uuid::Uuid>,
    reason: String,
    received_at: OffsetDateTime,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = quarantine)]
struct KeptRow {
    payload_sealed: Vec<u8>,
    received_at: OffsetDateTime,
    workspace_id: Option<uuid::Uuid>,
    update_id: Option<uuid::Uuid>,
    webhook: String,
}

#[async_trait]
impl Quarantine for PgInbound {
    async fn list(&self, after: i64, limit: u32) -> Result<Vec<Quarantined>, StoreError> {
        let mut connection = self.database.connection().await?;
        let rows: Vec<(ListedRow, i32)> = quarantine::table
            .filter(quarantine::id.gt(after))
            .order(quarantine::id)
            .limit(i64::from(limit))
            .select((ListedRow::as_select(), octet_length(quarantine::payload_sealed)))
            .load(&mut connection)
            .await
            .map_err(failed)?;
        let listed = |(row, bytes): (ListedRow, i32)| Quarantined {
            id: row.id,
            network: row.network.as_deref().and_then(ChannelKind::read),
            workspace: row.workspace_id.map(Into::into),
            reason: row.reason,
            received_at: row.received_at,
            bytes: u64::try_from(bytes).unwrap_or_default(),
        };
        Ok(rows.into_iter().map(listed).collect())
    }

    async fn size(&self) -> Result<u64, StoreError> {
        let mut connection = self.database.connection().await?;
        let size = quarantine::table.count().get_result::<i64>(&mut connection).await.map_err(failed)?;
        Ok(u64::try_from(size).unwrap_or_default())
    }

    async fn open(&self, id: i64) -> Result<Option<QuarantinedItem>, StoreError> {
        let mut connection = self.database.connection().await?;
        let row = quarantine::table
            .find(id)
            .select(KeptRow::as_select())
            .get_result(&mut connection)
            .await
            .optional()
            .map_err(failed)?;
        Ok(row.map(|row| self.opened(id, row)))
    }

    async fn replay(
        &self,
        id: i64,
        entries: &[JournalEntry],
        stays: Option<String>,
    ) -> Result<bool, StoreError> {
        let sealed = self.sealed_by_workspace(entries)?;
        let transaction = self.database.transaction().await?;
        // First, so that of two concurrent replays the other finds the row gone.
        let mut found = transaction.flight();
        match stays {
            Some(reason) => found.add(
                diesel::update(quarantine::table.find(id)).set(quarantine::reason.eq(storable(&reason))),
            ),
            None => found.add(diesel::delete(quarantine::table.find(id))),
        }
        if transaction.begin_with(found.counts()).await.map_err(failed)? == [0] {
            return Ok(false);
        }
        let count = sealed.values().map(Vec::len).sum();
        let places = transaction.send(draw_places(&transaction, count)).await.map_err(failed)?;
        let mut left = places.as_slice();
        let mut flight = transaction.flight();
        for (workspace, entries) in &sealed {
            let (own, later) = left.split_at(entries.len().min(left.len()));
            flight.add(append(*workspace, &entries.iter().collect::<Vec<_>>(), own, 0));
            left = later;
        }
        transaction.commit_with(flight.counts()).await.map_err(failed)?;
        Ok(true)
    }

    async fn discard(&self, id: i64) -> Result<bool, StoreError> {
        let mut connection = self.database.connection().await?;
        let gone = diesel::delete(quarantine::table.find(id)).execute(&mut connection).await;
        Ok(gone.map_err(failed)? > 0)
    }
}

impl PgInbound {
    fn opened(&self, id: i64, row: KeptRow) -> QuarantinedItem {
        let KeptRow { payload_sealed, received_at, workspace_id, update_id, webhook } = row;
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
            None => match self.database.vault.open(&payload_sealed, &places::quarantined_post(id)) {
                Ok(payload) => QuarantinedItem::Post { webhook, payload },
                Err(error) => QuarantinedItem::Sealed(error.to_string()),
            },
        }
    }
}
