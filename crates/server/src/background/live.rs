//! Keeps the feeds of browsers short.

use std::{sync::Arc, time::Duration};

use domain::{clock::Clock, live::SweepFeeds};
use tokio_util::sync::CancellationToken;
use tracing::warn;

/// Interval between removals of old changes.
const SWEEP_EVERY: Duration = Duration::from_mins(1);

/// Removes old changes until `shutdown`.
pub async fn sweep_feeds(sweep: SweepFeeds, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        if let Err(error) = sweep.run(&|| shutdown.is_cancelled()).await {
            warn!(%error, "old changes were not forgotten; tried again in a minute");
        }
        shutdown.run_until_cancelled(clock.sleep(SWEEP_EVERY)).await;
    }
}
