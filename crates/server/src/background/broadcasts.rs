//! Sends broadcasts.

use std::{sync::Arc, time::Duration};

use domain::{
    broadcasts::{RunBroadcasts, Step},
    clock::Clock,
    ids::WorkspaceId,
};
use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// How often broadcasts that are due are looked for.
const SCAN_EVERY: Duration = Duration::from_millis(500);
/// Workspaces whose broadcasts are sent at once by one process.
const AT_ONCE: usize = 8;

/// Sends broadcasts until `shutdown`: several workspaces' side by side, those of one by turns.
pub async fn send_broadcasts(run: Arc<RunBroadcasts>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    metrics::describe_counter!(
        "broadcasts_paused_total",
        "Broadcasts that were paused by themselves, by the reason."
    );
    metrics::describe_counter!("broadcasts_finished_total", "Broadcasts that have written to everybody.");
    while !shutdown.is_cancelled() {
        match run.due().await {
            Ok(due) => {
                let each = |workspace| go_on(&run, workspace, &shutdown);
                stream::iter(due).for_each_concurrent(AT_ONCE, each).await;
            }
            Err(error) => warn!(%error, "broadcasts that are due could not be looked for"),
        }
        shutdown.run_until_cancelled(clock.sleep(SCAN_EVERY)).await;
    }
}

/// Goes on with the workspace's broadcasts that are due, each for a while.
async fn go_on(run: &RunBroadcasts, workspace: WorkspaceId, shutdown: &CancellationToken) {
    while !shutdown.is_cancelled() {
        match run.run(workspace, &|| shutdown.is_cancelled()).await {
            Ok(Some((broadcast, step))) => {
                let id = broadcast.id;
                match step {
                    Step::Finished => {
                        metrics::counter!("broadcasts_finished_total").increment(1);
                        info!(%workspace, broadcast = %id, "a broadcast has written to everybody");
                    }
                    Step::Paused(reason) => {
                        let reason = reason.as_str();
                        metrics::counter!("broadcasts_paused_total", "reason" => reason).increment(1);
                        warn!(%workspace, broadcast = %id, reason, "a broadcast was paused");
                    }
                    Step::WentOn | Step::Left => {}
                }
            }
            Ok(None) => return,
            Err(error) => {
                warn!(%workspace, %error, "a broadcast was not gone on with; tried again");
                return;
            }
        }
    }
}
