//! Connected accounts with their connections, as rows.

use diesel::{Queryable, Selectable};
use domain::{
    channels::{AccountKind, ChannelKind, ListedAccount, ListedConnection},
    errors::StoreError,
    phone::PhoneNumber,
};
use time::OffsetDateTime;

use super::standing::read_standing;
use crate::{
    error::unreadable,
    schema::{accounts, channels},
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = accounts)]
pub(super) struct AccountRow {
    id: uuid::Uuid,
    network_id: String,
    page_name: Option<String>,
    connected_at: OffsetDateTime,
    templates_synced_at: Option<OffsetDateTime>,
    standing: Option<serde_json::Value>,
}

#[derive(Queryable, Selectable)]
#[diesel(table_name = channels)]
pub(super) struct ConnectionRow {
    id: uuid::Uuid,
    kind: String,
    network_id: String,
    phone: Option<String>,
    send_only: bool,
    connected_at: OffsetDateTime,
    disconnected_at: Option<OffsetDateTime>,
}

/// Groups rows by account; an account without connections has one row without one.
pub(super) fn listed(
    rows: Vec<(AccountRow, Option<ConnectionRow>)>,
) -> Result<Vec<ListedAccount>, StoreError> {
    let mut accounts: Vec<ListedAccount> = Vec::new();
    for (row, connection) in rows {
        if accounts.last().is_none_or(|account| account.id.uuid() != row.id) {
            accounts.push(row.read()?);
        }
        let (Some(account), Some(connection)) = (accounts.last_mut(), connection) else { continue };
        let is_connected = connection.disconnected_at.is_none();
        let connection = connection.read()?;
        // The kind of an account follows from its connections, past ones included.
        account.kind = connection.kind.account();
        if is_connected {
            account.connections.push(connection);
        }
    }
    Ok(accounts)
}

impl AccountRow {
    fn read(self) -> Result<ListedAccount, StoreError> {
        Ok(ListedAccount {
            id: self.id.into(),
            kind: AccountKind::Business,
            network_id: self.network_id,
            page_name: self.page_name,
            connected_at: self.connected_at,
            templates_synced_at: self.templates_synced_at,
            standing: read_standing(self.standing)?,
            connections: Vec::new(),
        })
    }
}

impl ConnectionRow {
    fn read(self) -> Result<ListedConnection, StoreError> {
        let phone = self.phone.as_deref().map(PhoneNumber::from_e164).transpose();
        Ok(ListedConnection {
            id: self.id.into(),
            kind: ChannelKind::read(&self.kind).ok_or_else(|| unreadable("channel"))?,
            network_id: self.network_id,
            phone: phone.map_err(|_| unreadable("phone number"))?,
            send_only: self.send_only,
            connected_at: self.connected_at,
        })
    }
}
