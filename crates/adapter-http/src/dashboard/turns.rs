//! Work of which a workspace has so much at once, on each node.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::ids::WorkspaceId;

/// How much of one kind of work this process does for each workspace.
#[derive(Clone)]
pub(crate) struct Turns {
    most: usize,
    taken: Arc<Mutex<HashMap<WorkspaceId, usize>>>,
}

/// One of a workspace's turns, until dropped.
pub(crate) struct Turn {
    of: Turns,
    workspace: WorkspaceId,
}

impl Turns {
    /// Each workspace has `most` at once.
    pub(crate) fn of(most: usize) -> Self {
        Self { most, taken: Arc::default() }
    }

    /// A turn, unless the workspace has as many as it may.
    pub(crate) fn begin(&self, workspace: WorkspaceId) -> Option<Turn> {
        let mut taken = self.taken();
        let count = taken.get(&workspace).copied().unwrap_or_default();
        if count >= self.most {
            return None;
        }
        taken.insert(workspace, count + 1);
        Some(Turn { of: self.clone(), workspace })
    }

    pub(super) fn taken(&self) -> MutexGuard<'_, HashMap<WorkspaceId, usize>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut taken = self.of.taken();
        match taken.get(&self.workspace).copied() {
            Some(count) if count > 1 => taken.insert(self.workspace, count - 1),
            _ => taken.remove(&self.workspace),
        };
    }
}
