//! Mails owners what has become of their channels.

use std::{sync::Arc, time::Duration};

use domain::{access::TellOwners, clock::Clock};
use tokio_util::sync::CancellationToken;
use tracing::warn;

/// Interval between scans for news of channels.
const EVERY: Duration = Duration::from_secs(15);

/// Mails owners until `shutdown`.
pub async fn tell_owners(tell: TellOwners, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match tell.workspaces().await {
            Ok(workspaces) => {
                for workspace in workspaces {
                    match tell.run(workspace).await {
                        Ok(told) => {
                            for error in told.failed {
                                warn!(%workspace, %error, "an owner was not told of a channel");
                            }
                        }
                        Err(error) => {
                            warn!(%workspace, %error, "owners were not told of a channel; tried again soon");
                        }
                    }
                }
            }
            Err(error) => warn!(%error, "what owners are to be told could not be looked for"),
        }
        shutdown.run_until_cancelled(clock.sleep(EVERY)).await;
    }
}
