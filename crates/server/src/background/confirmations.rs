//! Reads customers' answers to drafts, carries out what they confirm, and sends the receipts.

use std::{sync::Arc, time::Duration};

use domain::{
    assistant::{Reassure, ResumeReplies},
    clock::Clock,
    consent::{CommitmentState, ReadAnswers},
    errors::StoreError,
    fulfilment::{Carried, CarryOut},
    ids::WorkspaceId,
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::workers::Workers;

/// Interval between scans for due work: a customer waits for it.
const SCAN_EVERY: Duration = Duration::from_secs(1);
/// Pieces of one kind worked on at once: most of one is waiting for a system or a network.
const AT_ONCE: usize = 100;
/// Pieces of one workspace worked on at once: a system that hangs holds up no other.
const OF_ONE_WORKSPACE: usize = 4;

/// Background work on drafts.
pub struct Confirmations {
    pub read: Arc<ReadAnswers>,
    pub carry_out: Arc<CarryOut>,
    /// Sends the receipts and other replies that the service has worded.
    pub replies: Arc<ResumeReplies>,
    /// Tells customers something more who write on while they wait for a person.
    pub reassure: Arc<Reassure>,
}

/// A kind of work, done workspace by workspace.
trait Work: Send + Sync + 'static {
    const WHAT: &'static str;

    fn due(&self) -> impl Future<Output = Result<Vec<WorkspaceId>, StoreError>> + Send;

    /// Does one piece; `false` when none is left.
    fn one(&self, workspace: WorkspaceId) -> impl Future<Output = Result<bool, StoreError>> + Send;
}

impl Work for ReadAnswers {
    const WHAT: &'static str = "answers to drafts";

    async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.due().await
    }

    async fn one(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        self.run(workspace).await
    }
}

impl Work for CarryOut {
    const WHAT: &'static str = "what customers have confirmed";

    async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.due().await
    }

    async fn one(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        let carried = self.run(workspace).await?;
        match carried {
            Some(Carried::Ended(CommitmentState::GivenUp)) => {
                warn!(%workspace, "what a customer confirmed was given up: their system did not answer in time");
            }
            Some(Carried::Ended(state)) => {
                info!(%workspace, state = state.as_str(), "what a customer confirmed has come to its end");
            }
            Some(Carried::Again(_) | Carried::Lost) | None => {}
        }
        Ok(carried.is_some())
    }
}

impl Work for ResumeReplies {
    const WHAT: &'static str = "replies that the service has worded";

    async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.due().await
    }

    async fn one(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        self.run(workspace).await
    }
}

impl Work for Reassure {
    const WHAT: &'static str = "customers who write on after a hand-over";

    async fn due(&self) -> Result<Vec<WorkspaceId>, StoreError> {
        self.due().await
    }

    async fn one(&self, workspace: WorkspaceId) -> Result<bool, StoreError> {
        self.run(workspace).await
    }
}

/// Works until `shutdown`, on the kinds and the workspaces side by side: a system that hangs delays no
/// answer, no receipt and no other workspace's order. Waits for what was begun.
pub async fn handle_confirmations(
    confirmations: Arc<Confirmations>,
    clock: Arc<dyn Clock>,
    shutdown: CancellationToken,
) {
    tokio::join!(
        work_off(&confirmations.read, &*clock, &shutdown),
        work_off(&confirmations.carry_out, &*clock, &shutdown),
        work_off(&confirmations.replies, &*clock, &shutdown),
        work_off(&confirmations.reassure, &*clock, &shutdown),
    );
}

async fn work_off<W: Work>(work: &Arc<W>, clock: &dyn Clock, shutdown: &CancellationToken) {
    let mut workers = Workers::new(AT_ONCE, OF_ONE_WORKSPACE);
    while !shutdown.is_cancelled() {
        match work.due().await {
            Ok(due) => {
                for workspace in due {
                    workers.begin(workspace, work_for(Arc::clone(work), workspace, shutdown.clone()));
                }
            }
            Err(error) => warn!(%error, what = W::WHAT, "what is due could not be looked for"),
        }
        shutdown.run_until_cancelled(clock.sleep(SCAN_EVERY)).await;
    }
    workers.finish().await;
}

/// Does the workspace's due work, one piece after another.
async fn work_for<W: Work>(work: Arc<W>, workspace: WorkspaceId, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match work.one(workspace).await {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                warn!(%workspace, %error, what = W::WHAT, "not done now, and tried again");
                return;
            }
        }
    }
}
