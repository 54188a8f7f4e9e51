//! Admission of a request: by its key, then by the key's rate window.

use std::sync::Arc;

use super::{
    Caller,
    key::ApiKeySecret,
    ports::{AuthenticatedKey, KeyStore},
    window::RateWindow,
};
use crate::{clock::Clock, errors::StoreError, vault::Vault};

/// Admission of a request with a valid key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admission {
    pub caller: Caller,
    /// State of the key's window; the request may be over the limit.
    pub window: RateWindow,
}

/// Authenticates a key, and counts the request in its window.
pub struct Authenticate {
    pub store: Arc<dyn KeyStore>,
    pub vault: Arc<dyn Vault>,
    pub clock: Arc<dyn Clock>,
}

impl Authenticate {
    /// Returns `None` for what is no key of ours, and for a key that is unknown, revoked, or stored under
    /// another workspace.
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
