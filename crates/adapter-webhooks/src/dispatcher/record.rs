//! Writing of results in batches.

use std::sync::{Arc, Mutex, PoisonError};

use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    webhooks::{DeliverDue, ports::AttemptRecord},
};
use tokio_util::sync::CancellationToken;

use super::{counters, outage::Outage};

/// Number of tries to write a batch; with the pauses between them they take less than
/// [`domain::webhooks::RECORD_WITHIN`].
const TRIES: u32 = 6;

pub(super) struct Recorder {
    pub(super) deliver: Arc<DeliverDue>,
    pub(super) shutdown: CancellationToken,
    pub(super) outage: Mutex<Outage>,
}

impl Recorder {
    /// Records a batch. One that the store refuses is written result by result, so that a bad one harms no
    /// other.
    pub(super) async fn record(&self, workspace: WorkspaceId, records: &[AttemptRecord]) {
        let Err(error) = self.write(workspace, records).await else { return };
        if matches!(error, StoreError::Internal(_)) && records.len() > 1 {
            for record in records {
                if let Err(error) = self.write(workspace, std::slice::from_ref(record)).await {
                    let delivery_id = record.leased.id;
                    tracing::error!(%error, workspace_id = %workspace, %delivery_id, "an attempt could not be recorded");
                }
            }
            return;
        }
        tracing::warn!(
            %error, workspace_id = %workspace, count = records.len(),
            "attempts could not be recorded; their deliveries are due again when their leases end"
        );
    }

    /// Writes a batch. Waits out an outage, but not while shutting down.
    async fn write(&self, workspace: WorkspaceId, records: &[AttemptRecord]) -> Result<(), StoreError> {
        let mut tries = 1;
        loop {
            let error = match self.deliver.record(workspace, records).await {
                Ok(lost) => {
                    self.outage().over();
                    if lost > 0 {
                        counters::leases_lost().increment(lost.into());
                        tracing::warn!(workspace_id = %workspace, lost, "results came after their lease was lost");
                    }
                    return Ok(());
                }
                Err(error @ StoreError::Internal(_)) => return Err(error),
                Err(error) => error,
            };
            let pause = self.outage().failed(&error);
            if tries == TRIES || self.shutdown.is_cancelled() {
                return Err(error);
            }
            tries += 1;
            self.shutdown.run_until_cancelled(self.deliver.clock.sleep(pause)).await;
        }
    }

    fn outage(&self) -> std::sync::MutexGuard<'_, Outage> {
        self.outage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
