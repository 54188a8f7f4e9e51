//! Connecting a page, with the Instagram account that is linked to it.

use std::sync::Arc;

use secrecy::SecretString;

use super::{
    Account, ConnectError,
    connect::{check_token, check_workspace},
    ports::{Connected, ListedPage, NetworkPages, PageStore},
};
use crate::{
    access::audit::{Acting, Action},
    deps::Deps,
    ids::AccountId,
    workspaces::ports::WorkspaceStore,
};

/// It connects a page with the token that opens it.
#[derive(Clone)]
pub struct ConnectPage {
    pub store: Arc<dyn PageStore>,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub network: Arc<dyn NetworkPages>,
    pub deps: Deps,
}

impl ConnectPage {
    /// Asks whose page the token opens, subscribes to its updates, then keeps it. Connecting it again replaces its
    /// token, and takes up or lets go of the Instagram account that is linked to it by now.
    ///
    /// # Errors
    /// See [`ConnectError`]; nothing is kept when the network refuses the token, and for a workspace that there is not
    /// the network is asked nothing.
    pub async fn run(&self, acting: Acting, token: SecretString) -> Result<ListedPage, ConnectError> {
        check_token(&token)?;
        check_workspace(&*self.workspaces, acting.workspace).await?;
        let page = self.network.page(&token).await?;
        self.network.subscribe_page(&page.network_id, &token).await?;
        let network_id = page.network_id.clone();
        let entry = acting.does(Action::AccountConnected, self.deps.clock.now(), &*self.deps.ids);
        let entry = entry.to(&network_id);
        let id = AccountId::new(&*self.deps.ids);
        let account = Account { id, workspace: acting.workspace, network_id, token };
        match self.store.connect_page(acting.workspace, &account, &page, &entry).await? {
            Connected::As(_) => Ok(page),
            Connected::Elsewhere => Err(ConnectError::Elsewhere),
            Connected::NoWorkspace => Err(ConnectError::UnknownWorkspace),
        }
    }
}
