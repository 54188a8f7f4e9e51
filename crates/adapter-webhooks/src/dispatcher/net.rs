//! Safety net behind the wakes: a scan of the whole queue every few seconds.

use std::{sync::Arc, time::Duration};

use domain::webhooks::DeliverDue;
use tokio_util::sync::CancellationToken;

use super::{DispatcherWake, outage::Outage};

/// Number of scans for each count of the queue.
const COUNT_EVERY: u32 = 4;
/// Most batches held of a workspace in one scan, so that a large backlog does not delay the scans.
const HOLDS: usize = 10;

/// Wakes the dispatcher, again and again, for every workspace with due deliveries: missed wakes, what came
/// due since, and what a lost lease left behind. Also holds the deliveries queued for disabled addresses.
pub(super) async fn look(
    deliver: Arc<DeliverDue>,
    wake: DispatcherWake,
    every: Duration,
    shutdown: CancellationToken,
) {
    let mut outage = Outage::new("looking for due webhook deliveries");
    let mut looks = 0;
    while !shutdown.is_cancelled() {
        let pause = match look_once(&deliver, &wake, looks % COUNT_EVERY == 0).await {
            Ok(()) => {
                outage.over();
                every
            }
            Err(error) => outage.failed(&error).max(every),
        };
        looks = looks.wrapping_add(1);
        shutdown.run_until_cancelled(deliver.clock.sleep(pause)).await;
    }
}

async fn look_once(
    deliver: &DeliverDue,
    wake: &DispatcherWake,
    count: bool,
) -> Result<(), domain::errors::StoreError> {
    let now = deliver.clock.now();
    let due = deliver.workspaces().await?;
    let oldest = due.iter().filter_map(|due| due.due_since).min();
    let age = oldest.map_or(0.0, |since| (now - since).as_seconds_f64());
    metrics::gauge!("messaging_webhook_oldest_due_seconds").set(age.max(0.0));
    for due in &due {
        if due.due_since.is_some() {
            wake.wake(due.workspace);
        }
    }
    for due in due.iter().filter(|due| due.has_stranded) {
        for _ in 0..HOLDS {
            if !deliver.hold(due.workspace).await? {
                break;
            }
        }
    }
    if count {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a gauge is a float; a queue of 2^53 does not fit a disk"
        )]
        metrics::gauge!("messaging_webhook_queue_depth").set(deliver.depth().await? as f64);
    }
    Ok(())
}
