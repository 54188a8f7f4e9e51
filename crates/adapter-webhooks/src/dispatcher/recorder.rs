//! Writes results down, in batches per workspace.

use std::{collections::BTreeMap, sync::Arc};

use domain::{
    errors::StoreError,
    ids::WorkspaceId,
    webhooks::{DeliverDue, Delivered, ports::AttemptRecord},
};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio_util::sync::CancellationToken;

use super::{outage::Outage, turns::InHand};

/// Results written down together, at most.
const BATCH: usize = 256;
/// Tries at writing a batch: with the pauses between them about as long as a lease, after which the deliveries
/// are due again anyway.
const TRIES: u32 = 6;

/// An attempt that has ended.
pub(super) struct Ended {
    pub(super) record: AttemptRecord,
    pub(super) in_hand: InHand,
}

pub(super) struct Recorder {
    pub(super) deliver: Arc<DeliverDue>,
    pub(super) shutdown: CancellationToken,
    pub(super) outage: Outage,
}

impl Recorder {
    /// Records what comes until no more can come. `results` is bounded by what may be in hand: room is given
    /// back only here.
    pub(super) async fn run(mut self, mut results: UnboundedReceiver<Ended>) {
        let mut ended = Vec::new();
        while results.recv_many(&mut ended, BATCH).await > 0 {
            let mut by_workspace: BTreeMap<WorkspaceId, (Delivered, Vec<InHand>)> = BTreeMap::new();
            for Ended { record, in_hand } in ended.drain(..) {
                let (records, hands) = by_workspace.entry(in_hand.workspace).or_default();
                records.push(record);
                hands.push(in_hand);
            }
            for (workspace, (records, _hands)) in by_workspace {
                self.record(workspace, records).await;
            }
        }
    }

    /// A batch that the store refuses is taken apart, so that one bad result harms no other.
    async fn record(&mut self, workspace: WorkspaceId, records: Delivered) {
        let Err(error) = self.write(workspace, &records).await else { return };
        if matches!(error, StoreError::Internal(_)) && records.len() > 1 {
            for record in records {
                let delivery_id = record.delivery;
                if let Err(error) = self.write(workspace, &vec![record]).await {
                    tracing::error!(%error, workspace_id = %workspace, %delivery_id, "an attempt could not be recorded");
                }
            }
            return;
        }
        tracing::error!(
            %error, workspace_id = %workspace, attempts = records.len(),
            "attempts could not be recorded; their deliveries are due again when their lease ends"
        );
    }

    /// Waits out an outage, but not while shutting down.
    async fn write(&mut self, workspace: WorkspaceId, records: &Delivered) -> Result<(), StoreError> {
        let mut tries = 1;
        loop {
            let error = match self.deliver.record(workspace, records).await {
                Ok(()) => {
                    self.outage.over();
                    return Ok(());
                }
                Err(error @ StoreError::Internal(_)) => return Err(error),
                Err(error) => error,
            };
            let pause = self.outage.failed(&error);
            if tries == TRIES || self.shutdown.is_cancelled() {
                return Err(error);
            }
            tries += 1;
            tokio::select! {
                () = self.shutdown.cancelled() => {}
                () = self.deliver.clock.sleep(pause) => {}
            }
        }
    }
}
