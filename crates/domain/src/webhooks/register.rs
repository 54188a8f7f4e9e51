//! Registering an address.

use std::sync::Arc;

use url::Url;

use super::{
    AddressChange, EventType, WebhookSecret,
    addresses::names,
    ports::{Added, AddressGuard, AddressStore, ForbiddenAddress, NewAddress},
};
use crate::{
    access::audit::{Acting, Action, AuditEntry},
    deps::Deps,
    errors::StoreError,
    ids::WebhookAddressId,
    vault::Vault,
};

/// A workspace may have so many addresses (docs/rest-api.md, "Limits").
pub const MAX_ADDRESSES: u32 = 10;

/// The address was just registered.
#[derive(Debug, Clone)]
pub struct RegisteredAddress {
    pub id: WebhookAddressId,
    /// It is the address's secret, for the one time it is shown.
    pub secret: WebhookSecret,
}

/// It says why the address was not registered.
#[derive(Debug, thiserror::Error)]
pub enum RegisterError {
    /// It may not be called.
    #[error(transparent)]
    Forbidden(#[from] ForbiddenAddress),
    /// It would never be told of anything.
    #[error("an address needs at least one event")]
    NoEvents,
    /// The workspace has as many as it may.
    #[error("a workspace has at most 10 webhook addresses")]
    TooMany,
    /// There is no such workspace.
    #[error("there is no such workspace")]
    UnknownWorkspace,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// It registers addresses.
pub struct RegisterAddress {
    pub store: Arc<dyn AddressStore>,
    pub guard: Arc<dyn AddressGuard>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl RegisterAddress {
    /// Registers the address, and returns it with its secret.
    ///
    /// # Errors
    /// See [`RegisterError`].
    pub async fn run(
        &self,
        acting: Acting,
        url: String,
        mut events: Vec<EventType>,
    ) -> Result<RegisteredAddress, RegisterError> {
        events.sort_unstable();
        events.dedup();
        if events.is_empty() {
            return Err(RegisterError::NoEvents);
        }
        self.guard.check(&url).await?;
        let secret = WebhookSecret::generate(&*self.vault);
        let id = WebhookAddressId::new(&*self.deps.ids);
        let entry = acting.does(Action::WebhookAdded, self.deps.clock.now(), &*self.deps.ids).to(id);
        let entry = with_origin(entry.with("events", names(&events)), &url);
        let address = NewAddress { id, url, events, secret: secret.clone(), creator: acting.actor.member() };
        match self.store.add(acting.workspace, &address, MAX_ADDRESSES, &entry).await? {
            Added::Yes => Ok(RegisteredAddress { id, secret }),
            Added::TooMany => Err(RegisterError::TooMany),
            Added::NoWorkspace => Err(RegisterError::UnknownWorkspace),
        }
    }

    /// Has an address be at another place: what is owed to it goes there from now on, signed as before. `false` when the
    /// workspace has no such address.
    ///
    /// # Errors
    /// [`RegisterError::Forbidden`] for a place that may not be called; otherwise those of the store.
    pub async fn move_to(
        &self,
        acting: Acting,
        address: WebhookAddressId,
        url: String,
    ) -> Result<bool, RegisterError> {
        self.guard.check(&url).await?;
        let entry = acting.does(Action::WebhookChanged, self.deps.clock.now(), &*self.deps.ids).to(address);
        let entry = with_origin(entry, &url);
        Ok(self.store.change(acting.workspace, address, &AddressChange::Move { url }, &entry).await?)
    }
}

/// Adds never more of an address than its origin: what stands behind the host may be a secret.
fn with_origin(entry: AuditEntry, url: &str) -> AuditEntry {
    match Url::parse(url) {
        Ok(url) => entry.with("origin", url.origin().ascii_serialization()),
        Err(_) => entry,
    }
}
