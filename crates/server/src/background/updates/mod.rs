//! Handles journaled updates: woken by the process that journaled them, with a scan behind it.

mod hands;

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::{
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    inbound::{HandleUpdates, Held, Unhandled},
};
use tokio::{sync::Notify, task::JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use self::hands::{Begun, Hands, Work};
use super::warn_of_validity;

/// How often the journal is looked through for what nobody was woken for.
const SCAN_EVERY: Duration = Duration::from_secs(2);
/// Pieces of work done at once.
const AT_ONCE: usize = 8;

/// Tells the worker that a workspace has updates, and hands them over. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct UpdatesWake(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Whether a worker has begun: without one nothing may be handed over.
    works: AtomicBool,
    hands: Mutex<Hands>,
    changed: Notify,
}

impl UpdatesWake {
    /// Whether so many updates more of a workspace may be handed over.
    pub fn takes_up(&self, workspace: WorkspaceId, updates: usize) -> bool {
        self.0.works.load(Ordering::Relaxed) && self.hands().has_room_for(workspace, updates)
    }

    /// Hands updates over. Never blocks.
    pub fn take_up(&self, workspace: WorkspaceId, updates: Vec<Held>) {
        self.change(|hands| hands.add(workspace, updates));
    }

    /// Has a workspace's journal looked at. Never blocks; many calls for one workspace count once.
    pub fn wake(&self, workspace: WorkspaceId) {
        self.change(|hands| hands.look_at_journal(workspace));
    }

    fn change(&self, change: impl FnOnce(&mut Hands)) {
        change(&mut self.hands());
        self.0.changed.notify_one();
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.0.hands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Works off the journal, several workspaces at once, and of one workspace what does not follow one another.
pub struct UpdatesWorker {
    /// What handles updates.
    pub handle: Arc<HandleUpdates>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where it is woken.
    pub wake: UpdatesWake,
}

impl UpdatesWorker {
    /// Works until `shutdown`, then finishes what is in hand.
    pub async fn run(self, shutdown: CancellationToken) {
        let mut tasks = JoinSet::new();
        let mut scan = self.clock.sleep(Duration::ZERO);
        self.wake.0.works.store(true, Ordering::Relaxed);
        while !shutdown.is_cancelled() {
            self.begin(&mut tasks, true);
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = self.wake.0.changed.notified() => {}
                Some(_) = tasks.join_next() => {}
                () = &mut scan => {
                    match self.handle.workspaces().await {
                        Ok(found) => found.into_iter().for_each(|workspace| self.wake.wake(workspace)),
                        Err(error) => warn!(%error, "the journal could not be looked through"),
                    }
                    scan = self.clock.sleep(SCAN_EVERY);
                }
            }
        }
        self.wake.0.works.store(false, Ordering::Relaxed);
        loop {
            self.begin(&mut tasks, false);
            if tasks.join_next().await.is_none() {
                return;
            }
        }
    }

    fn begin(&self, tasks: &mut JoinSet<()>, with_journal: bool) {
        while tasks.len() < AT_ONCE {
            let Some((begun, work)) = self.wake.hands().begin(with_journal) else { return };
            let turn = Turn { begun, wake: self.wake.clone() };
            tasks.spawn(turn.work_off(Arc::clone(&self.handle), work));
        }
    }
}

/// A piece of work. Dropped in whatever way, it lets what waits for it begin.
struct Turn {
    begun: Begun,
    wake: UpdatesWake,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.wake.change(|hands| hands.end(&self.begun));
    }
}

impl Turn {
    async fn work_off(self, handle: Arc<HandleUpdates>, work: Work) {
        let workspace = self.begun.workspace;
        let worked = match work {
            Work::Handle(updates) => handle_some(&handle, workspace, updates).await,
            Work::TakeUp => self.take_up(&handle).await,
        };
        if let Err(error) = worked {
            warn!(%workspace, %error, "updates not handled");
        }
    }

    /// What the journal has waits behind what was taken up before; where it may have more, it is looked at again.
    async fn take_up(&self, handle: &HandleUpdates) -> Result<(), StoreError> {
        let workspace = self.begun.workspace;
        let taken = handle.take_up(workspace).await?;
        say(workspace, &taken.unhandled);
        self.wake.change(|hands| {
            hands.add(workspace, taken.held);
            if taken.more {
                hands.look_at_journal(workspace);
            }
        });
        Ok(())
    }
}

async fn handle_some(
    handle: &HandleUpdates,
    workspace: WorkspaceId,
    updates: Vec<Held>,
) -> Result<(), StoreError> {
    let round = handle.run(workspace, updates).await?;
    round.readings.iter().for_each(warn_of_validity);
    say(workspace, &round.unhandled);
    Ok(())
}

fn say(workspace: WorkspaceId, unhandled: &[Unhandled]) {
    for Unhandled { id, reason, set_aside } in unhandled {
        if *set_aside {
            error!(%workspace, update = %id, reason, "update given up, and put into the quarantine");
        } else {
            warn!(%workspace, update = %id, reason, "update put back");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use domain::ids::WorkspaceId;
    use uuid::Uuid;

    use super::UpdatesWake;

    #[test]
    fn nothing_is_handed_over_before_somebody_works() {
        let workspace: WorkspaceId = Uuid::from_u128(1).into();
        let wake = UpdatesWake::default();
        assert!(!wake.takes_up(workspace, 1));
        wake.0.works.store(true, Ordering::Relaxed);
        assert!(wake.takes_up(workspace, 1));
    }
}
