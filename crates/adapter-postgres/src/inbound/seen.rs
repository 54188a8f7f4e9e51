//! Sends that a person's reading has not reached yet, as far as we know.

use diesel::{
    QueryableByName,
    sql_types::{Array, Binary, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::RunQueryDsl;
use domain::{
    errors::StoreError,
    ids::{ConversationId, MessageId, WorkspaceId},
    inbound::{Behind, MessageNames, SeenUpTo},
    messages::{DeliveryStatus, NetworkMessageId},
};
use time::OffsetDateTime;

use crate::{
    error::{failed, locked, unreadable},
    inbound::PgInbound,
    places,
    sql::statement,
};

/// Only of pages and accounts, whose sends have no number, are there watermarks. A send that was begun recently and
/// is still under way may be among those that were read.
pub(super) const BEHIND: &str = "
    WITH up_to AS MATERIALIZED (
        SELECT coalesce(
            :time,
            (SELECT named.created_at FROM sends named
             WHERE named.workspace_id = :workspace AND named.network_id_hash = :message),
            (SELECT named.created_at FROM messages named
             WHERE named.workspace_id = :workspace AND named.network_id_hash = :message)) AS at
    )
    SELECT id, network_id_sealed FROM sends
    WHERE workspace_id = :workspace AND conversation_id = :conversation AND behind AND status = ANY(:before)
      AND CASE WHEN network_id_sealed IS NOT NULL THEN created_at <= (SELECT at FROM up_to)
               ELSE created_at > :recently AND created_at <= coalesce((SELECT at FROM up_to), 'infinity') END
    ORDER BY created_at";

#[derive(QueryableByName)]
struct BehindRow {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Nullable<Binary>)]
    network_id_sealed: Option<Vec<u8>>,
}

impl PgInbound {
    pub(super) async fn find_behind(
        &self,
        workspace: WorkspaceId,
        conversation: ConversationId,
        status: DeliveryStatus,
        up_to: &SeenUpTo,
        recently: OffsetDateTime,
    ) -> Result<Behind, StoreError> {
        let before: &[&str] = match status {
            DeliveryStatus::Delivered => &["sent"],
            DeliveryStatus::Read => &["sent", "delivered"],
            DeliveryStatus::Sent | DeliveryStatus::Failed => return Ok(Behind::default()),
        };
        let (time, message) = match up_to {
            SeenUpTo::Time(time) => (Some(*time), None),
            SeenUpTo::Message(id) => (None, Some(self.database.network_id_hash(id).to_vec())),
        };
        let mut connection = self.database.connection().await?;
        let rows: Vec<BehindRow> = statement(BEHIND)
            .of(workspace)
            .bind::<Uuid, _>("conversation", conversation.uuid())
            .bind::<Array<Text>, _>("before", before)
            .bind::<Nullable<Timestamptz>, _>("time", time)
            .bind::<Nullable<Binary>, _>("message", message)
            .bind::<Timestamptz, _>("recently", recently)
            .load(&mut connection)
            .await
            .map_err(failed)?;
        drop(connection);
        let mut behind = Behind::default();
        for row in rows {
            let id = MessageId::from(row.id);
            let Some(sealed) = row.network_id_sealed else {
                behind.under_way = true;
                continue;
            };
            let opened =
                self.database.vault.open(&sealed, &places::network_id(workspace, id)).map_err(locked)?;
            let network_id = String::from_utf8(opened).map_err(|_| unreadable("message id"))?;
            let network_id = NetworkMessageId::from(network_id);
            behind.sends.push(MessageNames { tag: Some(id), network_id });
        }
        Ok(behind)
    }
}
