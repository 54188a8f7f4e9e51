//! Registered addresses.

use async_trait::async_trait;

use crate::{
    access::audit::AuditEntry,
    errors::StoreError,
    ids::{DeliveryId, MemberId, WebhookAddressId, WorkspaceId},
    webhooks::{AddressChange, Event, EventType, WebhookAddress, WebhookSecret},
};

/// It is an address to register.
#[derive(Debug, Clone)]
pub struct NewAddress {
    pub id: WebhookAddressId,
    pub url: String,
    /// The address is told of these.
    pub events: Vec<EventType>,
    pub secret: WebhookSecret,
    /// Whether it is refused where the workspace has one at the same place.
    pub is_once: bool,
    /// Who registers it; `None` for an operator.
    pub creator: Option<MemberId>,
}

/// It says what became of registering an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is registered.
    Yes,
    /// The workspace has one at the same place.
    Taken,
    /// The workspace has as many as it may.
    TooMany,
    /// There is no such workspace.
    NoWorkspace,
}

/// An `AddressStore` keeps registered addresses. A change comes with the entry that tells of it, happens at
/// the entry's time, and is written together with it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AddressStore: Send + Sync {
    /// Registers an address, its secret sealed, unless the workspace has `most` already: exact, also when two
    /// are registered at once.
    async fn add(
        &self,
        workspace: WorkspaceId,
        address: &NewAddress,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<Added, StoreError>;

    /// Lists the workspace's addresses, the oldest first.
    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<WebhookAddress>, StoreError>;

    /// Returns one address; `None` when the workspace has no such.
    async fn find(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
    ) -> Result<Option<WebhookAddress>, StoreError>;

    /// Makes a change; `false` when the workspace has no such address.
    async fn change(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        change: &AddressChange,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Enqueues `event` for one address whatever it subscribes to, by the delivery that is answered: a disabled one has it
    /// attempted once. `None` when the workspace has no such address.
    async fn enqueue(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        event: &Event,
        entry: &AuditEntry,
    ) -> Result<Option<DeliveryId>, StoreError>;
}
