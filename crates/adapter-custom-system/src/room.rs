//! Memory for answers as they come, bounded for each workspace.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use domain::ids::WorkspaceId;
use guarded_http::AnswerRoom;

/// Bytes of each answer that are not counted: nearly all answers are smaller, and pass while large ones fill
/// the room.
const FREE: usize = 64 * 1024;
/// Bytes of a workspace's answers beyond these: a dozen of the largest at once, or hundreds of long lists.
const OF_ONE: usize = 64 * 1024 * 1024;

/// Counted bytes of the answers of each workspace's system; absent if 0.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answers(Arc<Mutex<HashMap<WorkspaceId, usize>>>);

/// Share of one answer, given back when dropped.
#[derive(Debug)]
pub(crate) struct Share {
    of: Answers,
    workspace: WorkspaceId,
    held: AtomicUsize,
}

impl Answers {
    /// Makes an empty share for one more answer of the workspace's system.
    pub(crate) fn begin(&self, workspace: WorkspaceId) -> Share {
        Share { of: self.clone(), workspace, held: AtomicUsize::new(0) }
    }
}

impl AnswerRoom for Share {
    fn holds(&self, bytes: usize) -> bool {
        let (counted, before) = (bytes.saturating_sub(FREE), self.held.load(Ordering::Relaxed));
        if counted == before {
            return true;
        }
        let mut all = self.of.0.lock().unwrap_or_else(PoisonError::into_inner);
        let others = all.get(&self.workspace).copied().unwrap_or_default().saturating_sub(before);
        let together = others.saturating_add(counted);
        if counted > before && together > OF_ONE {
            return false;
        }
        self.held.store(counted, Ordering::Relaxed);
        if together == 0 {
            all.remove(&self.workspace);
        } else {
            all.insert(self.workspace, together);
        }
        true
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        // Shrinking always succeeds.
        self.holds(0);
    }
}

#[cfg(test)]
mod tests {
    use guarded_http::AnswerRoom as _;
    use uuid::Uuid;

    use super::{Answers, FREE, OF_ONE};

    #[test]
    fn what_a_workspaces_large_answers_hold_together_has_a_bound_that_others_do_not_share() {
        let answers = Answers::default();
        let (one, other) = (Uuid::from_u128(1).into(), Uuid::from_u128(2).into());
        let first = answers.begin(one);
        assert!(first.holds(FREE + OF_ONE - 10));
        let second = answers.begin(one);
        assert!(second.holds(FREE) && second.holds(FREE + 10));
        assert!(!second.holds(FREE + 11), "the room is full");
        assert!(answers.begin(one).holds(FREE), "a small one comes through");
        assert!(answers.begin(other).holds(FREE + OF_ONE), "another's");
        assert!(first.holds(0), "another exchange begins");
        assert!(second.holds(FREE + OF_ONE));
        drop((first, second));
        assert!(answers.0.lock().unwrap().is_empty(), "nothing is remembered of answers that are gone");
    }
}
