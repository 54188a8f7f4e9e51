//! Records outcomes of sends where that failed at first, and removes expired idempotency keys.

use std::{sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    sending::{ForgetKeys, Unfinished},
};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

/// Interval between looks for unrecorded outcomes.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// Longest gap between two tries; each is twice as long as the one before.
const LONGEST_GAP: Duration = Duration::from_secs(5);
/// Interval between removals of expired keys.
const FORGET_EVERY: Duration = Duration::from_mins(10);

/// Records outcomes until `shutdown`, and then until everything is recorded that can be.
pub async fn finish_sends(unfinished: Arc<Unfinished>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    let mut gap = LOOK_EVERY;
    loop {
        let ending = shutdown.is_cancelled();
        if unfinished.is_empty() {
            gap = LOOK_EVERY;
            if ending {
                return;
            }
        } else if round(&unfinished).await && ending {
            return;
        } else {
            gap = if unfinished.is_empty() { LOOK_EVERY } else { (gap * 2).min(LONGEST_GAP) };
        }
        if ending {
            clock.sleep(gap).await;
        } else {
            shutdown.run_until_cancelled(clock.sleep(gap)).await;
        }
    }
}

/// Tries once; returns whether the store took what was known to need recording.
async fn round(unfinished: &Unfinished) -> bool {
    let round = unfinished.run().await;
    if round.forgotten > 0 {
        let forgotten = round.forgotten;
        error!(
            forgotten,
            "outcomes of sends were too many to be kept, and are left to the networks' statuses"
        );
    }
    if round.finished > 0 {
        info!(finished = round.finished, left = round.left, "outcomes of sends were written down late");
    }
    if let Some(error) = &round.failed {
        warn!(%error, count = round.left, "outcomes of sends cannot be written down yet");
    }
    round.failed.is_none()
}

/// Removes expired idempotency keys until `shutdown`.
pub async fn forget_keys(forget: ForgetKeys, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        if let Err(error) = forget.run(&|| shutdown.is_cancelled()).await {
            warn!(%error, "old idempotency keys were not forgotten; tried again in ten minutes");
        }
        shutdown.run_until_cancelled(clock.sleep(FORGET_EVERY)).await;
    }
}
