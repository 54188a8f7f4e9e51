//! Follows the database's form of sealed values.

use std::{sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    vault::{Binding, CheckKeys},
};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// Interval between looks at the database's form. A change of the form waits for several looks of every node.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Has this node seal and open values in the form that the database is at, until every value is bound to its
/// place, or until `shutdown`. A database created by this release is there from the start.
pub async fn learn_binding(keys: CheckKeys, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    let mut known = keys.vault.binding();
    while known < Binding::Complete && !shutdown.is_cancelled() {
        match keys.learn().await {
            Ok(now) if now > known => {
                info!(binding = ?now, "values are sealed in another form from now on");
                known = now;
            }
            Ok(_) => {}
            Err(error) => warn!(%error, "in which form values are sealed is not known"),
        }
        shutdown.run_until_cancelled(clock.sleep(LOOK_EVERY)).await;
    }
}
