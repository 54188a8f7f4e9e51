//! Writes uploaded lists of people.

use std::{sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    contacts::{ImportStep, RunImports},
    ids::WorkspaceId,
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::workers::Workers;

/// Interval between scans for lists to write.
const SCAN_EVERY: Duration = Duration::from_secs(1);
const AT_ONCE: usize = 4;

/// Writes lists until `shutdown`, part by part, then waits for parts that were begun. A workspace writes one
/// list at a time.
pub async fn write_imports(run: RunImports, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    let (run, mut workers) = (Arc::new(run), Workers::new(AT_ONCE, 1));
    while !shutdown.is_cancelled() {
        match run.workspaces().await {
            Ok(workspaces) => {
                for workspace in workspaces {
                    workers.begin(workspace, write(Arc::clone(&run), workspace, shutdown.clone()));
                }
            }
            Err(error) => warn!(%error, "lists of people to be written could not be looked for"),
        }
        shutdown.run_until_cancelled(clock.sleep(SCAN_EVERY)).await;
    }
    workers.finish().await;
}

/// Writes the workspace's list to its end.
async fn write(run: Arc<RunImports>, workspace: WorkspaceId, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match run.step(workspace).await {
            Ok(ImportStep::WentOn) => {}
            Ok(ImportStep::Nothing) => return,
            Ok(ImportStep::Finished(import)) => info!(%workspace, %import, "a list of people is written"),
            Ok(ImportStep::Stopped(import)) => {
                warn!(%workspace, %import, "the rest of a list was left: whoever gave it may not any more");
            }
            Err(error) => {
                warn!(%workspace, %error, "a part of a list was not written; tried again soon");
                return;
            }
        }
    }
}
