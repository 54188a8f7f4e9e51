//! An account as a row, with its token sealed.

use diesel::{Queryable, Selectable};
use domain::{channels::Account, errors::StoreError, ids::AccountId};
use secrecy::SecretString;

use crate::{
    channels::PgChannels,
    error::{locked, unreadable},
    places,
    schema::accounts,
};

#[derive(Queryable, Selectable)]
#[diesel(table_name = accounts)]
pub(super) struct Row {
    workspace_id: uuid::Uuid,
    id: uuid::Uuid,
    network_id: String,
    token_sealed: Vec<u8>,
}

impl PgChannels {
    pub(super) fn read_account(&self, row: Row) -> Result<Account, StoreError> {
        let id = AccountId::from(row.id);
        let workspace = row.workspace_id.into();
        let token =
            self.database.vault.open(&row.token_sealed, &places::token(workspace, id)).map_err(locked)?;
        let token = String::from_utf8(token).map_err(|_| unreadable("token"))?;
        Ok(Account { id, workspace, network_id: row.network_id, token: SecretString::from(token) })
    }
}
