//! Connecting accounts and pages, chosen among those that a token opens.

use std::sync::Arc;

use secrecy::SecretString;

use super::{
    connect::ConnectAccount,
    listed_account::AccountKind,
    offer,
    opened::owned_pages,
    page::ConnectPage,
    ports::{ConnectError, NetworkError, NetworkPages, NetworkTokens, OwnedPage},
};
use crate::{
    audit::Acting,
    clock::Clock,
    errors::StoreError,
    ids::{AccountId, SessionId},
    vault::Vault,
};

/// Accounts and pages to connect, by their ids at the network.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choice {
    pub accounts: Vec<String>,
    pub pages: Vec<String>,
}

/// Result of connecting an account or a page.
#[derive(Debug)]
pub struct ChosenOutcome {
    pub network_id: String,
    pub kind: AccountKind,
    /// Id of the account, by which its numbers can be read, or why it was not connected. `None` for a page,
    /// which has no numbers.
    pub connected: Result<Option<AccountId>, ConnectError>,
}

/// Use case that connects what was chosen.
#[derive(Clone)]
pub struct ConnectChosen {
    pub accounts: ConnectAccount,
    pub pages: ConnectPage,
    pub network: Arc<dyn NetworkPages>,
    pub tokens: Arc<dyn NetworkTokens>,
    pub vault: Arc<dyn Vault>,
    pub clock: Arc<dyn Clock>,
}

impl ConnectChosen {
    /// Connects each by itself, so that one that is refused keeps back no other. Connecting one again
    /// replaces its token.
    ///
    /// # Errors
    /// [`ConnectError::Offer`] if the token cannot be had any more, [`ConnectError::NothingChosen`], and
    /// [`ConnectError::Store`] if the acting member is no longer an owner, which ends the rest, too.
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
            let connected = still_owned(connected)?;
            outcomes.push(ChosenOutcome { network_id, kind: AccountKind::Business, connected });
        }
        if !choice.pages.is_empty() {
            outcomes.extend(self.connect_pages(acting, &token, choice.pages).await?);
        }
        Ok(outcomes)
    }

    /// Connects each page with its own token, which the person's token lists. If that fails, each page
    /// has the reason as its result, since accounts connected before stay connected.
    async fn connect_pages(
        &self,
        acting: Acting,
        token: &SecretString,
        chosen: Vec<String>,
    ) -> Result<Vec<ChosenOutcome>, ConnectError> {
        let owned = self.owned(token).await;
        let mut outcomes = Vec::new();
        for network_id in chosen {
            let connected = match &owned {
                Ok(owned) => self.connect_page(acting, owned, &network_id).await.map(|()| None),
                Err(error) => Err(error.clone().into()),
            };
            let connected = still_owned(connected)?;
            outcomes.push(ChosenOutcome { network_id, kind: AccountKind::Page, connected });
        }
        Ok(outcomes)
    }

    async fn owned(&self, token: &SecretString) -> Result<Vec<OwnedPage>, NetworkError> {
        let facts = self.tokens.describe(token).await?;
        owned_pages(&*self.network, &facts, token).await
    }

    async fn connect_page(
        &self,
        acting: Acting,
        owned: &[OwnedPage],
        network_id: &str,
    ) -> Result<(), ConnectError> {
        let owned = owned.iter().find(|owned| owned.page.network_id == network_id);
        let owned = owned.ok_or(ConnectError::NotOpened)?;
        self.pages.run(acting, owned.token.clone()).await.map(drop)
    }
}

/// Returns the result for one of them, unless it is that the acting member is no longer an owner, which is an
/// error for all.
fn still_owned<T>(connected: Result<T, ConnectError>) -> Result<Result<T, ConnectError>, ConnectError> {
    match connected {
        Err(ConnectError::Store(gone @ (StoreError::NotMember | StoreError::NotOwner))) => Err(gone.into()),
        other => Ok(other),
    }
}
