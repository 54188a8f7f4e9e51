//! What an owner does with registered addresses.

use std::{sync::Arc, time::Duration};

use super::{AddressChange, Event, EventData, EventType, WebhookAddress, WebhookSecret, ports::AddressStore};
use crate::{
    clock::Clock,
    errors::StoreError,
    ids::{WebhookAddressId, WorkspaceId},
    signals::Signals,
    vault::Vault,
};

/// How long two secrets may sign side by side.
pub const MAX_OVERLAP: Duration = Duration::from_hours(7 * 24);

/// The secret was not rotated.
#[derive(Debug, thiserror::Error)]
pub enum RotateError {
    /// The old secret would be good for too long.
    #[error("the old secret can go on signing for 7 days at most")]
    OverlapTooLong,
    /// The workspace has no such address.
    #[error("there is no such webhook address")]
    Unknown,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What the address is told of was not changed.
#[derive(Debug, thiserror::Error)]
pub enum SubscribeError {
    /// It would never be told of anything.
    #[error("an address needs at least one event")]
    NoEvents,
    /// The workspace has no such address.
    #[error("there is no such webhook address")]
    Unknown,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Shows and changes addresses.
pub struct ManageAddresses {
    /// Where they are kept.
    pub store: Arc<dyn AddressStore>,
    /// For new secrets.
    pub vault: Arc<dyn Vault>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Wakes who delivers.
    pub signals: Arc<dyn Signals>,
}

type Changed = Result<Option<WebhookAddress>, StoreError>;

impl ManageAddresses {
    /// All of a workspace's, oldest first.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn list(&self, workspace: WorkspaceId) -> Result<Vec<WebhookAddress>, StoreError> {
        self.store.list(workspace).await
    }

    /// One; `None` when the workspace has no such.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn get(&self, workspace: WorkspaceId, address: WebhookAddressId) -> Changed {
        self.store.find(workspace, address).await
    }

    /// Tells it of `events` from now on, and of nothing else.
    ///
    /// # Errors
    /// See [`SubscribeError`].
    pub async fn subscribe(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        mut events: Vec<EventType>,
    ) -> Result<WebhookAddress, SubscribeError> {
        events.sort_unstable();
        events.dedup();
        if events.is_empty() {
            return Err(SubscribeError::NoEvents);
        }
        let changed = self.change(workspace, address, AddressChange::Events(events)).await?;
        changed.ok_or(SubscribeError::Unknown)
    }

    /// Sends the Standard Webhooks headers beside ours, or no longer.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn set_standard_headers(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        on: bool,
    ) -> Changed {
        self.change(workspace, address, AddressChange::StandardHeaders(on)).await
    }

    /// Delivers nothing more to it; what happens meanwhile is held in its log.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn pause(&self, workspace: WorkspaceId, address: WebhookAddressId) -> Changed {
        let reason = "paused by its owner".to_owned();
        let changed = self.change(workspace, address, AddressChange::Pause { reason }).await;
        self.signals.deliveries_due(workspace);
        changed
    }

    /// Delivers to it again. What was held meanwhile stays in its log, to be sent again when the owner wants it.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn resume(&self, workspace: WorkspaceId, address: WebhookAddressId) -> Changed {
        let changed = self.change(workspace, address, AddressChange::Resume).await;
        self.signals.deliveries_due(workspace);
        changed
    }

    /// A new secret, shown this once. The old one stops at once, or signs beside the new one for `overlap`.
    ///
    /// # Errors
    /// See [`RotateError`].
    pub async fn rotate(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        overlap: Duration,
    ) -> Result<WebhookSecret, RotateError> {
        if overlap > MAX_OVERLAP {
            return Err(RotateError::OverlapTooLong);
        }
        let secret = WebhookSecret::generate(&*self.vault);
        let previous_until = (!overlap.is_zero()).then(|| self.clock.now() + overlap);
        let rotate = AddressChange::Rotate { secret: secret.clone(), previous_until };
        if self.store.change(workspace, address, &rotate).await? {
            Ok(secret)
        } else {
            Err(RotateError::Unknown)
        }
    }

    /// Removes it with all that is owed to it; `false` when the workspace has no such address.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn delete(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
    ) -> Result<bool, StoreError> {
        let delete = AddressChange::Delete { at: self.clock.now() };
        self.store.change(workspace, address, &delete).await
    }

    /// Sends a `ping` to one address; `false` when the workspace has no such address.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn ping(&self, workspace: WorkspaceId, address: WebhookAddressId) -> Result<bool, StoreError> {
        let message = "This is a test of your webhook address; answer it with any 2xx status.".to_owned();
        let event =
            Event { kind: EventType::Ping, created_at: self.clock.now(), data: EventData::Ping { message } };
        let owed = self.store.owe(workspace, address, &event).await?;
        self.signals.deliveries_due(workspace);
        Ok(owed)
    }

    async fn change(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        change: AddressChange,
    ) -> Changed {
        if self.store.change(workspace, address, &change).await? {
            self.store.find(workspace, address).await
        } else {
            Ok(None)
        }
    }
}
