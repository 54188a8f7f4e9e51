//! Management of registered addresses by their owner.

use std::{sync::Arc, time::Duration};

use super::{
    address::{AddressChange, AddressSettings, WebhookAddress, WebhookSecret},
    ports::AddressStore,
};
use crate::{
    access::sessions::{AttemptWindow, Throttled, ports::SessionStore},
    audit::{Acting, Action, AuditEntry},
    clock::rfc3339_ms,
    deps::Deps,
    errors::StoreError,
    events::{Event, EventData, EventType},
    ids::{DeliveryId, WebhookAddressId, WorkspaceId},
    vault::Vault,
};

/// Longest time for which two secrets may sign side by side.
pub const MAX_OVERLAP: Duration = Duration::from_hours(7 * 24);

/// Pings that members may send to one address in a minute.
pub const PINGS_A_MINUTE: u32 = 10;

const MINUTE: Duration = Duration::from_mins(1);

/// Reason why a secret was not rotated.
#[derive(Debug, thiserror::Error)]
pub enum RotateError {
    /// The old secret would go on signing for more than [`MAX_OVERLAP`].
    #[error("the old secret can go on signing for 7 days at most")]
    OverlapTooLong,
    #[error("there is no such webhook address")]
    Unknown,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reason why an address's settings were not changed.
#[derive(Debug, thiserror::Error)]
pub enum SubscribeError {
    #[error("an address needs at least one event")]
    NoEvents,
    #[error("there is no such webhook address")]
    Unknown,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Reason why an address was not pinged.
#[derive(Debug, thiserror::Error)]
pub enum PingError {
    /// The address has had [`PINGS_A_MINUTE`] pings of members in this minute.
    #[error(transparent)]
    Throttled(#[from] Throttled),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Shows and changes registered addresses.
pub struct ManageAddresses {
    pub store: Arc<dyn AddressStore>,
    /// Counts pings, for all nodes together.
    pub attempts: Arc<dyn SessionStore>,
    pub vault: Arc<dyn Vault>,
    pub deps: Deps,
}

type Changed = Result<Option<WebhookAddress>, StoreError>;

impl ManageAddresses {
    /// Lists the workspace's addresses, the oldest first.
    pub async fn list(&self, workspace: WorkspaceId) -> Result<Vec<WebhookAddress>, StoreError> {
        self.store.list(workspace).await
    }

    /// Finds an address; `None` if the workspace has none of that id.
    pub async fn get(&self, workspace: WorkspaceId, address: WebhookAddressId) -> Changed {
        self.store.find(workspace, address).await
    }

    /// Changes an address's settings from now on.
    pub async fn set(
        &self,
        acting: Acting,
        address: WebhookAddressId,
        mut wanted: AddressSettings,
    ) -> Result<WebhookAddress, SubscribeError> {
        let mut entry = self.entry(acting, Action::WebhookChanged, address);
        if let Some(events) = &mut wanted.events {
            events.sort_unstable();
            events.dedup();
            if events.is_empty() {
                return Err(SubscribeError::NoEvents);
            }
            entry = entry.with("events", names(events));
        }
        if let Some(on) = wanted.standard_headers {
            entry = entry.with("standardHeaders", on);
        }
        let changed = self.change(acting.workspace, address, AddressChange::Settings(wanted), &entry).await?;
        changed.ok_or(SubscribeError::Unknown)
    }

    /// Disables an address; events are held in its log meanwhile.
    pub async fn pause(&self, acting: Acting, address: WebhookAddressId) -> Changed {
        let reason = "paused by its owner".to_owned();
        let entry = self.entry(acting, Action::WebhookPaused, address);
        let changed = self.change(acting.workspace, address, AddressChange::Pause { reason }, &entry).await;
        self.deps.signals.deliveries_due(acting.workspace);
        changed
    }

    /// Enables an address again. What was held meanwhile stays in its log until the owner has it sent again.
    pub async fn resume(&self, acting: Acting, address: WebhookAddressId) -> Changed {
        let entry = self.entry(acting, Action::WebhookResumed, address);
        let changed = self.change(acting.workspace, address, AddressChange::Resume, &entry).await;
        self.deps.signals.deliveries_due(acting.workspace);
        changed
    }

    /// Replaces an address's secret and returns the new one, which is shown this once. The old one signs
    /// beside it for `overlap`, and stops at once if that is zero.
    pub async fn rotate(
        &self,
        acting: Acting,
        address: WebhookAddressId,
        overlap: Duration,
    ) -> Result<WebhookSecret, RotateError> {
        if overlap > MAX_OVERLAP {
            return Err(RotateError::OverlapTooLong);
        }
        let secret = WebhookSecret::generate(&*self.vault);
        let mut entry = self.entry(acting, Action::WebhookRotated, address);
        let previous_until = (!overlap.is_zero()).then(|| entry.at + overlap);
        if let Some(until) = previous_until {
            entry = entry.with("previousUntil", rfc3339_ms(until));
        }
        let rotate = AddressChange::Rotate { secret: secret.clone(), previous_until };
        if self.store.change(acting.workspace, address, &rotate, &entry).await? {
            Ok(secret)
        } else {
            Err(RotateError::Unknown)
        }
    }

    /// Removes an address and its queued deliveries; `false` if the workspace has no such address.
    pub async fn delete(&self, acting: Acting, address: WebhookAddressId) -> Result<bool, StoreError> {
        let entry = self.entry(acting, Action::WebhookRemoved, address);
        self.store.change(acting.workspace, address, &AddressChange::Delete, &entry).await
    }

    /// Sends a `ping` to an address and returns its delivery, attempted once if the address is disabled;
    /// `None` if the workspace has no such address. Members may ping an address [`PINGS_A_MINUTE`] times a
    /// minute: it may belong to somebody else, who would be flooded in the operator's name.
    pub async fn ping(
        &self,
        acting: Acting,
        address: WebhookAddressId,
    ) -> Result<Option<DeliveryId>, PingError> {
        if acting.actor.member().is_some() {
            if self.store.find(acting.workspace, address).await?.is_none() {
                return Ok(None);
            }
            self.count_ping(acting.workspace, address).await?;
        }
        let message = "This is a test of your webhook address; answer it with any 2xx status.".to_owned();
        let entry = self.entry(acting, Action::WebhookPinged, address);
        let event = Event { kind: EventType::Ping, created_at: entry.at, data: EventData::Ping { message } };
        let owed = self.store.enqueue(acting.workspace, address, &event, &entry).await?;
        self.deps.signals.deliveries_due(acting.workspace);
        Ok(owed)
    }

    async fn count_ping(&self, workspace: WorkspaceId, address: WebhookAddressId) -> Result<(), PingError> {
        let window = AttemptWindow::of(MINUTE, self.deps.clock.now());
        let mut named = workspace.uuid().as_bytes().to_vec();
        named.extend_from_slice(address.uuid().as_bytes());
        let key = self.vault.keyed_hash("pings-of-address", &named);
        let used = self.attempts.take_attempts(&[key], window.start).await?;
        if used.iter().any(|used| *used > PINGS_A_MINUTE) {
            return Err(Throttled { resets_in: window.resets_in }.into());
        }
        Ok(())
    }

    fn entry(&self, acting: Acting, action: Action, address: WebhookAddressId) -> AuditEntry {
        acting.does(action, self.deps.clock.now(), &*self.deps.ids).to(address)
    }

    async fn change(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        change: AddressChange,
        entry: &AuditEntry,
    ) -> Changed {
        if self.store.change(workspace, address, &change, entry).await? {
            self.store.find(workspace, address).await
        } else {
            Ok(None)
        }
    }
}

/// Returns the events' names as the log of changes has them.
pub(super) fn names(events: &[EventType]) -> Vec<&'static str> {
    events.iter().map(|event| event.as_str()).collect()
}
