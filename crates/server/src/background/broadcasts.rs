//! Sends broadcasts.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::Arc,
    time::Duration,
};

use domain::{
    broadcasts::{RunBroadcasts, Step},
    clock::Clock,
    ids::WorkspaceId,
};
use tokio::task::{Id, JoinError, JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::{Instrument, Span, field::Empty, info, info_span, warn};

use crate::counters;

/// Interval between scans for due broadcasts.
const SCAN_EVERY: Duration = Duration::from_millis(500);
/// Workspaces whose broadcasts one process sends at once.
const AT_ONCE: usize = 8;

/// Sends broadcasts until `shutdown`: several workspaces' side by side, those of one workspace by turns. No
/// broadcast waits for the end of another. Finishes what is in hand at the end.
pub async fn send_broadcasts(run: Arc<RunBroadcasts>, clock: Arc<dyn Clock>, shutdown: CancellationToken) {
    let mut turns = Turns::default();
    let mut scan = clock.sleep(Duration::ZERO);
    while !shutdown.is_cancelled() {
        turns.begin(&run, &shutdown);
        tokio::select! {
            () = shutdown.cancelled() => {}
            Some(ended) = turns.tasks.join_next_with_id() => turns.end(ended),
            () = &mut scan => {
                match run.due().await {
                    Ok(due) => turns.wait(due),
                    Err(error) => warn!(%error, "broadcasts that are due could not be looked for"),
                }
                scan = clock.sleep(SCAN_EVERY);
            }
        }
    }
    while turns.tasks.join_next().await.is_some() {}
}

/// Queue of workspaces. One that has had its turn and has more to send waits behind the others.
#[derive(Default)]
struct Turns {
    waiting: VecDeque<WorkspaceId>,
    /// Workspaces that wait and those in hand: none is begun twice.
    known: HashSet<WorkspaceId>,
    /// Each task returns whether there may be more to send.
    tasks: JoinSet<bool>,
    in_hand: HashMap<Id, WorkspaceId>,
}

impl Turns {
    /// Queues the workspaces that neither wait nor are in hand.
    fn wait(&mut self, due: Vec<WorkspaceId>) {
        for workspace in due {
            if self.known.insert(workspace) {
                self.waiting.push_back(workspace);
            }
        }
    }

    /// Begins turns while there is room.
    fn begin(&mut self, run: &Arc<RunBroadcasts>, shutdown: &CancellationToken) {
        while self.tasks.len() < AT_ONCE
            && let Some(workspace) = self.waiting.pop_front()
        {
            let (run, shutdown) = (Arc::clone(run), shutdown.clone());
            // A trace of its own, with the calls to the network that it makes.
            let span = info_span!(parent: None, "broadcast", broadcast_id = Empty);
            let work = async move { turn(&run, workspace, &shutdown).await };
            let task = self.tasks.spawn(work.instrument(span));
            self.in_hand.insert(task.id(), workspace);
        }
    }

    fn end(&mut self, ended: Result<(Id, bool), JoinError>) {
        let (task, more) = ended.unwrap_or_else(|died| (died.id(), false));
        let Some(workspace) = self.in_hand.remove(&task) else { return };
        if more {
            self.waiting.push_back(workspace);
        } else {
            self.known.remove(&workspace);
        }
    }
}

/// Works on one of the workspace's due broadcasts for a while; returns whether there may be more to do.
async fn turn(run: &RunBroadcasts, workspace: WorkspaceId, shutdown: &CancellationToken) -> bool {
    match run.run(workspace, &|| shutdown.is_cancelled()).await {
        Ok(Some((broadcast, step))) => {
            let id = broadcast.id;
            Span::current().record("broadcast_id", tracing::field::display(id));
            match step {
                Step::Finished => {
                    counters::broadcasts_finished().increment(1);
                    info!(%workspace, broadcast = %id, "a broadcast has written to everybody");
                }
                // A pause is logged by the signal `broadcast_paused`.
                Step::Paused(_) | Step::WentOn | Step::Left => {}
            }
            true
        }
        Ok(None) => false,
        Err(error) => {
            warn!(%workspace, %error, "a broadcast was not gone on with; tried again");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::{Turns, WorkspaceId};

    fn workspace(number: u128) -> WorkspaceId {
        Uuid::from_u128(number).into()
    }

    /// Begins the first waiting turn and ends it with this result; `None` is a task that panics.
    async fn one_turn(turns: &mut Turns, more: Option<bool>) {
        let next = turns.waiting.pop_front().unwrap();
        let task = turns.tasks.spawn(async move { more.unwrap() });
        turns.in_hand.insert(task.id(), next);
        turns.wait(vec![next]);
        assert!(!turns.waiting.contains(&next), "it is in hand");
        let ended = turns.tasks.join_next_with_id().await.unwrap();
        turns.end(ended);
    }

    #[tokio::test]
    async fn whoever_has_more_to_send_waits_behind_the_others_and_nobody_has_two_turns_at_once() {
        let mut turns = Turns::default();
        turns.wait(vec![workspace(1), workspace(2), workspace(1)]);
        turns.wait(vec![workspace(2)]);
        assert_eq!(turns.waiting, [workspace(1), workspace(2)]);
        one_turn(&mut turns, Some(true)).await;
        assert_eq!(turns.waiting, [workspace(2), workspace(1)]);
        // A workspace that has no more, or whose turn broke off, gets one again once it is due.
        one_turn(&mut turns, Some(false)).await;
        one_turn(&mut turns, None).await;
        assert!(turns.waiting.is_empty() && turns.known.is_empty() && turns.in_hand.is_empty());
        turns.wait(vec![workspace(2), workspace(1)]);
        assert_eq!(turns.waiting, [workspace(2), workspace(1)]);
    }
}
