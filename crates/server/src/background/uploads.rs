//! Removes files that members uploaded and did not send.

use std::{sync::Arc, time::Duration};

use domain::{attachments::SweepUploads, clock::Clock};
use tokio_util::sync::CancellationToken;
use tracing::{debug, warn};

/// Interval between sweeps.
const SWEEP_EVERY: Duration = Duration::from_mins(10);

/// Sweeps until `shutdown`.
pub async fn sweep_uploads(sweep: SweepUploads, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match sweep.run(&|| shutdown.is_cancelled()).await {
            Ok(swept) => debug!(swept, "unsent files swept"),
            Err(error) => warn!(%error, "unsent files were not swept; tried again in ten minutes"),
        }
        shutdown.run_until_cancelled(clock.sleep(SWEEP_EVERY)).await;
    }
}
