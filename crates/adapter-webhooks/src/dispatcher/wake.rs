//! Telling the dispatcher of a process that there is work.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex, PoisonError},
};

use domain::ids::WorkspaceId;
use tokio::sync::Notify;

/// Tells a dispatcher in this process that a workspace has deliveries due. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct DispatcherWake(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    woken: Mutex<Woken>,
    notify: Notify,
}

/// Each once, in the order they came.
#[derive(Debug, Default)]
struct Woken {
    order: Vec<WorkspaceId>,
    known: HashSet<WorkspaceId>,
}

impl DispatcherWake {
    /// Has the dispatcher look at `workspace` soon. Never blocks; calls before it has looked fall together.
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
