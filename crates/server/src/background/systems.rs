//! Verifies systems whose connection is lost, and removes old calls.

use std::{sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    systems::{KeepCalls, ManageSystem},
};
use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// Interval between scans for lost connections.
const SCAN_EVERY: Duration = Duration::from_secs(5);
/// Systems verified at once: one that hangs holds up no other.
const AT_ONCE: usize = 16;
/// Interval between removals of old calls.
const FORGET_EVERY: Duration = Duration::from_mins(10);

/// Verifies lost systems until `shutdown`.
pub async fn heal_systems(manage: Arc<ManageSystem>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match manage.to_verify().await {
            Ok(due) => {
                let manage = &manage;
                stream::iter(due)
                    .for_each_concurrent(AT_ONCE, |workspace| async move {
                        match manage.heal(workspace).await {
                            Ok(Some(connection)) => {
                                let state = connection.health.state.name().as_str();
                                info!(%workspace, state, "a lost system was verified");
                            }
                            Ok(None) => {}
                            Err(error) => warn!(%workspace, %error, "a lost system was not verified"),
                        }
                    })
                    .await;
            }
            Err(error) => warn!(%error, "lost systems could not be looked for"),
        }
        shutdown.run_until_cancelled(clock.sleep(SCAN_EVERY)).await;
    }
}

/// Removes old calls until `shutdown`.
pub async fn forget_calls(keep: KeepCalls, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        if let Err(error) = keep.run(&|| shutdown.is_cancelled()).await {
            warn!(%error, "old calls of systems were not forgotten; tried again in ten minutes");
        }
        shutdown.run_until_cancelled(clock.sleep(FORGET_EVERY)).await;
    }
}
