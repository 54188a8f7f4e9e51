//! Work beside the delivery of webhooks: the log's days, and re-sends by owners.

use std::{sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    webhooks::{KeepLog, ResendDeliveries},
};
use tokio_util::sync::CancellationToken;
use tracing::warn;

/// Interval between runs that make days ahead and drop old ones.
const KEEP_EVERY: Duration = Duration::from_hours(1);
/// Interval between scans for re-sends.
const RESEND_EVERY: Duration = Duration::from_secs(2);

/// Keeps the log's days until `shutdown`.
pub async fn keep_log_short(keep: KeepLog, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        if let Err(error) = keep.run().await {
            warn!(%error, "the log of webhook deliveries was not kept; tried again in an hour");
        }
        shutdown.run_until_cancelled(clock.sleep(KEEP_EVERY)).await;
    }
}

/// Goes on with re-sends until `shutdown`.
pub async fn go_on_resending(
    resend: Arc<ResendDeliveries>,
    clock: Arc<dyn Clock>,
    shutdown: CancellationToken,
) {
    while !shutdown.is_cancelled() {
        if let Err(error) = resend.go_on(&|| shutdown.is_cancelled()).await {
            warn!(%error, "re-sending webhook deliveries stopped; it goes on soon");
        }
        shutdown.run_until_cancelled(clock.sleep(RESEND_EVERY)).await;
    }
}
