//! Asks the questions that owners test the assistant with.

use std::{sync::Arc, time::Duration};

use domain::{
    assistant::rehearsal::{RehearsalStep, RunRehearsals},
    clock::Clock,
    ids::WorkspaceId,
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::workers::Workers;

/// Interval between scans for questions to ask.
const SCAN_EVERY: Duration = Duration::from_secs(1);
/// Workspaces whose questions are asked at once by one process: customers need the model, too.
const AT_ONCE: usize = 4;

/// Asks questions until `shutdown`, then waits for those that were begun. A workspace's are asked one by one.
pub async fn ask_questions(run: Arc<RunRehearsals>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    let mut workers = Workers::new(AT_ONCE, 1);
    while !shutdown.is_cancelled() {
        match run.workspaces().await {
            Ok(workspaces) => {
                for workspace in workspaces {
                    workers.begin(workspace, ask(Arc::clone(&run), workspace, shutdown.clone()));
                }
            }
            Err(error) => warn!(%error, "test questions to be asked could not be looked for"),
        }
        shutdown.run_until_cancelled(clock.sleep(SCAN_EVERY)).await;
    }
    workers.finish().await;
}

/// Asks the workspace's questions to the last.
async fn ask(run: Arc<RunRehearsals>, workspace: WorkspaceId, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match run.step(workspace).await {
            Ok(RehearsalStep::WentOn) => {}
            Ok(RehearsalStep::Nothing) => return,
            Ok(RehearsalStep::Ended(rehearsal, state)) => {
                info!(%workspace, %rehearsal, state = state.as_str(), "a test of the assistant has ended");
            }
            Err(error) => {
                warn!(%workspace, %error, "a test question was not asked; tried again soon");
                return;
            }
        }
    }
}
