//! Tells workspaces' own systems of leads.

use std::{sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    customer_records::{AfterTry, PushLeads},
    ids::WorkspaceId,
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::workers::Workers;

/// How often leads that are due are looked for.
const SCAN_EVERY: Duration = Duration::from_secs(5);
/// Leads that are told of at once: most of it is waiting for a system.
const AT_ONCE: usize = 100;
/// Leads of one workspace at once: a system that hangs holds up no other.
const OF_ONE_WORKSPACE: usize = 4;

/// Tells until `shutdown`; what was begun is waited for.
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

/// Tells the workspace's system of what is due, one lead after another.
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
