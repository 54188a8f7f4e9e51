//! Releases the conversations of people who have left the team.

use std::{sync::Arc, time::Duration};

use domain::{clock::Clock, conversations::ChangeConversation};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// Interval between scans for people who have left. Removing a member releases their conversations itself;
/// this finishes what it could not.
const SCAN_EVERY: Duration = Duration::from_secs(2);

/// Releases conversations until `shutdown`.
pub async fn finish_departures(
    change: Arc<ChangeConversation>,
    clock: Arc<dyn Clock>,
    shutdown: CancellationToken,
) {
    while !shutdown.is_cancelled() {
        match change.finish_departures().await {
            Ok(0) => {}
            Ok(conversations) => info!(conversations, "let go of conversations of who has left"),
            Err(error) => warn!(%error, "conversations of who has left were not let go of"),
        }
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = clock.sleep(SCAN_EVERY) => {}
        }
    }
}
