//! A member's sessions.

use std::{net::IpAddr, sync::Arc};

use super::{ListedSession, Session, Validity, device::Device, ports::SessionStore, token::SessionToken};
use crate::{audit::Action, deps::Deps, errors::StoreError, ids::SessionId, vault::Vault};

/// Resumes, lists and ends sessions.
pub struct Sessions {
    pub store: Arc<dyn SessionStore>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl Sessions {
    /// Returns the session of a presented token; `None` if it is unknown or over.
    pub async fn resume(&self, presented: &str) -> Result<Option<Session>, StoreError> {
        let Some(token) = SessionToken::read(presented) else { return Ok(None) };
        self.store.resume(token.hash(&*self.vault), Validity::at(self.deps.clock.now())).await
    }

    /// Lists the member's sessions, newest first.
    pub async fn list(&self, of: &Session) -> Result<Vec<ListedSession>, StoreError> {
        self.store.list(of.workspace, of.member, Validity::at(self.deps.clock.now())).await
    }

    /// Ends one of the member's sessions, which may be the asking one; `false` if they have no such session.
    pub async fn end(
        &self,
        by: &Session,
        ended: SessionId,
        address: Option<IpAddr>,
    ) -> Result<bool, StoreError> {
        let entry =
            by.acting(address).does(Action::SessionEnded, self.deps.clock.now(), &*self.deps.ids).to(ended);
        self.store.end(by.workspace, by.member, ended, &entry).await
    }

    /// Issues a device to the browser of a session; `None` if its member has left.
    pub async fn device(&self, of: &Session) -> Result<Option<Device>, StoreError> {
        let known = self.store.credentials_of(of.workspace, of.member).await?;
        Ok(known.map(|known| Device::issue(&known, self.deps.clock.now(), &*self.vault)))
    }

    /// Ends all of the member's sessions but the asking one, and invalidates all devices of theirs.
    pub async fn end_others(&self, by: &Session, address: Option<IpAddr>) -> Result<(), StoreError> {
        let entry = by
            .acting(address)
            .does(Action::SessionsEnded, self.deps.clock.now(), &*self.deps.ids)
            .to(by.member);
        self.store.end_others(by.workspace, by.member, by.id, &entry).await
    }
}
