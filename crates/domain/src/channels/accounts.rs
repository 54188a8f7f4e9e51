//! Connected accounts of a workspace, as its owners see them.

use std::{sync::Arc, time::Duration};

use super::{
    health::AccountReport,
    listed_account::{AccountKind, ListedAccount},
    ports::{AccountStore, ChannelHealth},
    unread::{SHOWN_FOR_DAYS, UnreadField},
};
use crate::{
    audit::{Acting, Action},
    channels::ports::UnreadUpdates,
    deps::Deps,
    errors::StoreError,
    ids::{AccountId, WorkspaceId},
};

/// Period for which a refusal is shown.
const ERRORS_SHOWN: Duration = Duration::from_hours(30 * 24);

/// Use case that shows and disconnects accounts.
pub struct ManageAccounts {
    pub store: Arc<dyn AccountStore>,
    pub health: Arc<dyn ChannelHealth>,
    pub unread: Arc<dyn UnreadUpdates>,
    pub deps: Deps,
}

impl ManageAccounts {
    /// Lists the connected accounts of a kind, in the order that they were connected. Accounts that may do
    /// everything have no standing.
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

    /// Reports how the numbers of each connected account stand.
    pub async fn reports(&self, workspace: WorkspaceId) -> Result<Vec<AccountReport>, StoreError> {
        self.health.reports(workspace, self.deps.clock.now() - ERRORS_SHOWN).await
    }

    /// Lists what the networks lately sent that this version does not read.
    pub async fn unread(&self, workspace: WorkspaceId) -> Result<Vec<UnreadField>, StoreError> {
        let today = self.deps.clock.now().date();
        self.unread.unread(workspace, today.saturating_sub(time::Duration::days(SHOWN_FOR_DAYS.into()))).await
    }

    /// Returns a connected account; `None` if the workspace has no such one.
    pub async fn get(
        &self,
        workspace: WorkspaceId,
        kind: AccountKind,
        account: AccountId,
    ) -> Result<Option<ListedAccount>, StoreError> {
        Ok(self.list(workspace, kind).await?.into_iter().find(|listed| listed.id == account))
    }

    /// Destroys the account's token and disconnects its connections: nothing is sent over them any more, and
    /// what is written to them is dropped. Conversations and messages stay. Returns `false` if the workspace
    /// has connected no such account.
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
