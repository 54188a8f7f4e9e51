//! Which workspace is served next, and how much each has in hand.

use std::{
    collections::{HashMap, HashSet, VecDeque},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use domain::ids::WorkspaceId;
use tokio::sync::{Notify, OwnedSemaphorePermit};

/// Workspaces that may wait for a turn; what a wake adds beyond them is left to the next scan.
const MAX_WAITING: usize = 10_000;

/// The line of workspaces: each stands in it once, whoever is served goes to its end.
pub(super) struct Turns {
    state: Mutex<State>,
    bell: Notify,
    /// A workspace that has more deliveries in hand than this waits for some of them to end.
    most_in_hand: usize,
}

#[derive(Default)]
struct State {
    line: VecDeque<WorkspaceId>,
    in_line: HashSet<WorkspaceId>,
    in_hand: HashMap<WorkspaceId, Hand>,
}

#[derive(Default)]
struct Hand {
    deliveries: usize,
    wants_more: bool,
}

impl Turns {
    pub(super) fn new(most_in_hand: usize) -> Arc<Self> {
        Arc::new(Self { state: Mutex::default(), bell: Notify::new(), most_in_hand })
    }

    /// Puts `workspace` in line, unless it stands there.
    pub(super) fn put(&self, workspace: WorkspaceId) {
        if self.state().line_up(workspace) {
            self.bell.notify_one();
        }
    }

    /// Waits for the next workspace that has room in hand.
    pub(super) async fn next(&self) -> WorkspaceId {
        loop {
            if let Some(workspace) = self.state().first_with_room(self.most_in_hand) {
                return workspace;
            }
            self.bell.notified().await;
        }
    }

    /// Counts one delivery of `workspace` as in hand until the answer is dropped.
    pub(super) fn take_in_hand(
        self: &Arc<Self>,
        workspace: WorkspaceId,
        permit: Option<OwnedSemaphorePermit>,
    ) -> InHand {
        self.state().in_hand.entry(workspace).or_default().deliveries += 1;
        InHand { turns: Arc::clone(self), workspace, _permit: permit }
    }

    fn put_down(&self, workspace: WorkspaceId) {
        if self.state().put_down(workspace, self.most_in_hand) {
            self.bell.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether the line has grown.
    fn line_up(&mut self, workspace: WorkspaceId) -> bool {
        let grows = self.line.len() < MAX_WAITING && self.in_line.insert(workspace);
        if grows {
            self.line.push_back(workspace);
        }
        grows
    }

    /// Those without room leave the line; they come back when they have some.
    fn first_with_room(&mut self, most_in_hand: usize) -> Option<WorkspaceId> {
        while let Some(workspace) = self.line.pop_front() {
            self.in_line.remove(&workspace);
            match self.in_hand.get_mut(&workspace) {
                Some(hand) if hand.deliveries > most_in_hand => hand.wants_more = true,
                _ => return Some(workspace),
            }
        }
        None
    }

    /// Whether the line has grown.
    fn put_down(&mut self, workspace: WorkspaceId, most_in_hand: usize) -> bool {
        let Some(hand) = self.in_hand.get_mut(&workspace) else { return false };
        hand.deliveries -= 1;
        let comes_back = hand.deliveries <= most_in_hand && std::mem::take(&mut hand.wants_more);
        if hand.deliveries == 0 {
            self.in_hand.remove(&workspace);
        }
        comes_back && self.line_up(workspace)
    }
}

/// A delivery between its claim and its record: room taken in its workspace's hand, and in the dispatcher's.
pub(super) struct InHand {
    turns: Arc<Turns>,
    pub(super) workspace: WorkspaceId,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Drop for InHand {
    fn drop(&mut self) {
        self.turns.put_down(self.workspace);
    }
}

/// Tells a dispatcher in this process that a workspace has deliveries due. Cheap to clone.
#[derive(Clone)]
pub struct DispatcherWake(pub(super) Arc<Turns>);

impl DispatcherWake {
    /// Has the dispatcher look at `workspace` soon. Never blocks; calls before it has looked fall together.
    pub fn wake(&self, workspace: WorkspaceId) {
        self.0.put(workspace);
    }
}

#[cfg(test)]
mod tests {
    use domain::ids::WorkspaceId;
    use uuid::Uuid;

    use super::{MAX_WAITING, State};

    fn workspace(number: usize) -> WorkspaceId {
        Uuid::from_u128(number.try_into().unwrap()).into()
    }

    fn in_hand(state: &mut State, workspace: WorkspaceId, deliveries: usize) {
        state.in_hand.entry(workspace).or_default().deliveries = deliveries;
    }

    #[test]
    fn a_workspace_stands_in_line_once_and_they_take_turns() {
        let mut state = State::default();
        for number in [1, 2, 1, 1, 2] {
            state.line_up(workspace(number));
        }
        assert_eq!(state.first_with_room(0), Some(workspace(1)));
        assert!(state.line_up(workspace(1)));
        assert_eq!(state.first_with_room(0), Some(workspace(2)));
        assert_eq!(state.first_with_room(0), Some(workspace(1)));
        assert_eq!(state.first_with_room(0), None);
    }

    #[test]
    fn a_workspace_with_its_hands_full_waits_until_one_delivery_has_ended() {
        let mut state = State::default();
        in_hand(&mut state, workspace(1), 3);
        state.line_up(workspace(1));
        state.line_up(workspace(2));
        assert_eq!(state.first_with_room(2), Some(workspace(2)));
        assert_eq!(state.first_with_room(2), None);
        assert!(state.put_down(workspace(1), 2));
        assert_eq!(state.first_with_room(2), Some(workspace(1)));
    }

    #[test]
    fn nothing_is_kept_of_a_workspace_that_is_done() {
        let mut state = State::default();
        in_hand(&mut state, workspace(1), 1);
        assert!(!state.put_down(workspace(1), 2));
        assert!(state.in_hand.is_empty());
    }

    #[test]
    fn the_line_is_bounded() {
        let mut state = State::default();
        for number in 0..MAX_WAITING {
            assert!(state.line_up(workspace(number)));
        }
        assert!(!state.line_up(workspace(MAX_WAITING)));
        assert_eq!(state.in_line.len(), MAX_WAITING);
    }
}
