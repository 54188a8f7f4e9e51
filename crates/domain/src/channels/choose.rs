//! Connecting what was chosen of what a token opens.

use std::sync::Arc;

use secrecy::SecretString;

use super::{
    AccountKind, ConnectAccount, ConnectError, ConnectPage, offer,
    opened::owned_pages,
    ports::{NetworkPages, NetworkTokens},
};
use crate::{
    access::audit::Acting,
    clock::Clock,
    ids::{AccountId, SessionId},
    vault::Vault,
};

/// What is to be connected, by ids at the network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    /// Business accounts.
    pub accounts: Vec<String>,
    /// Pages.
    pub pages: Vec<String>,
}

/// What became of one of them.
#[derive(Debug)]
pub struct ChosenOutcome {
    /// Its id at the network.
    pub network_id: String,
    /// What it is.
    pub kind: AccountKind,
    /// The account that it is here, or why it was not connected. A page's numbers are none, so it has no id to be read by.
    pub connected: Result<Option<AccountId>, ConnectError>,
}

/// Connects what was chosen.
#[derive(Clone)]
pub struct ConnectChosen {
    /// Connects accounts.
    pub accounts: ConnectAccount,
    /// Connects pages.
    pub pages: ConnectPage,
    /// Lists pages.
    pub network: Arc<dyn NetworkPages>,
    /// Describes tokens.
    pub tokens: Arc<dyn NetworkTokens>,
    /// Opens the token.
    pub vault: Arc<dyn Vault>,
    /// The time.
    pub clock: Arc<dyn Clock>,
}

impl ConnectChosen {
    /// Connects each by itself, so that one that is refused keeps none of the others back. To connect one again changes
    /// nothing but its token.
    ///
    /// # Errors
    /// [`ConnectError::Offer`] when the token is not to be had any more, [`ConnectError::NothingChosen`], and those of
    /// asking which pages the token opens.
    pub async fn run(
        &self,
        acting: Acting,
        session: SessionId,
        offer: &str,
        choice: Choice,
    ) -> Result<Vec<ChosenOutcome>, ConnectError> {
        let token = offer::open(&*self.vault, acting.workspace, session, offer, self.clock.now())?;
        if choice.accounts.is_empty() && choice.pages.is_empty() {
            return Err(ConnectError::NothingChosen);
        }
        let mut outcomes = Vec::new();
        for network_id in choice.accounts {
            let connected = self.accounts.run(acting, network_id.clone(), token.clone()).await.map(Some);
            outcomes.push(ChosenOutcome { network_id, kind: AccountKind::Business, connected });
        }
        if !choice.pages.is_empty() {
            outcomes.extend(self.connect_pages(acting, &token, choice.pages).await?);
        }
        Ok(outcomes)
    }

    /// Each page with its own token, which the person's token lists.
    async fn connect_pages(
        &self,
        acting: Acting,
        token: &SecretString,
        chosen: Vec<String>,
    ) -> Result<Vec<ChosenOutcome>, ConnectError> {
        let facts = self.tokens.describe(token).await?;
        let owned = owned_pages(&*self.network, &facts, token).await?;
        let mut outcomes = Vec::new();
        for network_id in chosen {
            let connected = match owned.iter().find(|owned| owned.page.network_id == network_id) {
                Some(owned) => self.pages.run(acting, owned.token.clone()).await.map(|_| None),
                None => Err(ConnectError::NotOpened),
            };
            outcomes.push(ChosenOutcome { network_id, kind: AccountKind::Page, connected });
        }
        Ok(outcomes)
    }
}
