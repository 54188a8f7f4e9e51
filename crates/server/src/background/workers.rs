//! Work for many workspaces at once, none of which holds up another.

use std::{collections::HashMap, sync::Arc};

use domain::ids::WorkspaceId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

/// Pool of workers for workspaces, side by side. The scan begins workers and goes on looking: a workspace
/// whose work hangs keeps only its own few workers busy.
pub(super) struct Workers {
    room: Arc<Semaphore>,
    most_of_one: usize,
    of_each: HashMap<WorkspaceId, Arc<Semaphore>>,
    tasks: TaskTracker,
}

/// A worker's slot, held until it is dropped.
pub(super) struct Slot {
    _of_all: OwnedSemaphorePermit,
    _own: OwnedSemaphorePermit,
}

impl Workers {
    /// At most `at_once` workers, and `most_of_one` of one workspace.
    pub(super) fn new(at_once: usize, most_of_one: usize) -> Self {
        Self {
            room: Arc::new(Semaphore::new(at_once)),
            most_of_one,
            of_each: HashMap::new(),
            tasks: TaskTracker::new(),
        }
    }

    /// Begins a worker for the workspace, unless it or the pool has none free. What is due then stays due.
    pub(super) fn begin(&mut self, workspace: WorkspaceId, work: impl Future<Output = ()> + Send + 'static) {
        if let Some(slot) = self.slot(workspace) {
            self.begin_in(Some(slot), work);
        }
    }

    /// Takes a slot for a worker of the workspace; `None` if the workspace or the pool has none free.
    pub(super) fn slot(&mut self, workspace: WorkspaceId) -> Option<Slot> {
        let slot = Arc::clone(&self.room).try_acquire_owned().ok()?;
        let most = self.most_of_one;
        self.of_each.retain(|_, own| own.available_permits() < most);
        let own = self.of_each.entry(workspace).or_insert_with(|| Arc::new(Semaphore::new(most)));
        Some(Slot { _of_all: slot, _own: Arc::clone(own).try_acquire_owned().ok()? })
    }

    /// Begins a worker that holds this slot until its end; one without a slot runs beside all others.
    pub(super) fn begin_in(&self, slot: Option<Slot>, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(async move {
            work.await;
            drop(slot);
        });
    }

    /// Waits for every worker that was begun.
    pub(super) async fn finish(self) {
        self.tasks.close();
        self.tasks.wait().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::oneshot;
    use tokio_util::sync::CancellationToken;
    use uuid::Uuid;

    use super::*;

    #[tokio::test]
    async fn a_workspace_that_hangs_takes_its_own_slots_alone_and_is_waited_for_at_the_end() {
        let mut workers = Workers::new(3, 2);
        let (hangs, other) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let (release, ended) = (CancellationToken::new(), Arc::new(AtomicUsize::new(0)));
        let hanging = || {
            let (release, ended) = (release.clone(), Arc::clone(&ended));
            async move {
                release.cancelled().await;
                ended.fetch_add(1, Ordering::SeqCst);
            }
        };
        for _ in 0..5 {
            workers.begin(hangs, hanging());
        }
        let (tell, told) = oneshot::channel();
        workers.begin(other, async move {
            tell.send(()).unwrap();
        });
        told.await.unwrap();
        assert_eq!(ended.load(Ordering::SeqCst), 0);
        release.cancel();
        workers.finish().await;
        assert_eq!(ended.load(Ordering::SeqCst), 2, "no more than two of one workspace");
    }

    #[tokio::test]
    async fn after_one_that_died_its_own_workspace_is_worked_for_again_and_no_other_twice() {
        let mut workers = Workers::new(3, 1);
        let (dies, other) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        workers.begin(other, std::future::pending());
        let (tell, told) = oneshot::channel::<()>();
        workers.begin(dies, async move {
            let _dropped_with_it = tell;
            panic!("it dies");
        });
        assert!(told.await.is_err());
        while workers.slot(dies).is_none() {
            tokio::task::yield_now().await;
        }
        assert!(workers.slot(other).is_none(), "it is in hand");
    }
}
