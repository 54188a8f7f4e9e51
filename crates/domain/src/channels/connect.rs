//! Connecting an account, and keeping its numbers as the network lists them.

use std::sync::Arc;

use secrecy::SecretString;

use super::{
    Account,
    ports::{AccountStore, Connected, NetworkAccounts, NetworkError},
};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::{AccountId, IdSource, WorkspaceId},
};

/// An account was not connected, or its numbers not read.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// There is no such workspace.
    #[error("there is no such workspace")]
    UnknownWorkspace,
    /// Another workspace holds the account.
    #[error("another workspace has connected this account")]
    Elsewhere,
    /// The network did not agree.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Connects a business account with the token that opens it.
pub struct ConnectAccount {
    /// Where accounts are kept.
    pub store: Arc<dyn AccountStore>,
    /// The network.
    pub network: Arc<dyn NetworkAccounts>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
}

impl ConnectAccount {
    /// Subscribes to the account's updates, then keeps it. Connecting it again replaces its token.
    ///
    /// # Errors
    /// See [`ConnectError`]; nothing is kept when the network refuses the token.
    pub async fn run(
        &self,
        workspace: WorkspaceId,
        network_id: String,
        token: SecretString,
    ) -> Result<AccountId, ConnectError> {
        self.network.subscribe(&network_id, &token).await?;
        let account = Account { id: AccountId::new(&*self.ids), workspace, network_id, token };
        match self.store.connect(&account, self.clock.now()).await? {
            Connected::As(id) => Ok(id),
            Connected::Elsewhere => Err(ConnectError::Elsewhere),
            Connected::NoWorkspace => Err(ConnectError::UnknownWorkspace),
        }
    }
}

/// Makes an account's numbers those that the network lists.
pub struct SyncNumbers {
    /// Where accounts are kept.
    pub store: Arc<dyn AccountStore>,
    /// The network.
    pub network: Arc<dyn NetworkAccounts>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl SyncNumbers {
    /// Reads every page, then writes once.
    ///
    /// # Errors
    /// See [`ConnectError`].
    pub async fn run(&self, account: &Account) -> Result<(), ConnectError> {
        let numbers = self.network.numbers(&account.network_id, &account.token).await?;
        Ok(self.store.replace_numbers(account, &numbers, self.clock.now()).await?)
    }
}
