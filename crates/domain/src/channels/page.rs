//! Connecting a page, with the Instagram account that is linked to it.

use std::sync::Arc;

use secrecy::SecretString;

use super::{
    Account, ConnectError,
    ports::{Connected, ListedPage, NetworkPages, PageStore},
};
use crate::{
    clock::Clock,
    ids::{AccountId, IdSource, WorkspaceId},
};

/// Connects a page with the token that opens it.
pub struct ConnectPage {
    /// Where pages are kept.
    pub store: Arc<dyn PageStore>,
    /// The network.
    pub network: Arc<dyn NetworkPages>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// New ids.
    pub ids: Arc<dyn IdSource>,
}

impl ConnectPage {
    /// Asks whose page the token opens, subscribes to its updates, then keeps it. Connecting it again replaces its
    /// token, and takes up or lets go of the Instagram account that is linked to it by now.
    ///
    /// # Errors
    /// See [`ConnectError`]; nothing is kept when the network refuses the token.
    pub async fn run(&self, workspace: WorkspaceId, token: SecretString) -> Result<ListedPage, ConnectError> {
        let page = self.network.page(&token).await?;
        self.network.subscribe_page(&page.network_id, &token).await?;
        let network_id = page.network_id.clone();
        let account = Account { id: AccountId::new(&*self.ids), workspace, network_id, token };
        match self.store.connect_page(&account, &page, self.clock.now()).await? {
            Connected::As(_) => Ok(page),
            Connected::Elsewhere => Err(ConnectError::Elsewhere),
            Connected::NoWorkspace => Err(ConnectError::UnknownWorkspace),
        }
    }
}
