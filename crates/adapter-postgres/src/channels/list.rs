//! The connected accounts with what is connected through them.

use diesel::{
    QueryableByName,
    sql_types::{Bool, Jsonb, Nullable, Text, Timestamptz, Uuid},
};
use diesel_async::{AsyncPgConnection, RunQueryDsl};
use domain::{
    channels::{AccountKind, ChannelKind, ListedAccount, ListedConnection},
    errors::StoreError,
    ids::WorkspaceId,
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use super::standing::read_standing;
use crate::{
    error::{failed, unreadable},
    sql::{Bind, sql},
};

/// A row for each connection, past ones as well, and for each account that has none.
pub(super) const LIST: &str = "
    SELECT account.id, account.network_id, account.connected_at, account.templates_synced_at, account.standing,
           channel.id AS channel_id, channel.kind, channel.network_id AS channel_network_id, channel.phone,
           channel.send_only, channel.connected_at AS channel_connected_at,
           channel.disconnected_at IS NULL AS connected
    FROM accounts account
    LEFT JOIN channels channel ON channel.workspace_id = $1 AND channel.account_id = account.id
    WHERE account.workspace_id = $1 AND account.disconnected_at IS NULL
    ORDER BY account.connected_at, account.id, channel.connected_at, channel.position, channel.id";

#[derive(QueryableByName)]
struct Row {
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    network_id: String,
    #[diesel(sql_type = Timestamptz)]
    connected_at: OffsetDateTime,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    templates_synced_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Nullable<Jsonb>)]
    standing: Option<serde_json::Value>,
    #[diesel(sql_type = Nullable<Uuid>)]
    channel_id: Option<uuid::Uuid>,
    #[diesel(sql_type = Nullable<Text>)]
    kind: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    channel_network_id: Option<String>,
    #[diesel(sql_type = Nullable<Text>)]
    phone: Option<String>,
    #[diesel(sql_type = Nullable<Bool>)]
    send_only: Option<bool>,
    #[diesel(sql_type = Nullable<Timestamptz>)]
    channel_connected_at: Option<OffsetDateTime>,
    #[diesel(sql_type = Bool)]
    connected: bool,
}

pub(super) async fn listed(
    connection: &mut AsyncPgConnection,
    workspace: WorkspaceId,
) -> Result<Vec<ListedAccount>, StoreError> {
    let rows = sql(LIST).bind::<Uuid, _>(workspace.uuid()).get_results::<Row>(connection).await;
    let mut accounts: Vec<ListedAccount> = Vec::new();
    for row in rows.map_err(failed)? {
        if accounts.last().is_none_or(|account| account.id.uuid() != row.id) {
            accounts.push(row.account()?);
        }
        let Some(account) = accounts.last_mut() else { continue };
        let Some(connected) = row.connection()? else { continue };
        // A page is known by what is written to it, also once it is not.
        if connected.kind != ChannelKind::Whatsapp {
            account.kind = AccountKind::Page;
        }
        if row.connected {
            account.connections.push(connected);
        }
    }
    Ok(accounts)
}

impl Row {
    fn account(&self) -> Result<ListedAccount, StoreError> {
        Ok(ListedAccount {
            id: self.id.into(),
            kind: AccountKind::Business,
            network_id: self.network_id.clone(),
            connected_at: self.connected_at,
            templates_synced_at: self.templates_synced_at,
            standing: read_standing(self.standing.clone())?,
            connections: Vec::new(),
        })
    }

    fn connection(&self) -> Result<Option<ListedConnection>, StoreError> {
        let names = self.kind.as_deref().zip(self.channel_network_id.clone());
        let rest = self.send_only.zip(self.channel_connected_at);
        let Some((id, ((kind, network_id), (send_only, connected_at)))) =
            self.channel_id.zip(names.zip(rest))
        else {
            return Ok(None);
        };
        let phone = self.phone.as_deref().map(PhoneNumber::from_e164).transpose();
        Ok(Some(ListedConnection {
            id: id.into(),
            kind: ChannelKind::read(kind).ok_or_else(|| unreadable("channel"))?,
            network_id,
            phone: phone.map_err(|_| unreadable("phone number"))?,
            send_only,
            connected_at,
        }))
    }
}
