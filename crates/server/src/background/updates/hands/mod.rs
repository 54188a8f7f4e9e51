//! What this process has to handle, and what of it may be handled now.

mod hand;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};

use domain::{
    ids::WorkspaceId,
    inbound::{Held, TAKEN_UP},
};

use self::hand::{Hand, Kind, Next, Room};

/// Updates that wait here at most, those included that are being taken up: a few hundred bytes each, and more are left
/// to the journal.
pub(super) const ROOM: usize = 20_000;
/// Accounts' templates are read over the network: so many workspaces' at once, beside their batches.
const READINGS: usize = 2;

/// What is to be done next for a workspace.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Work {
    /// These are handled, in their order.
    Handle(Vec<Held>),
    /// More are taken up out of the journal.
    TakeUp,
}

/// A piece of work that has begun, until it ends.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) workspace: WorkspaceId,
    kind: Kind,
}

/// The work of all workspaces.
#[derive(Debug, Default)]
pub(super) struct Hands {
    of: HashMap<WorkspaceId, Hand>,
    /// Whose turn it is to be looked at: those with work that may have become possible.
    turns: VecDeque<WorkspaceId>,
    /// Those for which there was no room: one more gets its turn whenever something ends.
    refused: VecDeque<WorkspaceId>,
    /// How many updates wait, or may come with what is being taken up.
    waiting: usize,
    readings: usize,
}

impl Hands {
    /// Whether as many more of a workspace may wait here. None may while the journal holds earlier ones.
    pub(super) fn has_room_for(&self, workspace: WorkspaceId, updates: usize) -> bool {
        self.of.get(&workspace).is_none_or(Hand::takes_more) && self.waiting.saturating_add(updates) <= ROOM
    }

    /// These were journaled as taken up.
    pub(super) fn hand_over(&mut self, workspace: WorkspaceId, updates: Vec<Held>) {
        self.waiting += updates.len();
        self.of.entry(workspace).or_default().hand_over(updates);
        self.give_turn(workspace);
    }

    /// These were taken up out of the journal, which may have more.
    pub(super) fn add_taken_up(&mut self, workspace: WorkspaceId, updates: Vec<Held>, more: bool) {
        self.waiting += updates.len();
        let hand = self.of.entry(workspace).or_default();
        hand.add_taken_up(updates);
        if more {
            hand.look_at_journal();
        }
        self.give_turn(workspace);
    }

    /// The journal of the workspace is to be looked at.
    pub(super) fn look_at_journal(&mut self, workspace: WorkspaceId) {
        self.of.entry(workspace).or_default().look_at_journal();
        self.give_turn(workspace);
    }

    /// Something that may be done now, of the workspaces in turn.
    pub(super) fn begin(&mut self, with_journal: bool) -> Option<(Begun, Work)> {
        while let Some(workspace) = self.turns.pop_front() {
            let room =
                Room { to_take_up: self.waiting + TAKEN_UP <= ROOM, to_read: self.readings < READINGS };
            let Some(hand) = self.of.get_mut(&workspace) else { continue };
            hand.has_turn = false;
            match hand.begin(with_journal, room) {
                Next::Work(kind, work) => {
                    if matches!(kind, Kind::Reading) {
                        self.readings += 1;
                    }
                    match &work {
                        Work::Handle(updates) => self.waiting = self.waiting.saturating_sub(updates.len()),
                        Work::TakeUp => self.waiting += TAKEN_UP,
                    }
                    self.give_turn(workspace);
                    return Some((Begun { workspace, kind }, work));
                }
                Next::Refused if self.refused.contains(&workspace) => {}
                Next::Refused => self.refused.push_back(workspace),
                Next::Nothing if hand.is_idle() => {
                    self.of.remove(&workspace);
                }
                Next::Nothing => {}
            }
        }
        None
    }

    /// The end of a piece of work, whether it was `done` or broke off.
    pub(super) fn end(&mut self, begun: &Begun, done: bool) {
        if let Some(workspace) = self.refused.pop_front() {
            self.give_turn(workspace);
        }
        match begun.kind {
            Kind::TakingUp => self.waiting = self.waiting.saturating_sub(TAKEN_UP),
            Kind::Reading => self.readings = self.readings.saturating_sub(1),
            Kind::Batch(_) => {}
        }
        if let Some(hand) = self.of.get_mut(&begun.workspace) {
            hand.end(&begun.kind, done);
            self.give_turn(begun.workspace);
        }
    }

    fn give_turn(&mut self, workspace: WorkspaceId) {
        let Some(hand) = self.of.get_mut(&workspace) else { return };
        if !hand.has_turn {
            hand.has_turn = true;
            self.turns.push_back(workspace);
        }
    }
}
