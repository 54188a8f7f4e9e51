//! Storage of registered addresses.

use async_trait::async_trait;

use super::super::address::{AddressChange, WebhookAddress, WebhookSecret};
use crate::{
    audit::AuditEntry,
    errors::StoreError,
    events::{Event, EventType},
    ids::{DeliveryId, MemberId, WebhookAddressId, WorkspaceId},
};

/// An address to register.
#[derive(Debug, Clone)]
pub struct NewAddress {
    pub id: WebhookAddressId,
    pub url: String,
    pub events: Vec<EventType>,
    pub secret: WebhookSecret,
    /// Whether to refuse the address if the workspace has one with the same URL.
    pub is_once: bool,
    /// Member who registers the address; `None` for an operator.
    pub creator: Option<MemberId>,
}

/// Outcome of registering an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    Yes,
    /// The workspace has an address with the same URL.
    Taken,
    /// The workspace has the most addresses that it may.
    TooMany,
    NoWorkspace,
}

/// Storage of registered addresses. A change happens at the time of its audit entry and is written in one
/// transaction with it.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AddressStore: Send + Sync {
    /// Registers an address, its secret sealed, unless the workspace has `most` already. The bound is exact
    /// also when two are registered at once.
    async fn add(
        &self,
        workspace: WorkspaceId,
        address: &NewAddress,
        most: u32,
        entry: &AuditEntry,
    ) -> Result<Added, StoreError>;

    /// Lists the workspace's addresses, oldest first.
    async fn list(&self, workspace: WorkspaceId) -> Result<Vec<WebhookAddress>, StoreError>;

    /// Finds an address; `None` if the workspace has none of that id.
    async fn find(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
    ) -> Result<Option<WebhookAddress>, StoreError>;

    /// Changes an address; `false` if the workspace has none of that id.
    async fn change(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        change: &AddressChange,
        entry: &AuditEntry,
    ) -> Result<bool, StoreError>;

    /// Enqueues `event` for an address whatever it subscribes to and returns the delivery, attempted once if
    /// the address is disabled. `None` if the workspace has no such address.
    async fn enqueue(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        event: &Event,
        entry: &AuditEntry,
    ) -> Result<Option<DeliveryId>, StoreError>;
}
