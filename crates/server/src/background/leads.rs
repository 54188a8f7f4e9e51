//! Tells workspaces' own systems of leads.

use std::{sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    customer_records::{AfterTry, PushLeads},
};
use futures_util::{StreamExt, stream};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

/// How often leads that are due are looked for.
const SCAN_EVERY: Duration = Duration::from_secs(5);
/// Systems told at once: one that hangs holds up no other.
const AT_ONCE: usize = 16;

/// Tells until `shutdown`.
pub async fn push_leads(push: Arc<PushLeads>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        match push.due().await {
            Ok(due) => {
                let (push, shutdown) = (&push, &shutdown);
                stream::iter(due)
                    .for_each_concurrent(AT_ONCE, |workspace| async move {
                        while !shutdown.is_cancelled() {
                            match push.run(workspace).await {
                                Ok(Some(AfterTry::Ended(state))) => {
                                    info!(%workspace, state = state.as_str(), "a system has heard of a lead, or will not");
                                }
                                Ok(Some(AfterTry::Again(_))) => {}
                                Ok(None) => break,
                                Err(error) => {
                                    warn!(%workspace, %error, "a system was not told of a lead; tried again in a minute");
                                    break;
                                }
                            }
                        }
                    })
                    .await;
            }
            Err(error) => warn!(%error, "leads that are due could not be looked for"),
        }
        shutdown.run_until_cancelled(clock.sleep(SCAN_EVERY)).await;
    }
}
