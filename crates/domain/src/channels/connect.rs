//! Connecting an account, and keeping its numbers as the network lists them.

use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};

use super::{
    Account,
    ports::{AccountStore, ConnectError, NetworkAccounts},
};
use crate::{
    audit::{Acting, Action},
    clock::Clock,
    deps::Deps,
    ids::{AccountId, WorkspaceId},
    workspaces::ports::WorkspaceStore,
};

/// Use case that connects a business account with its token.
#[derive(Clone)]
pub struct ConnectAccount {
    pub store: Arc<dyn AccountStore>,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub network: Arc<dyn NetworkAccounts>,
    pub deps: Deps,
}

impl ConnectAccount {
    /// Subscribes to the account's updates, then stores it. Connecting it again replaces its token.
    ///
    /// # Errors
    /// Nothing is stored if the network refuses the token. If there is no such workspace, the network is not
    /// asked.
    pub async fn run(
        &self,
        acting: Acting,
        network_id: String,
        token: SecretString,
    ) -> Result<AccountId, ConnectError> {
        if !is_network_id(&network_id) {
            return Err(ConnectError::NetworkId);
        }
        check_token(&token)?;
        check_workspace(&*self.workspaces, acting.workspace).await?;
        self.network.subscribe(&network_id, &token).await?;
        let entry = acting.does(Action::AccountConnected, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.to(&network_id);
        let id = AccountId::new(&*self.deps.ids);
        let account = Account { id, workspace: acting.workspace, network_id, token };
        self.store.connect(acting.workspace, &account, &entry).await
    }
}

/// Returns whether the text can be an id at the network, which stands in the path of a call.
fn is_network_id(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Checks that the token can stand in a header of every call.
pub(super) fn check_token(token: &SecretString) -> Result<(), ConnectError> {
    let token = token.expose_secret();
    let fits = (1..=4096).contains(&token.len()) && token.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then_some(()).ok_or(ConnectError::Token)
}

/// Checks that the workspace exists: a mistyped one would have the app subscribed to an account that nobody
/// here has.
pub(super) async fn check_workspace(
    workspaces: &dyn WorkspaceStore,
    workspace: WorkspaceId,
) -> Result<(), ConnectError> {
    let known = workspaces.find(workspace).await?;
    known.map(drop).ok_or(ConnectError::UnknownWorkspace)
}

/// Use case that makes an account's numbers those that the network lists.
pub struct SyncNumbers {
    pub store: Arc<dyn AccountStore>,
    pub network: Arc<dyn NetworkAccounts>,
    pub clock: Arc<dyn Clock>,
}

impl SyncNumbers {
    /// Reads every page of the list, then writes once.
    pub async fn run(&self, account: &Account) -> Result<(), ConnectError> {
        let numbers = self.network.numbers(&account.network_id, &account.token).await?;
        Ok(self.store.replace_numbers(account.workspace, account, &numbers, self.clock.now()).await?)
    }
}

#[cfg(test)]
mod tests {
    use secrecy::SecretString;

    use super::{check_token, is_network_id};

    #[test]
    fn an_account_is_named_by_digits() {
        for (text, wanted) in [
            ("102290129340398", true),
            ("1", true),
            ("", false),
            ("10 2", false),
            ("1/subscribed_apps", false),
            ("..", false),
            ("١٢٣", false),
        ] {
            assert_eq!(is_network_id(text), wanted, "{text}");
        }
        assert!(is_network_id(&"1".repeat(32)) && !is_network_id(&"1".repeat(33)));
    }

    #[test]
    fn a_token_fits_into_a_header() {
        for (text, wanted) in
            [("EAAG-x_1|y", true), ("", false), ("a b", false), ("a\r\nX: y", false), ("سر", false)]
        {
            assert_eq!(check_token(&SecretString::from(text)).is_ok(), wanted, "{text}");
        }
        let long = |length| check_token(&SecretString::from("x".repeat(length))).is_ok();
        assert!(long(4096) && !long(4097));
    }
}
