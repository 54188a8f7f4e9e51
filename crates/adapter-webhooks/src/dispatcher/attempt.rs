//! One delivery from its claim to its result.

use std::{sync::Arc, time::Duration};

use domain::webhooks::{
    DeliverDue, Failure, Verdict,
    ports::{AttemptRecord, DueDelivery},
};
use time::OffsetDateTime;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::{recorder::Ended, turns::InHand};

/// How long after its claim an attempt may still start: half of the lease of a minute, which leaves time for the
/// attempt and its record. Later, another node may have the delivery.
const START_WITHIN: Duration = Duration::from_secs(30);

/// What all attempts share.
pub(super) struct Attempts {
    pub(super) deliver: Arc<DeliverDue>,
    pub(super) slots: Semaphore,
    pub(super) shutdown: CancellationToken,
    pub(super) results: mpsc::UnboundedSender<Ended>,
}

impl Attempts {
    /// Waits for room in `lane`, then for a slot, and makes the attempt; lets the delivery go when it would start
    /// too late.
    pub(super) async fn make(
        self: Arc<Self>,
        delivery: DueDelivery,
        claimed_at: OffsetDateTime,
        lane: Arc<Semaphore>,
        in_hand: InHand,
    ) {
        let Ok(_room) = lane.acquire().await else { return };
        let Ok(_slot) = self.slots.acquire().await else { return };
        if self.shutdown.is_cancelled() || self.deliver.clock.now() - claimed_at > START_WITHIN {
            tracing::debug!(delivery_id = %delivery.id, "not started in time; due again when its lease ends");
            return;
        }
        let record = {
            let _in_flight = InFlight::start();
            self.deliver.attempt(&delivery).await
        };
        tell(&record);
        // Fails only when nobody records any more, which is after the last attempt.
        let _ = self.results.send(Ended { record, in_hand });
    }
}

/// Counts an attempt as under way until it is dropped.
struct InFlight;

impl InFlight {
    fn start() -> Self {
        metrics::gauge!("webhook_deliveries_in_flight").increment(1.0);
        Self
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        metrics::gauge!("webhook_deliveries_in_flight").decrement(1.0);
    }
}

/// Tells log and metrics.
fn tell(record: &AttemptRecord) {
    let outcome = match &record.outcome {
        Ok(_) => "delivered",
        Err(Failure::Status { .. }) => "status",
        Err(Failure::Timeout) => "timeout",
        Err(Failure::Call(_)) => "call",
    };
    let took = Duration::from_millis(record.duration_ms.try_into().unwrap_or_default());
    metrics::counter!("webhook_attempts_total", "outcome" => outcome).increment(1);
    metrics::histogram!("webhook_attempt_seconds").record(took.as_secs_f64());

    let AttemptRecord { delivery: delivery_id, address: address_id, attempt, duration_ms, .. } = record;
    match (&record.outcome, record.verdict) {
        (Ok(status), _) => {
            tracing::info!(%delivery_id, %address_id, attempt, status, duration_ms, "delivered");
        }
        (Err(failure), Verdict::RetryAt(retry_at)) => {
            let status = failure.status();
            tracing::info!(
                %delivery_id, %address_id, attempt, status, duration_ms, %failure, %retry_at,
                "not delivered, to be tried again"
            );
        }
        (Err(failure), _) => {
            let status = failure.status();
            tracing::warn!(
                %delivery_id, %address_id, attempt, status, duration_ms, %failure,
                "not delivered, given up"
            );
        }
    }
}
