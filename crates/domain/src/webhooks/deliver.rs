//! One delivery's attempt: send, then say what follows. Claiming and recording go in batches around it.

use std::{sync::Arc, time::Duration};

use time::OffsetDateTime;

use super::{
    ports::{AttemptRecord, DeliveryQueue, DeliverySender, DueDelivery},
    schedule::verdict,
};
use crate::{clock::Clock, errors::StoreError, ids::WorkspaceId, vault::Vault};

/// How long a claimed delivery is left alone by other nodes: well over the time limit of an attempt.
const LEASE: Duration = Duration::from_mins(1);
/// How long the log is kept (REST API v1, Limits: a month).
const KEPT: Duration = Duration::from_hours(31 * 24);

/// The attempts of one batch, to be recorded together.
pub type Delivered = Vec<AttemptRecord>;

/// Delivers what is due.
pub struct DeliverDue {
    /// What is owed.
    pub queue: Arc<dyn DeliveryQueue>,
    /// Makes the attempts.
    pub sender: Arc<dyn DeliverySender>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// For jitter.
    pub vault: Arc<dyn Vault>,
}

impl DeliverDue {
    /// Workspaces with deliveries due now.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn workspaces(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.queue.workspaces_with_due(self.clock.now()).await
    }

    /// Takes up to `limit` due deliveries of one workspace.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn claim(&self, workspace: WorkspaceId, limit: u32) -> Result<Vec<DueDelivery>, StoreError> {
        let now = self.clock.now();
        self.queue.claim(workspace, now, now + LEASE, limit).await
    }

    /// Makes one attempt, with nothing of the store held, and says what follows.
    pub async fn attempt(&self, delivery: &DueDelivery) -> AttemptRecord {
        let started_at = self.clock.now();
        let outcome = self.sender.attempt(delivery).await;
        let ended_at = self.clock.now();
        AttemptRecord {
            delivery: delivery.id,
            address: delivery.address,
            attempt: delivery.attempt,
            started_at,
            duration_ms: i64::try_from((ended_at - started_at).whole_milliseconds()).unwrap_or(i64::MAX),
            verdict: verdict(delivery.attempt, &outcome, ended_at, self.jitter()),
            outcome,
        }
    }

    /// Writes down a batch.
    ///
    /// # Errors
    /// Those of the store; the deliveries are due again when their lease runs out, and may then be attempted
    /// once more.
    pub async fn record(&self, workspace: WorkspaceId, attempts: &Delivered) -> Result<(), StoreError> {
        self.queue.record(workspace, attempts).await
    }

    /// Drops what is older than the log is kept; how many deliveries that were.
    ///
    /// # Errors
    /// Those of the store.
    pub async fn forget_old(&self) -> Result<u64, StoreError> {
        let before: OffsetDateTime = self.clock.now() - KEPT;
        let mut forgotten = 0;
        for workspace in self.queue.workspaces_to_forget(before).await? {
            forgotten += self.queue.forget(workspace, before).await?;
        }
        Ok(forgotten)
    }

    /// From 0 to 1.
    fn jitter(&self) -> f64 {
        let [first, second, ..] = self.vault.random();
        f64::from(u16::from_be_bytes([first, second])) / f64::from(u16::MAX)
    }
}
