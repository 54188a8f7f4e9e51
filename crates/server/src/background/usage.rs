//! Counts the usage of days that have ended.

use std::{sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    workspaces::{CountUsage, ports::WorkspaceStore},
};
use tokio_util::sync::CancellationToken;
use tracing::warn;

/// Interval between scans for days to count.
const EVERY: Duration = Duration::from_mins(20);
/// Workspaces read at once.
const PAGE: u32 = 100;
/// Pause between two steps, so that going through a year leaves room for everything else.
const REST: Duration = Duration::from_millis(200);

/// Counts until `shutdown`.
pub async fn count_usage(
    count: Arc<CountUsage>,
    workspaces: Arc<dyn WorkspaceStore>,
    clock: Arc<dyn Clock>,
    shutdown: CancellationToken,
) {
    while !shutdown.is_cancelled() {
        let mut after = None;
        loop {
            let page = match workspaces.list(after, PAGE).await {
                Ok(page) => page,
                Err(error) => {
                    warn!(%error, "workspaces whose days are to be counted could not be listed");
                    break;
                }
            };
            let Some(last) = page.last() else { break };
            after = Some(last.id);
            for workspace in &page {
                while !shutdown.is_cancelled() {
                    match count.step(workspace.id).await {
                        Ok(true) => {
                            shutdown.run_until_cancelled(clock.sleep(REST)).await;
                        }
                        Ok(false) => break,
                        Err(error) => {
                            warn!(workspace = %workspace.id, %error, "a day was not counted; tried again soon");
                            break;
                        }
                    }
                }
            }
            if shutdown.is_cancelled() {
                return;
            }
        }
        shutdown.run_until_cancelled(clock.sleep(EVERY)).await;
    }
}
