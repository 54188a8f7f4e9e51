//! Attempts at what is due: claim, send, say what follows. Claiming and recording go in batches.

use std::{sync::Arc, time::Duration};

use time::OffsetDateTime;

use super::{
    AttemptOutcome, Failure, NextStep,
    ports::{
        AttemptRecord, Attempted, ClaimLimits, DeliveryQueue, DeliverySender, DueDelivery, DueWorkspace,
        Leased, NotMade,
    },
    schedule::next_step,
};
use crate::{clock::Clock, errors::StoreError, ids::WorkspaceId, vault::Vault};

/// It says how long a receiver has for its whole answer (docs/webhooks.md, "Answer it").
pub const ATTEMPT_LIMIT: Duration = Duration::from_secs(10);
/// It says how long after its claim an attempt may still start: no longer, so that a secret that was rotated
/// or an address that was disabled meanwhile is hardly ever used.
pub const START_WITHIN: Duration = Duration::from_secs(2);
/// It says how long a store that fails may keep a result waiting before its delivery is attempted again.
pub const RECORD_WITHIN: Duration = Duration::from_secs(48);
/// It says how long a claimed delivery is left alone by others: all that may happen to it before its result
/// is recorded.
const LEASE: Duration = START_WITHIN.saturating_add(ATTEMPT_LIMIT).saturating_add(RECORD_WITHIN);
/// So many bytes of an answer's body are kept in the log.
pub const ANSWER_KEPT: usize = 1_024;
/// So many deliveries of disabled addresses are taken out of the queue at a time.
const HELD_AT_ONCE: u32 = 1_000;

/// It is a batch to work at.
#[derive(Debug, Clone, Default)]
pub struct Claimed {
    /// They are to be attempted.
    pub due: Vec<DueDelivery>,
    /// They are what could not be read and so was not attempted: to be recorded as it is.
    pub unreadable: Vec<AttemptRecord>,
    /// Attempts may start until then.
    pub start_by: Option<OffsetDateTime>,
}

/// It delivers what is due.
pub struct DeliverDue {
    pub queue: Arc<dyn DeliveryQueue>,
    pub sender: Arc<dyn DeliverySender>,
    pub clock: Arc<dyn Clock>,
    pub vault: Arc<dyn Vault>,
}

impl DeliverDue {
    /// Lists workspaces with something in the queue to do now.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn workspaces(&self) -> Result<Vec<DueWorkspace>, StoreError> {
        self.queue.due_workspaces(self.clock.now()).await
    }

    /// Takes due deliveries of one workspace, as far as `limits` have room.
    ///
    /// # Errors
    /// Those of the store.
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

    /// Makes one attempt, with nothing of the store held, and says what follows.
    ///
    /// # Errors
    /// [`NotMade`]: it does not count, and the delivery is to be released.
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

    /// Makes an attempt that could not be made; it counts against the delivery, not against its address.
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

    /// Writes down a batch; how many results came after their lease was lost.
    ///
    /// # Errors
    /// Those of the store; the deliveries are due again when their lease runs out, and may then be attempted
    /// once more.
    pub async fn record(
        &self,
        workspace: WorkspaceId,
        attempts: &[AttemptRecord],
    ) -> Result<u32, StoreError> {
        self.queue.record(workspace, attempts).await
    }

    /// Gives back what was claimed and will not be attempted.
    ///
    /// # Errors
    /// Those of the store; the deliveries are due again when their lease runs out.
    pub async fn release(&self, workspace: WorkspaceId, leased: &[Leased]) -> Result<(), StoreError> {
        self.queue.release(workspace, leased).await
    }

    /// Holds what is queued for addresses that are not delivered to any more; whether there may be more of it.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn hold(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        Ok(self.queue.hold(workspace, self.clock.now(), HELD_AT_ONCE).await? == HELD_AT_ONCE)
    }

    /// Returns how many deliveries are queued in all.
    ///
    /// # Errors
    /// Those of the store.
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
