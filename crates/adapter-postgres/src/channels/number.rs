//! A connected number as a row.

use diesel::{
    QueryableByName,
    sql_types::{Bool, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{channels::Number, errors::StoreError, ids::WorkspaceId, phone::PhoneNumber};
use time::OffsetDateTime;

use crate::{
    error::{failed, unreadable},
    sql::{Bind, sql},
};

pub(super) const CONNECTED: &str = "
    SELECT channel.id, channel.account_id, account.network_id AS account_network_id, channel.network_id,
           channel.phone, channel.send_only, channel.connected_at
    FROM channels channel
    JOIN accounts account ON account.workspace_id = $1 AND account.id = channel.account_id
    WHERE channel.workspace_id = $1 AND channel.kind = 'whatsapp' AND channel.disconnected_at IS NULL
      AND channel.phone IS NOT NULL
    ORDER BY channel.connected_at, channel.position, channel.id";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    account_id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    account_network_id: String,
    #[diesel(sql_type = Text)]
    network_id: String,
    #[diesel(sql_type = Text)]
    phone: String,
    #[diesel(sql_type = Bool)]
    send_only: bool,
    #[diesel(sql_type = Timestamptz)]
    connected_at: OffsetDateTime,
}

/// The workspace's connected numbers, in the order they were connected.
pub(crate) async fn connected(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
) -> Result<Vec<Number>, StoreError> {
    let rows = sql(CONNECTED).bind::<Uuid, _>(workspace.uuid()).get_results::<Row>(connection).await;
    rows.map_err(failed)?.into_iter().map(Row::read).collect()
}

impl Row {
    fn read(self) -> Result<Number, StoreError> {
        Ok(Number {
            id: self.id.into(),
            account: self.account_id.into(),
            account_network_id: self.account_network_id,
            network_id: self.network_id,
            phone: PhoneNumber::from_e164(&self.phone).map_err(|_| unreadable("phone number"))?,
            send_only: self.send_only,
            connected_at: self.connected_at,
        })
    }
}
