//! The connected accounts of a workspace, as its owners see them.

use std::{sync::Arc, time::Duration};

use time::OffsetDateTime;

use super::{
    AccountReport, AccountStanding, ChannelKind,
    ports::{AccountStore, ChannelHealth},
};
use crate::{
    access::audit::{Acting, Action},
    deps::Deps,
    errors::StoreError,
    ids::{AccountId, ChannelId, WorkspaceId},
    phone::PhoneNumber,
};

/// For how long a refusal is shown.
const ERRORS_SHOWN: Duration = Duration::from_hours(30 * 24);

/// What an account is at the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountKind {
    /// A business account with numbers.
    Business,
    /// A page, with the Instagram account that is linked to it.
    Page,
}

/// A connected account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedAccount {
    /// Its id here.
    pub id: AccountId,
    /// What it is.
    pub kind: AccountKind,
    /// Its id at the network.
    pub network_id: String,
    /// What its page is called there, where it is one and that is known.
    pub page_name: Option<String>,
    /// When it was connected.
    pub connected_at: OffsetDateTime,
    /// When its templates were last read.
    pub templates_synced_at: Option<OffsetDateTime>,
    /// How it stands at the network, as far as the network has said.
    pub standing: Option<AccountStanding>,
    /// What is connected through it, in the order that it was.
    pub connections: Vec<ListedConnection>,
}

/// A number, a page or an Instagram account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedConnection {
    /// Its id here.
    pub id: ChannelId,
    /// The network.
    pub kind: ChannelKind,
    /// Its id at the network.
    pub network_id: String,
    /// The number, where it is one.
    pub phone: Option<PhoneNumber>,
    /// Whether nothing about its sends is kept, and what is written to it opens no conversation.
    pub send_only: bool,
    /// When it was first connected.
    pub connected_at: OffsetDateTime,
}

/// Shows and disconnects accounts.
pub struct ManageAccounts {
    /// Where accounts are kept.
    pub store: Arc<dyn AccountStore>,
    /// How their numbers stand.
    pub health: Arc<dyn ChannelHealth>,
    /// The time, new ids, and whom to wake.
    pub deps: Deps,
}

impl ManageAccounts {
    /// The connected ones of a kind, in the order that they were connected; those that may do everything have no
    /// standing.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn list(
        &self,
        workspace: WorkspaceId,
        kind: AccountKind,
    ) -> Result<Vec<ListedAccount>, StoreError> {
        let mut accounts = self.store.accounts(workspace).await?;
        let now = self.deps.clock.now();
        accounts.retain(|account| account.kind == kind);
        for account in &mut accounts {
            account.standing = account.standing.take().filter(|standing| standing.holds(now));
        }
        Ok(accounts)
    }

    /// How the numbers of each connected account stand.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn reports(&self, workspace: WorkspaceId) -> Result<Vec<AccountReport>, StoreError> {
        self.health.reports(workspace, self.deps.clock.now() - ERRORS_SHOWN).await
    }

    /// One; `None` when the workspace has connected no such.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn get(
        &self,
        workspace: WorkspaceId,
        kind: AccountKind,
        account: AccountId,
    ) -> Result<Option<ListedAccount>, StoreError> {
        Ok(self.list(workspace, kind).await?.into_iter().find(|listed| listed.id == account))
    }

    /// Destroys its token and lets go of its connections: nothing is sent over them any more, and what is written
    /// to them is dropped. Conversations and messages stay. `false` when the workspace has connected no such account.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn disconnect(
        &self,
        acting: Acting,
        kind: AccountKind,
        account: AccountId,
    ) -> Result<bool, StoreError> {
        let Some(known) = self.get(acting.workspace, kind, account).await? else { return Ok(false) };
        let entry =
            acting.does(Action::AccountDisconnected, self.deps.clock.now(), &*self.deps.ids).to(account);
        self.store.disconnect(acting.workspace, account, &entry.with("networkId", known.network_id)).await
    }
}
