//! The queue of deliveries that are still to be attempted.

use async_trait::async_trait;
use time::OffsetDateTime;

use crate::{
    errors::StoreError,
    ids::{DeliveryId, WebhookAddressId, WorkspaceId},
    webhooks::{AttemptOutcome, EventType, NextStep, WebhookSecret},
};

/// A node has taken this delivery out to attempt it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leased {
    pub id: DeliveryId,
    pub address: WebhookAddressId,
    /// The delivery was made then: with its id, this is its place in the log.
    pub created_at: OffsetDateTime,
    /// It says which attempt is to be made, from 1.
    pub attempt: u32,
    /// It says until when nobody else takes it. A result that names another lease than the queue's comes too
    /// late.
    pub until: OffsetDateTime,
    /// It says whether no attempt follows this one, whatever it comes to: its address is disabled, or was
    /// when it was made.
    pub once: bool,
}

/// It is a delivery that is due, with all that an attempt needs.
#[derive(Debug, Clone)]
pub struct DueDelivery {
    /// It says which delivery it is.
    pub leased: Leased,
    pub url: String,
    /// It signs the delivery.
    pub secret: WebhookSecret,
    /// It is the secret before, while that still signs beside the other.
    pub previous_secret: Option<WebhookSecret>,
    /// It says whether the Standard Webhooks headers are sent as well.
    pub standard_headers: bool,
    pub event: EventType,
    /// The body is final.
    pub body: Vec<u8>,
    /// It is the trace of what the event tells of (`traceparent` of W3C), where there is one.
    pub trace_parent: Option<String>,
}

/// It is an attempt that was made, and what follows from it.
#[derive(Debug, Clone)]
pub struct AttemptRecord {
    /// It says of which delivery the attempt was.
    pub leased: Leased,
    pub started_at: OffsetDateTime,
    pub duration_ms: i64,
    /// It says what the attempt came to.
    pub outcome: AttemptOutcome,
    /// It is the beginning of the answer's body; empty where there was none.
    pub answer: Vec<u8>,
    /// Whether there was an answer, and it ended within its bounds.
    pub is_whole: bool,
    pub next_step: NextStep,
}

/// It says how much is wanted of one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimLimits {
    /// They are addresses, and how many deliveries of each there is room for; 0 is for those not to be looked
    /// at.
    pub rooms: Vec<(WebhookAddressId, u32)>,
    /// Each other address has so much room.
    pub room_elsewhere: u32,
    /// So many are wanted in all at most.
    pub limit: u32,
}

impl ClaimLimits {
    /// Wants up to `limit`, of whatever address.
    pub const fn any(limit: u32) -> Self {
        Self { rooms: Vec::new(), room_elsewhere: limit, limit }
    }
}

/// It was taken out of the queue.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// They are to be attempted; of one address, they are those longest due.
    pub due: Vec<DueDelivery>,
    /// They were taken as well, but their body or their address's secret cannot be read.
    pub unreadable: Vec<Leased>,
}

/// It says what the queue has waiting for one workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueWorkspace {
    pub workspace: WorkspaceId,
    /// Something has been due since then to an address that is delivered to.
    pub due_since: Option<OffsetDateTime>,
    /// It says whether something is queued for an address that is not delivered to any more, and is to be
    /// held.
    pub has_stranded: bool,
}

/// A `DeliveryQueue` holds deliveries that are owed.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Lists workspaces with deliveries due at `now`, also where somebody is at them. It only reads.
    async fn due_workspaces(&self, now: OffsetDateTime) -> Result<Vec<DueWorkspace>, StoreError>;

    /// Takes due deliveries of one workspace to enabled addresses until `lease_until`, as far as `limits` have room; to
    /// disabled ones what is attempted once whatever their state. Those whose lease has run out are due again.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limits: &ClaimLimits,
    ) -> Result<Taken, StoreError>;

    /// In one transaction: the attempts, what becomes of the deliveries, and the addresses' health by
    /// [`crate::webhooks::AddressHealth::after`]. How many results came after their lease was lost; these are
    /// logged as attempts, and change nothing unless the delivery has arrived.
    async fn record(&self, workspace: WorkspaceId, attempts: &[AttemptRecord]) -> Result<u32, StoreError>;

    /// Gives back deliveries that were not attempted: they are due at once.
    async fn release(&self, workspace: WorkspaceId, leased: &[Leased]) -> Result<(), StoreError>;

    async fn hold(&self, workspace: WorkspaceId, now: OffsetDateTime, limit: u32) -> Result<u32, StoreError>;

    /// Returns how many deliveries are queued in all. It only reads.
    async fn depth(&self) -> Result<u64, StoreError>;
}
