//! Sends that a person's reading has not reached yet, as far as we know.

use diesel::{
    QueryableByName,
    sql_types::{Array, Binary, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    inbound::{MessageNames, SeenUpTo},
    messages::{DeliveryStatus, NetworkMessageId},
};

use crate::{
    PgStore,
    error::{failed, locked, unreadable},
    sql::{Bind, sql},
};

/// Only of pages and accounts, whose sends have no number, are there watermarks.
pub(super) const BEHIND: &str = "
    SELECT id, network_id_sealed FROM sends
    WHERE workspace_id = $1 AND conversation_id = $2 AND behind
      AND status = ANY($3) AND network_id_sealed IS NOT NULL
      AND created_at <= coalesce(
          $4,
          (SELECT named.created_at FROM sends named
           WHERE named.workspace_id = $1 AND named.network_id_hash = $5),
          (SELECT named.created_at FROM messages named
           WHERE named.workspace_id = $1 AND named.network_id_hash = $5))
    ORDER BY created_at";

#[derive(QueryableByName)]
struct Behind {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Binary)]
    network_id_sealed: Vec<u8>,
}

impl PgStore {
    pub(super) async fn find_behind(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        status: DeliveryStatus,
        up_to: &SeenUpTo,
    ) -> Result<Vec<MessageNames>, StoreError> {
        let before: &[&str] = match status {
            DeliveryStatus::Delivered => &["sent"],
            DeliveryStatus::Read => &["sent", "delivered"],
            DeliveryStatus::Sent | DeliveryStatus::Failed => return Ok(Vec::new()),
        };
        let (time, message) = match up_to {
            SeenUpTo::Time(time) => (Some(*time), None),
            SeenUpTo::Message(id) => (None, Some(self.network_id_hash(id).to_vec())),
        };
        let mut connection = self.connection().await?;
        let rows: Vec<Behind> = sql(BEHIND)
            .bind::<Uuid, _>(workspace.uuid())
            .bind::<Uuid, _>(conversation.uuid())
            .bind::<Array<Text>, _>(before)
            .bind::<Nullable<Timestamptz>, _>(time)
            .bind::<Nullable<Binary>, _>(message)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let names = |row: Behind| {
            let id = MessageId::from(row.id);
            let context = format!("network-message-id:{id}");
            let opened = self.vault.open(&row.network_id_sealed, &context).map_err(locked)?;
            let network_id = String::from_utf8(opened).map_err(|_| unreadable("message id"))?;
            Ok(MessageNames { tag: Some(id), network_id: NetworkMessageId::from(network_id) })
        };
        rows.into_iter().map(names).collect()
    }
}
