//! Queue of deliveries that are to be attempted.

use async_trait::async_trait;
use time::OffsetDateTime;

use super::super::{
    address::WebhookSecret,
    schedule::{AttemptOutcome, NextStep},
};
use crate::{
    errors::StoreError,
    events::EventType,
    ids::{DeliveryId, WebhookAddressId, WorkspaceId},
};

/// Lease of a delivery, with which a node may attempt it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Leased {
    pub id: DeliveryId,
    pub address: WebhookAddressId,
    /// Time of the event; with the id, the delivery's key in the log.
    pub created_at: OffsetDateTime,
    /// Number of the attempt to make, from 1.
    pub attempt: u32,
    /// End of the lease, which also identifies it: a result under another lease than the queue's comes too
    /// late.
    pub until: OffsetDateTime,
    /// Whether no attempt follows this one, whatever its outcome, because the address was disabled when the
    /// delivery was queued.
    pub once: bool,
}

/// A due delivery with all that an attempt needs.
#[derive(Debug, Clone)]
pub struct DueDelivery {
    pub leased: Leased,
    pub url: String,
    pub secret: WebhookSecret,
    /// Secret before the last rotation, while it still signs beside the new one.
    pub previous_secret: Option<WebhookSecret>,
    /// Whether the Standard Webhooks headers are sent as well.
    pub standard_headers: bool,
    pub event: EventType,
    /// Final: the same bytes in every attempt.
    pub body: Vec<u8>,
    /// W3C `traceparent` of what caused the event, if it was traced.
    pub trace_parent: Option<String>,
}

/// An attempt that was made and what follows from it.
#[derive(Debug, Clone)]
pub struct AttemptRecord {
    pub leased: Leased,
    pub started_at: OffsetDateTime,
    pub duration_ms: i64,
    pub outcome: AttemptOutcome,
    /// Beginning of the answer's body; empty if there was none.
    pub answer: Vec<u8>,
    /// Whether an answer came and ended within its limits of time and size.
    pub is_whole: bool,
    pub next_step: NextStep,
}

/// Limits of a claim in one workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimLimits {
    /// Most deliveries to claim of each of these addresses; an address with 0 is not looked at.
    pub rooms: Vec<(WebhookAddressId, u32)>,
    /// Most deliveries to claim of each other address.
    pub room_elsewhere: u32,
    /// Most deliveries to claim in all.
    pub limit: u32,
}

impl ClaimLimits {
    /// Creates limits of up to `limit` deliveries, whatever their addresses.
    pub const fn any(limit: u32) -> Self {
        Self { rooms: Vec::new(), room_elsewhere: limit, limit }
    }
}

/// Deliveries claimed from the queue.
#[derive(Debug, Clone, Default)]
pub struct Taken {
    /// Of each address, those longest due.
    pub due: Vec<DueDelivery>,
    /// Claimed as well, but with a body or an address's secret that cannot be read.
    pub unreadable: Vec<Leased>,
}

/// Summary of what waits in the queue for one workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DueWorkspace {
    pub workspace: WorkspaceId,
    /// Earliest due time of what can be attempted; `None` if only stranded deliveries wait.
    pub due_since: Option<OffsetDateTime>,
    /// Whether something queued for a disabled or deleted address is to be held.
    pub has_stranded: bool,
}

/// Queue of deliveries that are to be attempted.
#[cfg_attr(any(test, feature = "mocks"), mockall::automock)]
#[async_trait]
pub trait DeliveryQueue: Send + Sync {
    /// Lists workspaces with deliveries due at `now`, leased ones included, or stranded. Only reads.
    async fn due_workspaces(&self, now: OffsetDateTime) -> Result<Vec<DueWorkspace>, StoreError>;

    /// Claims due deliveries of one workspace until `lease_until`, within `limits`: all those to enabled
    /// addresses, and to disabled ones only those that are attempted once. A delivery whose lease has run out
    /// is due again.
    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limits: &ClaimLimits,
    ) -> Result<Taken, StoreError>;

    /// Writes, in one transaction, the attempts, the deliveries' new states, and the addresses' health by
    /// [`crate::webhooks::AddressHealth::after`]. Returns how many results came after their lease was lost;
    /// they are logged as attempts and change nothing unless the delivery succeeded.
    async fn record(&self, workspace: WorkspaceId, attempts: &[AttemptRecord]) -> Result<u32, StoreError>;

    /// Releases deliveries that were not attempted; they are due at once.
    async fn release(&self, workspace: WorkspaceId, leased: &[Leased]) -> Result<(), StoreError>;

    /// Holds up to `limit` deliveries queued for disabled or deleted addresses; returns how many. Leased ones
    /// are left to their results.
    async fn hold(&self, workspace: WorkspaceId, now: OffsetDateTime, limit: u32) -> Result<u32, StoreError>;

    /// Returns the number of deliveries queued in all workspaces. Only reads.
    async fn depth(&self) -> Result<u64, StoreError>;
}
