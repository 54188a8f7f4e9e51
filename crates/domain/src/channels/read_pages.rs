//! Regular reading of connected pages, which shows whether their tokens still open them.

use std::{sync::Arc, time::Duration};

use super::{
    Account,
    health::ChannelError,
    ports::{AccountStore, ChannelHealth, ConnectError, DuePage, NetworkError, NetworkPages, PageStore},
};
use crate::{clock::Clock, errors::StoreError};

/// Interval between two readings of a page.
pub const PAGE_INTERVAL: Duration = Duration::from_mins(15);

/// Use case that reads pages from the network.
pub struct ReadPages {
    pub pages: Arc<dyn PageStore>,
    pub accounts: Arc<dyn AccountStore>,
    pub health: Arc<dyn ChannelHealth>,
    pub network: Arc<dyn NetworkPages>,
    pub clock: Arc<dyn Clock>,
}

impl ReadPages {
    /// Lists the pages whose reading is due now, over all workspaces.
    pub async fn due(&self) -> Result<Vec<DuePage>, StoreError> {
        self.pages.due_pages(self.clock.now()).await
    }

    /// Reads a due page; `false` if another node has claimed it, or it is no longer connected. A failed
    /// reading is due again after the usual interval.
    ///
    /// # Errors
    /// If the network or the store fails, what was known before stays. A refusal by the network is stored as
    /// the page's problem.
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
