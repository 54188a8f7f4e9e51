//! Reading connected pages now and then: whether their tokens open them still.

use std::{sync::Arc, time::Duration};

use super::{
    Account, ChannelError, ConnectError,
    ports::{AccountStore, ChannelHealth, DuePage, NetworkError, NetworkPages, PageStore},
};
use crate::{clock::Clock, errors::StoreError};

/// A reading is good for so long.
pub const PAGE_INTERVAL: Duration = Duration::from_mins(15);

/// It reads pages from the network.
pub struct ReadPages {
    pub pages: Arc<dyn PageStore>,
    pub accounts: Arc<dyn AccountStore>,
    pub health: Arc<dyn ChannelHealth>,
    pub network: Arc<dyn NetworkPages>,
    pub clock: Arc<dyn Clock>,
}

impl ReadPages {
    /// Pages whose reading is due now, over all workspaces.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn due(&self) -> Result<Vec<DuePage>, StoreError> {
        self.pages.due_pages(self.clock.now()).await
    }

    /// Reads a due page, unless another node has taken it; `false` then. A failed reading is due again after the usual
    /// interval.
    ///
    /// # Errors
    /// When the network or the store fails; what was known before stays. What the network refuses is kept as the page's
    /// problem.
    pub async fn run_due(&self, due: DuePage) -> Result<bool, ConnectError> {
        let now = self.clock.now();
        if !self.pages.claim_page(due.workspace, due.account, now, now + PAGE_INTERVAL).await? {
            return Ok(false);
        }
        match self.accounts.find(due.workspace, due.account).await? {
            Some(account) => self.read(&account).await.map(|()| true),
            None => Ok(false),
        }
    }

    async fn read(&self, account: &Account) -> Result<(), ConnectError> {
        match self.network.page(&account.token).await {
            Ok(page) => {
                let workspace = account.workspace;
                Ok(self.pages.keep_page(workspace, account.id, page.name, self.clock.now()).await?)
            }
            Err(error) => {
                if let NetworkError::Refused { code, message } = &error {
                    let problem =
                        ChannelError { code: *code, message: message.clone(), at: self.clock.now() };
                    self.health.note_problem(account.workspace, account.id, &problem).await?;
                }
                Err(error.into())
            }
        }
    }
}
