//! Letting a request in: its key, then its rate window.

use std::sync::Arc;

use super::{
    ApiKeySecret, Caller, RateWindow,
    ports::{AuthenticatedKey, KeyStore},
};
use crate::{clock::Clock, errors::StoreError, vault::Vault};

/// The request came with a valid key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admission {
    pub caller: Caller,
    /// It says where the request stands in the key's window; it may be over the limit.
    pub window: RateWindow,
}

/// It checks a key and takes one from its window.
pub struct Authenticate {
    pub store: Arc<dyn KeyStore>,
    pub vault: Arc<dyn Vault>,
    pub clock: Arc<dyn Clock>,
}

impl Authenticate {
    /// `None` for what is no key of ours, or one that is unknown or revoked, or that was moved to another workspace.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn run(&self, presented: &str) -> Result<Option<Admission>, StoreError> {
        let Some(key) = ApiKeySecret::read(presented) else { return Ok(None) };
        let now = self.clock.now();
        let found = self.store.authenticate(key.hash(&*self.vault), RateWindow::start(now)).await?;
        let found = found.filter(|found| key.is_of(found.caller.workspace));
        Ok(found.map(|AuthenticatedKey { caller, used }| Admission {
            caller,
            window: RateWindow::after(used, now),
        }))
    }
}
