//! Goes on writing down what is known of sends where that failed at first, and forgets their keys.

use std::{sync::Arc, time::Duration};

use domain::{
    clock::Clock,
    sending::{ForgetKeys, Unfinished},
};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

/// How often it is looked whether there is something.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// The longest gap between two tries; each is twice as long as the one before.
const LONGEST_GAP: Duration = Duration::from_secs(5);
/// How often keys are looked for whose time is over.
const FORGET_EVERY: Duration = Duration::from_mins(10);

/// Works until `shutdown`, and then until everything is written down that can be.
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

/// One try; whether nothing is left of which it is known that it must be written.
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

/// Forgets idempotency keys whose time is over, until `shutdown`.
pub async fn forget_keys(forget: ForgetKeys, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        if let Err(error) = forget.run(&|| shutdown.is_cancelled()).await {
            warn!(%error, "old idempotency keys were not forgotten; tried again in ten minutes");
        }
        shutdown.run_until_cancelled(clock.sleep(FORGET_EVERY)).await;
    }
}
