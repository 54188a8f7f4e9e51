//! What webhooks need from outside.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::{AttemptOutcome, Event, EventType, Verdict, WebhookSecret};
use crate::{
    errors::StoreError,
    ids::{DeliveryId, WebhookAddressId, WorkspaceId},
};

/// An address to register.
#[derive(Debug, Clone)]
pub struct NewAddress {
    /// Its id.
    pub id: WebhookAddressId,
    /// Whose it is.
    pub workspace: WorkspaceId,
    /// Where deliveries go.
    pub url: String,
    /// What it is told of.
    pub events: Vec<EventType>,
    /// What signs its deliveries.
    pub secret: WebhookSecret,
    /// When it was registered.
    pub created_at: OffsetDateTime,
}

/// What became of registering an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It is registered.
    Yes,
    /// The workspace has as many as it may.
    TooMany,
    /// There is no such workspace.
    NoWorkspace,
}

/// Registered addresses.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AddressStore: Send + Sync {
    /// Registers an address, its secret sealed, unless the workspace has `most` already: exact, also when two
    /// are registered at once.
    async fn add(&self, address: &NewAddress, most: u32) -> Result<Added, StoreError>;

    /// Owes `event` to one address whatever it subscribes to; `false` when the workspace has no such address.
    async fn owe(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        event: &Event,
    ) -> Result<bool, StoreError>;
}

/// Why an address may not be called.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ForbiddenAddress(pub String);

/// Whether an address that a customer typed may be called.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait AddressGuard: Send + Sync {
    /// Checks scheme, host, and every address the host resolves to.
    async fn check(&self, url: &str) -> Result<(), ForbiddenAddress>;
}

/// A delivery that is due, with all that an attempt needs.
#[derive(Debug, Clone)]
pub struct DueDelivery {
    /// The delivery.
    pub id: DeliveryId,
    /// The address.
    pub address: WebhookAddressId,
    /// Where it goes.
    pub url: String,
    /// What signs it: the secret in force now.
    pub secret: WebhookSecret,
    /// The event's type.
    pub event: EventType,
    /// The body, final.
    pub body: Vec<u8>,
    /// Which attempt this is, from 1.
    pub attempt: u32,
}

/// An attempt that was made, and what follows from it.
#[derive(Debug, Clone)]
pub struct AttemptRecord {
    /// The delivery.
    pub delivery: DeliveryId,
    /// The address.
    pub address: WebhookAddressId,
    /// Which attempt it was, from 1.
    pub attempt: u32,
    /// When it started.
    pub started_at: OffsetDateTime,
    /// How long it took, in milliseconds.
    pub duration_ms: i64,
    /// What it came to.
    pub outcome: AttemptOutcome,
    /// What follows.
    pub verdict: Verdict,
}

/// Deliveries that are owed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Workspaces with deliveries due at `now`. Only reads.
    async fn workspaces_with_due(&self, now: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;

    /// Takes up to `limit` due deliveries of one workspace to enabled addresses until `lease_until`; those
    /// longest due first. Deliveries whose lease has run out are due again.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limit: u32,
    ) -> Result<Vec<DueDelivery>, StoreError>;

    /// In one transaction: the attempts, the deliveries' states, their next due times, and the addresses'
    /// health by [`super::AddressHealth::after`]. What a newly disabled address still had queued stays in its
    /// log, without further attempts.
    async fn record(&self, workspace: WorkspaceId, attempts: &[AttemptRecord]) -> Result<(), StoreError>;

    /// Removes deliveries of the workspace that were created before `before` and are no longer queued.
    async fn forget(&self, workspace: WorkspaceId, before: OffsetDateTime) -> Result<u64, StoreError>;

    /// Workspaces that hold deliveries created before `before`. Only reads.
    async fn workspaces_to_forget(&self, before: OffsetDateTime) -> Result<Vec<WorkspaceId>, StoreError>;
}

/// Makes one attempt: signs and posts, within the time limit.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DeliverySender: Send + Sync {
    /// The status of a 2xx answer, or why there was none.
    async fn attempt(&self, delivery: &DueDelivery) -> AttemptOutcome;
}
