//! Asks the networks what people are called.

use std::{sync::Arc, time::Duration};

use domain::{clock::Clock, contacts::FetchProfiles, ids::WorkspaceId};
use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// How often people without a name are looked for.
const SCAN_EVERY: Duration = Duration::from_secs(2);
/// Workspaces worked for at once: one that waits for its network holds up no other of its round, and the next round for as
/// long as its calls may take.
const AT_ONCE: usize = 8;

/// Asks until `shutdown`: of each workspace as many as are asked about at once, and then of the next.
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

/// Whether there may be more.
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
