//! Wakes of a process's dispatcher.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use domain::ids::WorkspaceId;
use tokio::sync::Notify;

/// Handle that tells a dispatcher in this process of workspaces with due deliveries. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct DispatcherWake(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    woken: Mutex<Woken>,
    notify: Notify,
}

/// Each workspace once, in the order of the wakes.
#[derive(Debug, Default)]
struct Woken {
    order: Vec<WorkspaceId>,
    known: HashSet<WorkspaceId>,
}

impl DispatcherWake {
    /// Has the dispatcher look at `workspace` soon. Never blocks; repeated calls before it has looked count
    /// once.
    pub fn wake(&self, workspace: WorkspaceId) {
        let mut woken = self.0.woken.lock().unwrap_or_else(PoisonError::into_inner);
        if woken.known.insert(workspace) {
            woken.order.push(workspace);
            self.0.notify.notify_one();
        }
    }

    pub(super) async fn woken(&self) {
        self.0.notify.notified().await;
    }

    pub(super) fn take(&self) -> Vec<WorkspaceId> {
        let mut woken = self.0.woken.lock().unwrap_or_else(PoisonError::into_inner);
        woken.known.clear();
        std::mem::take(&mut woken.order)
    }
}
