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
    inbound::{SHOWN_FOR_DAYS, UnreadField, ports::UnreadUpdates},
    phone::PhoneNumber,
};

/// A refusal is shown for so long.
const ERRORS_SHOWN: Duration = Duration::from_hours(30 * 24);

/// It says what an account is at the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountKind {
    /// It is a business account with numbers.
    Business,
    /// It is a page, with the Instagram account that is linked to it.
    Page,
}

/// The account is connected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedAccount {
    pub id: AccountId,
    pub kind: AccountKind,
    pub network_id: String,
    /// What its page is called there, where it is one and that is known.
    pub page_name: Option<String>,
    /// When it was connected.
    pub connected_at: OffsetDateTime,
    /// Its templates were last read then.
    pub templates_synced_at: Option<OffsetDateTime>,
    /// It says how the account stands at the network, as far as the network has said.
    pub standing: Option<AccountStanding>,
    /// They are connected through the account, and listed in the order that they were.
    pub connections: Vec<ListedConnection>,
}

/// It is a number, a page or an Instagram account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedConnection {
    pub id: ChannelId,
    pub kind: ChannelKind,
    pub network_id: String,
    /// It is `None` for a page and an Instagram account.
    pub phone: Option<PhoneNumber>,
    /// It says whether nothing about its sends is kept, and what is written to it opens no conversation.
    pub send_only: bool,
    /// It was first connected then.
    pub connected_at: OffsetDateTime,
}

/// It shows and disconnects accounts.
pub struct ManageAccounts {
    pub store: Arc<dyn AccountStore>,
    pub health: Arc<dyn ChannelHealth>,
    pub unread: Arc<dyn UnreadUpdates>,
    pub deps: Deps,
}

impl ManageAccounts {
    /// Returns the connected ones of a kind, in the order that they were connected; those that may do
    /// everything have no standing.
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

    /// Says how the numbers of each connected account stand.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn reports(&self, workspace: WorkspaceId) -> Result<Vec<AccountReport>, StoreError> {
        self.health.reports(workspace, self.deps.clock.now() - ERRORS_SHOWN).await
    }

    /// Says what the networks lately sent that this version does not read.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn unread(&self, workspace: WorkspaceId) -> Result<Vec<UnreadField>, StoreError> {
        let today = self.deps.clock.now().date();
        self.unread.unread(workspace, today.saturating_sub(time::Duration::days(SHOWN_FOR_DAYS.into()))).await
    }

    /// Returns one; `None` when the workspace has connected no such.
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
