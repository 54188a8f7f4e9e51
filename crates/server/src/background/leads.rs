//! Pushes leads to workspaces' own systems.

use std::{sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    customer_records::{AfterTry, PushLeads},
    ids::WorkspaceId,
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::workers::Workers;

/// Interval between scans for due leads.
const SCAN_EVERY: Duration = Duration::from_secs(5);
/// Leads pushed at once: most of a push is waiting for a system.
const AT_ONCE: usize = 100;
/// Leads of one workspace pushed at once: a system that hangs holds up no other.
const OF_ONE_WORKSPACE: usize = 4;

/// Pushes leads until `shutdown`, then waits for those in hand.
pub async fn push_leads(push: Arc<PushLeads>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    let mut workers = Workers::new(AT_ONCE, OF_ONE_WORKSPACE);
    while !shutdown.is_cancelled() {
        match push.due().await {
            Ok(due) => {
                for workspace in due {
                    workers.begin(workspace, tell(Arc::clone(&push), workspace, shutdown.clone()));
                }
            }
            Err(error) => warn!(%error, "leads that are due could not be looked for"),
        }
        shutdown.run_until_cancelled(clock.sleep(SCAN_EVERY)).await;
    }
    workers.finish().await;
}

/// Pushes the workspace's due leads, one after another.
async fn tell(push: Arc<PushLeads>, workspace: WorkspaceId, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match push.run(workspace).await {
            Ok(Some(AfterTry::Ended(state))) => {
                info!(%workspace, state = state.as_str(), "a system has heard of a lead, or will not");
            }
            Ok(Some(AfterTry::Again(_))) => {}
            Ok(None) => return,
            Err(error) => {
                warn!(%workspace, %error, "a system was not told of a lead; tried again in a minute");
                return;
            }
        }
    }
}
