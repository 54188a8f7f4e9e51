//! Takes the assistant's turns.

use std::{sync::Arc, time::Duration};

use domain::{
    assistant::{DueTurn, ReadTurns, TakeTurn},
    clock::Clock,
    ids::WorkspaceId,
};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span, field::Empty, info, info_span, warn};

use super::workers::Workers;
use crate::counters;

/// Interval between scans for due turns: a customer waits for them.
const SCAN_EVERY: Duration = Duration::from_millis(500);
/// Turns run at once by one process: most of a turn is waiting for a model.
const AT_ONCE: usize = 100;
/// Turns run at once for one workspace: one whose own model hangs leaves room for all others.
const OF_ONE_WORKSPACE: usize = 50;
/// Interval between removals of old turns.
const FORGET_EVERY: Duration = Duration::from_hours(1);

/// Takes turns until `shutdown`, side by side, then waits for those in progress.
pub async fn take_turns(take: Arc<TakeTurn>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    let mut workers = Workers::new(AT_ONCE, OF_ONE_WORKSPACE);
    while !shutdown.is_cancelled() {
        match take.due().await {
            Ok(due) => {
                for workspace in due {
                    take_due(&take, workspace, &mut workers, &shutdown).await;
                }
            }
            Err(error) => warn!(%error, "turns of the assistant that are due could not be looked for"),
        }
        shutdown.run_until_cancelled(clock.sleep(SCAN_EVERY)).await;
    }
    workers.finish().await;
}

/// Begins every due turn of the workspace that there is room for. Where models hang and there is no room,
/// turns whose customers have waited too long are begun all the same: they ask no model, and get a person.
async fn take_due(
    take: &Arc<TakeTurn>,
    workspace: WorkspaceId,
    workers: &mut Workers,
    shutdown: &CancellationToken,
) {
    while !shutdown.is_cancelled() {
        let slot = workers.slot(workspace);
        let claimed = match &slot {
            Some(_) => take.claim(workspace).await,
            None => take.claim_overdue(workspace).await,
        };
        match claimed {
            Ok(Some(turn)) => {
                let take = Arc::clone(take);
                // In a trace of its own: a customer's message begins none.
                let span = info_span!(
                    parent: None,
                    "turn",
                    conversation_id = %turn.conversation,
                    outcome = Empty,
                    reason = Empty
                );
                let work = async move { finish(&take, workspace, &turn).await };
                workers.begin_in(slot, work.instrument(span));
            }
            Ok(None) => return,
            Err(error) => {
                warn!(%workspace, %error, "a turn of the assistant could not be taken up; tried again");
                return;
            }
        }
    }
}

async fn finish(take: &TakeTurn, workspace: WorkspaceId, turn: &DueTurn) {
    let conversation = turn.conversation;
    match take.run(workspace, turn).await {
        Ok(Some(result)) => {
            counters::turns(result).increment(1);
            let reason = result.reason().map(domain::assistant::HandOverReason::as_str);
            Span::current().record("outcome", result.as_str()).record("reason", reason);
            info!(%workspace, %conversation, outcome = result.as_str(), reason, "a turn of the assistant has ended");
        }
        Ok(None) => {}
        Err(error) => {
            warn!(%workspace, %conversation, %error, "a turn of the assistant failed; taken again by another");
        }
    }
}

/// Removes old turns until `shutdown`.
pub async fn forget_turns(read: ReadTurns, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    while !shutdown.is_cancelled() {
        if let Err(error) = read.forget(&|| shutdown.is_cancelled()).await {
            warn!(%error, "old turns of the assistant were not forgotten; tried again in an hour");
        }
        shutdown.run_until_cancelled(clock.sleep(FORGET_EVERY)).await;
    }
}
