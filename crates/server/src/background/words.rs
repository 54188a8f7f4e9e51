//! Stores the search words of messages that were written without them.

use std::{sync::Arc, time::Duration};

use domain::{clock::Clock, messages::KeepWords};
use tokio_util::sync::CancellationToken;
use tracing::warn;

/// Interval between scans for such messages.
const SCAN_EVERY: Duration = Duration::from_secs(5);
/// Pause between two steps, so that going through what an older version wrote leaves room for everything
/// else.
const REST: Duration = Duration::from_millis(50);

/// Stores words until `shutdown`.
pub async fn keep_words(keep: KeepWords, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match keep.workspaces().await {
            Ok(workspaces) => {
                for workspace in workspaces {
                    while !shutdown.is_cancelled() {
                        match keep.step(workspace).await {
                            Ok(true) => {
                                shutdown.run_until_cancelled(clock.sleep(REST)).await;
                            }
                            Ok(false) => break,
                            Err(error) => {
                                warn!(%workspace, %error, "the words of messages were not kept; tried again soon");
                                break;
                            }
                        }
                    }
                }
            }
            Err(error) => warn!(%error, "messages without words could not be looked for"),
        }
        shutdown.run_until_cancelled(clock.sleep(SCAN_EVERY)).await;
    }
}
