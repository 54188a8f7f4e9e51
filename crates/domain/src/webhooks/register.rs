//! Registering and moving an address.

use std::sync::Arc;

use url::Url;

use super::{
    address::{AddressChange, WebhookSecret},
    addresses::names,
    ports::{AddressGuard, AddressStore, NewAddress, RegisterError},
};
use crate::{
    audit::{Acting, Action, AuditEntry},
    deps::Deps,
    errors::StoreError,
    events::EventType,
    ids::{WebhookAddressId, WorkspaceId},
    vault::Vault,
};

/// Most addresses of a workspace (docs/use/rest-api.md, "Limits").
pub const MAX_ADDRESSES: u32 = 10;

/// An address that was just registered.
#[derive(Debug, Clone)]
pub struct RegisteredAddress {
    pub id: WebhookAddressId,
    /// Shown this once.
    pub secret: WebhookSecret,
    /// Other addresses with the same URL, each with events of its own.
    pub same_as: Vec<WebhookAddressId>,
}

/// Registers webhook addresses.
pub struct RegisterAddress {
    pub store: Arc<dyn AddressStore>,
    pub guard: Arc<dyn AddressGuard>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

impl RegisterAddress {
    /// Registers an address and returns it with its secret and with the other addresses at the same URL.
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

    /// Registers an address unless the workspace has one with this URL, so that a form sent twice
    /// registers one.
    pub async fn run_once(
        &self,
        acting: Acting,
        url: String,
        events: Vec<EventType>,
    ) -> Result<RegisteredAddress, RegisterError> {
        self.add(acting, url, events, true).await
    }

    /// Lists the workspace's addresses with this URL, as [`is_same_place`] compares them.
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
        self.store.add(acting.workspace, &address, MAX_ADDRESSES, &entry).await?;
        Ok(RegisteredAddress { id, secret, same_as: Vec::new() })
    }

    /// Moves an address to another URL: queued deliveries go there from now on, signed as before. `false`
    /// if the workspace has no such address.
    ///
    /// # Errors
    /// [`RegisterError::Forbidden`] if the new URL may not be called, or a failure of the store.
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

/// Returns whether two URLs are the same however they are spelled, fragments aside.
pub fn is_same_place(one: &str, other: &str) -> bool {
    let place = |url: &str| {
        let mut url = Url::parse(url).ok()?;
        url.set_fragment(None);
        Some(url)
    };
    one == other || place(one).is_some_and(|one| place(other) == Some(one))
}

/// Adds the URL's origin and never more of it: what stands behind the host may be a secret.
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
