//! Storage of registered addresses.

use async_trait::async_trait;

use super::{
    super::address::{AddressChange, WebhookAddress, WebhookSecret},
    sender::ForbiddenAddress,
};
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

/// Reason why an address was not registered or moved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RegisterError {
    /// The address may not be called.
    #[error(transparent)]
    Forbidden(#[from] ForbiddenAddress),
    #[error("an address needs at least one event")]
    NoEvents,
    /// The workspace has an address with this URL.
    #[error("this address is registered already")]
    Taken,
    /// The workspace has [`MAX_ADDRESSES`](crate::webhooks::MAX_ADDRESSES) already.
    #[error("a workspace has at most 10 webhook addresses")]
    TooMany,
    #[error("there is no such workspace")]
    UnknownWorkspace,
    #[error(transparent)]
    Store(#[from] StoreError),
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
    ) -> Result<(), RegisterError>;

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
