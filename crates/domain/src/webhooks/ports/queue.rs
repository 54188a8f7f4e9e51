//! The queue of deliveries that are still to be attempted.

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::{
    errors::StoreError,
    ids::{DeliveryId, WebhookAddressId, WorkspaceId},
    webhooks::{AttemptOutcome, EventType, NextStep, WebhookSecret},
};

/// A delivery that a node has taken out to attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leased {
    /// The delivery.
    pub id: DeliveryId,
    /// The address.
    pub address: WebhookAddressId,
    /// When the delivery was made: with its id, its place in the log.
    pub created_at: OffsetDateTime,
    /// Which attempt is to be made, from 1.
    pub attempt: u32,
    /// Until when nobody else takes it. A result that names another lease than the queue's comes too late.
    pub until: OffsetDateTime,
}

/// A delivery that is due, with all that an attempt needs.
#[derive(Debug, Clone)]
pub struct DueDelivery {
    /// Which one.
    pub leased: Leased,
    /// Where it goes.
    pub url: String,
    /// What signs it.
    pub secret: WebhookSecret,
    /// The secret before, while it still signs beside the other.
    pub previous_secret: Option<WebhookSecret>,
    /// Whether the Standard Webhooks headers are sent as well.
    pub standard_headers: bool,
    /// The event's type.
    pub event: EventType,
    /// The body, final.
    pub body: Vec<u8>,
    /// The trace of what the event tells of (`traceparent` of W3C), where there is one.
    pub trace_parent: Option<String>,
}

/// An attempt that was made, and what follows from it.
#[derive(Debug, Clone)]
pub struct AttemptRecord {
    /// Of which delivery.
    pub leased: Leased,
    /// When it started.
    pub started_at: OffsetDateTime,
    /// How long it took, in milliseconds.
    pub duration_ms: i64,
    /// What it came to.
    pub outcome: AttemptOutcome,
    /// The beginning of the answer's body; empty where there was none.
    pub answer: Vec<u8>,
    /// What follows.
    pub verdict: NextStep,
}

/// How much is wanted of one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lanes {
    /// Addresses, and how many deliveries of each there is room for; 0 for those not to be looked at.
    pub rooms: Vec<(WebhookAddressId, u32)>,
    /// Room for each other address.
    pub room_elsewhere: u32,
    /// The most in all.
    pub limit: u32,
}

impl Lanes {
    /// Up to `limit`, of whatever address.
    pub const fn any(limit: u32) -> Self {
        Self { rooms: Vec::new(), room_elsewhere: limit, limit }
    }
}

/// What was taken out of the queue.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// To attempt; of one address, those longest due first.
    pub due: Vec<DueDelivery>,
    /// Taken as well, but their body or their address's secret cannot be read.
    pub unreadable: Vec<Leased>,
}

/// What the queue has waiting for one workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueWorkspace {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// Since when something has been due to an address that is delivered to.
    pub due_since: Option<OffsetDateTime>,
    /// Whether something is queued for an address that is not delivered to any more.
    pub has_stranded: bool,
}

/// Deliveries that are owed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Workspaces with deliveries due at `now`, also where somebody is at them. Only reads.
    async fn due_workspaces(&self, now: OffsetDateTime) -> Result<Vec<DueWorkspace>, StoreError>;

    /// Takes due deliveries of one workspace to enabled addresses until `lease_until`, as far as `lanes` have
    /// room. Those whose lease has run out are due again.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        lanes: &Lanes,
    ) -> Result<Taken, StoreError>;

    /// In one transaction: the attempts, what becomes of the deliveries, and the addresses' health by
    /// [`crate::webhooks::AddressHealth::after`]. How many results came after their lease was lost; these are
    /// logged as attempts, and change nothing unless the delivery has arrived.
    async fn record(&self, workspace: WorkspaceId, attempts: &[AttemptRecord]) -> Result<u32, StoreError>;

    /// Gives back deliveries that were not attempted: they are due at once.
    async fn release(&self, workspace: WorkspaceId, leased: &[Leased]) -> Result<(), StoreError>;

    /// Takes up to `limit` deliveries that nobody is at out of the queue because their addresses are not
    /// delivered to any more; they are held in the log. How many that were.
    async fn hold(&self, workspace: WorkspaceId, now: OffsetDateTime, limit: u32) -> Result<u32, StoreError>;

    /// How many deliveries are queued in all. Only reads.
    async fn depth(&self) -> Result<u64, StoreError>;
}
