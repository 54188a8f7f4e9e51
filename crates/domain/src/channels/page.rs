//! Connecting a page, with the Instagram account that is linked to it.

use std::sync::Arc;

use secrecy::SecretString;

use super::{
    Account,
    connect::{check_token, check_workspace},
    ports::{ConnectError, ListedPage, NetworkPages, PageStore},
};
use crate::{
    audit::{Acting, Action},
    deps::Deps,
    ids::AccountId,
    workspaces::ports::WorkspaceStore,
};

/// Use case that connects a page with its token.
#[derive(Clone)]
pub struct ConnectPage {
    pub store: Arc<dyn PageStore>,
    pub workspaces: Arc<dyn WorkspaceStore>,
    pub network: Arc<dyn NetworkPages>,
    pub deps: Deps,
}

impl ConnectPage {
    /// Asks which page the token opens, subscribes to its updates, then stores it. Connecting it again
    /// replaces its token, and connects or disconnects the Instagram account as it is linked by now.
    ///
    /// # Errors
    /// Nothing is stored if the network refuses the token. If there is no such workspace, the network is not
    /// asked.
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
        self.store.connect_page(acting.workspace, &account, &page, &entry).await?;
        Ok(page)
    }
}
