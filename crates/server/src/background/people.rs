//! Asks the networks for people's names.

use std::{sync::Arc, time::Duration};

use domain::{clock::Clock, ids::WorkspaceId, inbound::FetchProfiles};
use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// Interval between scans for people without a name.
const SCAN_EVERY: Duration = Duration::from_secs(2);
/// Workspaces worked for at once: one that waits for its network holds up no other of its round, and the next
/// round only for as long as its calls may take.
const AT_ONCE: usize = 8;

/// Asks until `shutdown`: one batch of each workspace, then the next workspace.
pub async fn fetch_profiles(fetch: Arc<FetchProfiles>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        let more = match fetch.workspaces().await {
            Ok(found) => {
                let turns = stream::iter(found).map(|workspace| fetch_some(&fetch, workspace));
                turns.buffer_unordered(AT_ONCE).fold(false, async |more, one| more || one).await
            }
            Err(error) => {
                warn!(%error, "people without a name could not be looked for");
                false
            }
        };
        if more {
            continue;
        }
        tokio::select! {
            () = shutdown.cancelled() => {}
            () = clock.sleep(SCAN_EVERY) => {}
        }
    }
}

/// Asks for one batch of the workspace's people; returns whether there may be more.
async fn fetch_some(fetch: &FetchProfiles, workspace: WorkspaceId) -> bool {
    match fetch.run(workspace).await {
        Ok(fetched) => {
            for (contact, reason) in &fetched.unanswered {
                info!(%workspace, %contact, reason, "the network did not say what somebody is called");
            }
            fetched.may_have_more()
        }
        Err(error) => {
            warn!(%workspace, %error, "people not asked about");
            false
        }
    }
}
