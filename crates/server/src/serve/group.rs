//! Tasks that end together.

use std::{pin::pin, sync::Arc};

use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::background::ClockHealth;

/// Tasks that run until they are told to end, and then finish what they have in hand.
#[derive(Clone, Default)]
pub(super) struct Group {
    pub(super) tasks: TaskTracker,
    pub(super) shutdown: CancellationToken,
}

impl Group {
    /// Runs work until the group is told to end, while the clock is right: once the clock is wrong, the work
    /// is told to end, and is begun again when the clock is right.
    pub(super) fn work<W>(
        &self,
        health: &Arc<ClockHealth>,
        begin: impl Fn(CancellationToken) -> W + Send + 'static,
    ) where
        W: Future<Output = ()> + Send + 'static,
    {
        let (health, shutdown) = (Arc::clone(health), self.shutdown.clone());
        self.tasks.spawn(async move {
            while shutdown.run_until_cancelled(health.until(true)).await.is_some() {
                let shift = shutdown.child_token();
                let mut work = pin!(begin(shift.clone()));
                tokio::select! {
                    () = &mut work => return,
                    () = health.until(false) => {}
                }
                shift.cancel();
                work.await;
            }
        });
    }

    /// Tells the tasks to end, and waits until all have.
    pub(super) async fn end(&self) {
        self.shutdown.cancel();
        self.tasks.close();
        self.tasks.wait().await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tokio::sync::Notify;

    use super::Group;

    #[tokio::test]
    async fn a_group_has_ended_when_what_its_tasks_had_in_hand_is_done() {
        let (group, in_hand) = (Group::default(), Arc::new(Notify::new()));
        let told = Arc::<Mutex<Vec<&str>>>::default();
        let (shutdown, waits, tells) = (group.shutdown.clone(), Arc::clone(&in_hand), Arc::clone(&told));
        group.tasks.spawn(async move {
            shutdown.cancelled().await;
            waits.notified().await;
            tells.lock().unwrap().push("done");
        });
        let ends = async {
            group.end().await;
            told.lock().unwrap().push("ended");
        };
        tokio::join!(ends, async { in_hand.notify_one() });
        assert_eq!(*told.lock().unwrap(), ["done", "ended"]);
    }
}
