//! Handles journaled updates: woken by the process that journaled them, with a scan behind it.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use domain::{
    clock::Clock,
    ids::WorkspaceId,
    inbound::{HandleUpdates, Unhandled},
};
use tokio::{sync::Notify, task::JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::warn_of_validity;

/// How often the journal is looked through for what nobody was woken for.
const SCAN_EVERY: Duration = Duration::from_secs(2);
/// Workspaces worked for at once.
const AT_ONCE: usize = 8;

/// Tells the worker that a workspace has updates. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct UpdatesWake(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    waiting: Mutex<HashSet<WorkspaceId>>,
    changed: Notify,
}

impl UpdatesWake {
    /// Never blocks; many calls for one workspace count once.
    pub fn wake(&self, workspace: WorkspaceId) {
        self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(workspace);
        self.0.changed.notify_one();
    }

    fn take_one(&self, busy: &HashSet<WorkspaceId>) -> Option<WorkspaceId> {
        let mut waiting = self.0.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let next = waiting.iter().copied().find(|workspace| !busy.contains(workspace))?;
        waiting.take(&next)
    }
}

/// Works off the journal, several workspaces at once, one task for each.
pub struct UpdatesWorker {
    /// What handles a batch.
    pub handle: Arc<HandleUpdates>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where it is woken.
    pub wake: UpdatesWake,
}

impl UpdatesWorker {
    /// Works until `shutdown`, then finishes the batches in hand.
    pub async fn run(self, shutdown: CancellationToken) {
        let mut tasks: JoinSet<WorkspaceId> = JoinSet::new();
        let mut busy = HashSet::new();
        let mut scan = self.clock.sleep(Duration::ZERO);
        while !shutdown.is_cancelled() {
            while tasks.len() < AT_ONCE {
                let Some(workspace) = self.wake.take_one(&busy) else { break };
                busy.insert(workspace);
                let (handle, wake) = (Arc::clone(&self.handle), self.wake.clone());
                tasks.spawn(async move {
                    work_off(&handle, &wake, workspace).await;
                    workspace
                });
            }
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = self.wake.0.changed.notified() => {}
                Some(done) = tasks.join_next() => match done {
                    Ok(workspace) => { busy.remove(&workspace); }
                    // A task that died leaves no name: let the scan find every workspace again.
                    Err(_) => busy.clear(),
                },
                () = &mut scan => {
                    match self.handle.workspaces().await {
                        Ok(found) => found.into_iter().for_each(|workspace| self.wake.wake(workspace)),
                        Err(error) => warn!(%error, "the journal could not be looked through"),
                    }
                    scan = self.clock.sleep(SCAN_EVERY);
                }
            }
        }
        while tasks.join_next().await.is_some() {}
    }
}

/// One batch; where it was full, the workspace's next turn comes after the others'.
async fn work_off(handle: &HandleUpdates, wake: &UpdatesWake, workspace: WorkspaceId) {
    match handle.run(workspace).await {
        Ok(round) => {
            round.readings.iter().for_each(warn_of_validity);
            for unhandled in &round.unhandled {
                let Unhandled { id, reason, set_aside } = unhandled;
                if *set_aside {
                    error!(%workspace, update = %id, reason, "update given up, and put into the quarantine");
                } else {
                    warn!(%workspace, update = %id, reason, "update put back");
                }
            }
            if round.may_have_more() {
                wake.wake(workspace);
            }
        }
        Err(error) => warn!(%workspace, %error, "updates not handled"),
    }
}
