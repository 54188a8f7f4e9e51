//! Asks the networks what people are called.

use std::{sync::Arc, time::Duration};

use domain::{clock::Clock, contacts::FetchProfiles, ids::WorkspaceId};
use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// How often people without a name are looked for.
const SCAN_EVERY: Duration = Duration::from_secs(2);
/// Workspaces worked for at once: one that waits for its network holds up no other.
const AT_ONCE: usize = 8;

/// Asks until `shutdown`: of each workspace as many as are asked about at once, and then of the next.
pub async fn introduce_people(
    introduce: Arc<FetchProfiles>,
    clock: Arc<dyn Clock>,
    shutdown: CancellationToken,
) {
    while !shutdown.is_cancelled() {
        let more = match introduce.workspaces().await {
            Ok(found) => {
                let turns = stream::iter(found).map(|workspace| introduce_some(&introduce, workspace));
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
async fn introduce_some(introduce: &FetchProfiles, workspace: WorkspaceId) -> bool {
    match introduce.run(workspace).await {
        Ok(introduced) => {
            for (contact, reason) in &introduced.unanswered {
                info!(%workspace, %contact, reason, "the network did not say what somebody is called");
            }
            introduced.may_have_more()
        }
        Err(error) => {
            warn!(%workspace, %error, "people not asked about");
            false
        }
    }
}
