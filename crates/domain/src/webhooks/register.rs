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
    ids::{WebhookAddressId, WorkspaceId},
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
    /// Other addresses at the same place, each of which is told of its own events.
    pub same_as: Vec<WebhookAddressId>,
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
    /// The workspace has one at this place.
    #[error("this address is registered already")]
    Taken,
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
    /// Registers the address, and returns it with its secret, and with the others at the same place.
    ///
    /// # Errors
    /// See [`RegisterError`].
    pub async fn run(
        &self,
        acting: Acting,
        url: String,
        events: Vec<EventType>,
    ) -> Result<RegisteredAddress, RegisterError> {
        let added = self.add(acting, url.clone(), events, false).await?;
        let mut same_as = self.at_the_place(acting.workspace, &url).await?;
        same_as.retain(|id| *id != added.id);
        Ok(RegisteredAddress { same_as, ..added })
    }

    /// Does the same, unless the workspace has an address at this place: a form that is sent again registers nothing.
    ///
    /// # Errors
    /// See [`RegisterError`].
    pub async fn run_once(
        &self,
        acting: Acting,
        url: String,
        events: Vec<EventType>,
    ) -> Result<RegisteredAddress, RegisterError> {
        self.add(acting, url, events, true).await
    }

    /// Returns the workspace's addresses at a place.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn at_the_place(
        &self,
        workspace: WorkspaceId,
        url: &str,
    ) -> Result<Vec<WebhookAddressId>, StoreError> {
        let known = self.store.list(workspace).await?;
        Ok(known.iter().filter(|other| is_same_place(&other.url, url)).map(|other| other.id).collect())
    }

    async fn add(
        &self,
        acting: Acting,
        url: String,
        mut events: Vec<EventType>,
        is_once: bool,
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
        let creator = acting.actor.member();
        let address = NewAddress { id, url, events, secret: secret.clone(), is_once, creator };
        match self.store.add(acting.workspace, &address, MAX_ADDRESSES, &entry).await? {
            Added::Yes => Ok(RegisteredAddress { id, secret, same_as: Vec::new() }),
            Added::Taken => Err(RegisterError::Taken),
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

/// Says whether two addresses are one place, however they are spelled.
pub fn is_same_place(one: &str, other: &str) -> bool {
    let place = |url: &str| {
        let mut url = Url::parse(url).ok()?;
        url.set_fragment(None);
        Some(url)
    };
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

/// Adds never more of an address than its origin: what stands behind the host may be a secret.
fn with_origin(entry: AuditEntry, url: &str) -> AuditEntry {
    match Url::parse(url) {
        Ok(url) => entry.with("origin", url.origin().ascii_serialization()),
        Err(_) => entry,
    }
}

#[cfg(test)]
mod tests {
    use super::is_same_place;

    #[test]
    fn a_place_is_the_same_however_it_is_spelled() {
        let place = "https://shop.example/events?for=1";
        for (other, is_same) in [
            (place, true),
            ("https://SHOP.example:443/events?for=1", true),
            ("https://shop.example/a/../events?for=1#top", true),
            ("https://shop.example/events?for=2", false),
            ("https://shop.example/events/?for=1", false),
            ("nothing", false),
        ] {
            assert_eq!(is_same_place(place, other), is_same, "{other}");
        }
    }
}
