//! Reads each connected page every 15 minutes.

use std::{sync::Arc, time::Duration};

use domain::{channels::ReadPages, clock::Clock};
use tokio_util::sync::CancellationToken;
use tracing::warn;

use super::due::for_each_due;

/// Interval between scans for due pages.
const EVERY: Duration = Duration::from_secs(15);

/// Reads due pages until `shutdown`.
pub async fn read_due_pages(read: Arc<ReadPages>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match read.due().await {
            Ok(pages) => {
                let read = &read;
                for_each_due(pages, &shutdown, |due| async move {
                    if let Err(error) = read.run_due(due).await {
                        warn!(workspace = %due.workspace, account = %due.account, %error, "a page was not read");
                    }
                })
                .await;
            }
            Err(error) => warn!(%error, "pages not read"),
        }
        shutdown.run_until_cancelled(clock.sleep(EVERY)).await;
    }
}
