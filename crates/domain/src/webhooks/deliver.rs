//! Delivery of what is due: claim, attempt, record. Claims and records go in batches.

use std::{sync::Arc, time::Duration};

use time::OffsetDateTime;

use super::{
    ports::{
        AttemptRecord, Attempted, ClaimLimits, DeliveryQueue, DeliverySender, DueDelivery, DueWorkspace,
        Leased, NotMade,
    },
    schedule::{AttemptOutcome, Failure, NextStep, next_step},
};
use crate::{clock::Clock, errors::StoreError, ids::WorkspaceId, vault::Vault};

/// Time limit of an attempt: the receiver's status must come within it (docs/use/webhooks.md, "Answer it").
pub const ATTEMPT_LIMIT: Duration = Duration::from_secs(10);
/// Time after its claim within which an attempt may start; short, so that a secret that was rotated or an
/// address that was disabled meanwhile is hardly ever used.
pub const START_WITHIN: Duration = Duration::from_secs(2);
/// Time that a failing store may keep a result waiting before its delivery is attempted again.
pub const RECORD_WITHIN: Duration = Duration::from_secs(48);
/// Lease of a claimed delivery: the sum of all that may pass before its result is recorded.
const LEASE: Duration = START_WITHIN.saturating_add(ATTEMPT_LIMIT).saturating_add(RECORD_WITHIN);
/// Bytes of an answer's body kept in the log.
pub const ANSWER_KEPT: usize = 1_024;
/// Deliveries of disabled addresses taken out of the queue in one transaction.
const HELD_AT_ONCE: u32 = 1_000;

/// Batch of claimed deliveries.
#[derive(Debug, Clone, Default)]
pub struct Claimed {
    pub due: Vec<DueDelivery>,
    /// Failed attempts at deliveries that cannot be read, to be recorded as they are.
    pub unreadable: Vec<AttemptRecord>,
    /// Latest start of an attempt; `None` only for the default, an empty batch.
    pub start_by: Option<OffsetDateTime>,
}

/// Delivers what is due.
pub struct DeliverDue {
    pub queue: Arc<dyn DeliveryQueue>,
    pub sender: Arc<dyn DeliverySender>,
    pub clock: Arc<dyn Clock>,
    pub vault: Arc<dyn Vault>,
}

impl DeliverDue {
    /// Lists workspaces with something due or stranded in the queue.
    pub async fn workspaces(&self) -> Result<Vec<DueWorkspace>, StoreError> {
        self.queue.due_workspaces(self.clock.now()).await
    }

    /// Claims due deliveries of one workspace within `limits`.
    pub async fn claim(&self, workspace: WorkspaceId, limits: &ClaimLimits) -> Result<Claimed, StoreError> {
        let now = self.clock.now();
        let taken = self.queue.claim(workspace, now, now + LEASE, limits).await?;
        let unreadable = taken.unreadable.into_iter();
        Ok(Claimed {
            due: taken.due,
            unreadable: unreadable.map(|leased| self.spoiled(leased, now)).collect(),
            start_by: Some(now + START_WITHIN),
        })
    }

    /// Makes one attempt and decides what follows; holds nothing of the store meanwhile.
    ///
    /// # Errors
    /// [`NotMade`] if nothing was sent: the attempt does not count, and the delivery is to be released.
    pub async fn attempt(&self, delivery: &DueDelivery) -> Result<AttemptRecord, NotMade> {
        let started_at = self.clock.now();
        let Attempted { outcome, answer, is_whole } = self.sender.attempt(delivery).await?;
        let ended_at = self.clock.now();
        Ok(AttemptRecord {
            leased: delivery.leased,
            started_at,
            duration_ms: i64::try_from((ended_at - started_at).whole_milliseconds()).unwrap_or(i64::MAX),
            next_step: self.next_step(delivery.leased, &outcome, ended_at),
            outcome,
            answer,
            is_whole,
        })
    }

    /// Creates the record of an attempt at an unreadable delivery, to which nothing is sent.
    fn spoiled(&self, leased: Leased, now: OffsetDateTime) -> AttemptRecord {
        let outcome = Err(Failure::Unreadable);
        AttemptRecord {
            leased,
            started_at: now,
            duration_ms: 0,
            next_step: self.next_step(leased, &outcome, now),
            outcome,
            answer: Vec::new(),
            is_whole: false,
        }
    }

    /// Records a batch and returns how many results came after their lease was lost.
    ///
    /// # Errors
    /// If the store fails, the deliveries are due again when their lease runs out, and may then be attempted
    /// once more.
    pub async fn record(
        &self,
        workspace: WorkspaceId,
        attempts: &[AttemptRecord],
    ) -> Result<u32, StoreError> {
        self.queue.record(workspace, attempts).await
    }

    /// Releases claimed deliveries that will not be attempted.
    ///
    /// # Errors
    /// If the store fails, the deliveries are due again when their lease runs out.
    pub async fn release(&self, workspace: WorkspaceId, leased: &[Leased]) -> Result<(), StoreError> {
        self.queue.release(workspace, leased).await
    }

    /// Holds a batch of what is queued for disabled or deleted addresses; returns whether there may be more.
    pub async fn hold(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        Ok(self.queue.hold(workspace, self.clock.now(), HELD_AT_ONCE).await? == HELD_AT_ONCE)
    }

    /// Returns the number of deliveries queued in all workspaces.
    pub async fn depth(&self) -> Result<u64, StoreError> {
        self.queue.depth().await
    }

    fn next_step(&self, leased: Leased, outcome: &AttemptOutcome, ended_at: OffsetDateTime) -> NextStep {
        match next_step(leased.attempt, outcome, ended_at, self.jitter()) {
            NextStep::RetryAt(_) if leased.once => NextStep::Failed,
            next => next,
        }
    }

    /// Returns a number from 0 to 1.
    fn jitter(&self) -> f64 {
        let [first, second, ..] = self.vault.random();
        f64::from(u16::from_be_bytes([first, second])) / f64::from(u16::MAX)
    }
}
