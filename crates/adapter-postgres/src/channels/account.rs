//! An account as a row, its token sealed.

use diesel::{
    QueryableByName,
    sql_types::{Binary, Text, Uuid},
};
use domain::{channels::Account, errors::StoreError, ids::AccountId};
use secrecy::SecretString;

use crate::{
    PgStore,
    error::{locked, unreadable},
};

#[derive(QueryableByName)]
pub(super) struct Row {
    #[diesel(sql_type = Uuid)]
    workspace_id: uuid::Uuid,
    #[diesel(sql_type = Uuid)]
    id: uuid::Uuid,
    #[diesel(sql_type = Text)]
    network_id: String,
    #[diesel(sql_type = Binary)]
    token_sealed: Vec<u8>,
}

impl PgStore {
    pub(super) fn read_account(&self, row: Row) -> Result<Account, StoreError> {
        let id = AccountId::from(row.id);
        let token = self.vault.open(&row.token_sealed, &token_context(id)).map_err(locked)?;
        let token = String::from_utf8(token).map_err(|_| unreadable("token"))?;
        Ok(Account {
            id,
            workspace: row.workspace_id.into(),
            network_id: row.network_id,
            token: SecretString::from(token),
        })
    }
}

/// What an account's token is sealed for.
pub(crate) fn token_context(id: AccountId) -> String {
    format!("account-token:{id}")
}
