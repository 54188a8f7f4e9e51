//! Queues of the updates that this process has to handle, and the choice of what may begin now.

#[cfg(test)]
mod tests;
mod workspace_queue;

use std::{
    collections::{HashMap, HashSet, VecDeque},
    mem,
};

use domain::{
    ids::WorkspaceId,
    inbound::{HandedOver, HeldUpdate, TAKEN_UP},
};

pub(super) use self::workspace_queue::Work;
use self::workspace_queue::{Kind, Next, Room, WorkspaceQueue};

/// Most updates that may wait here, with those being claimed: a few hundred bytes each, and more are left to
/// the journal.
pub(super) const ROOM: usize = 20_000;
/// Workspaces whose templates are read at once, beside their batches: reading goes over the network.
const READINGS: usize = 2;

#[derive(Debug)]
pub(super) enum TakenUp {
    /// The updates, and whether there may be more.
    Updates(Vec<HeldUpdate>, bool),
    /// Nothing: another process holds this workspace's journal.
    Elsewhere,
}

/// A piece of work that has begun and not ended.
#[derive(Debug)]
pub(super) struct StartedWork {
    pub(super) workspace: WorkspaceId,
    kind: Kind,
    holder: i32,
}

#[derive(Debug, Default)]
pub(super) struct WorkspaceQueues {
    of: HashMap<WorkspaceId, WorkspaceQueue>,
    /// Order in which workspaces are looked at: those with work that may have become possible.
    line: VecDeque<WorkspaceId>,
    /// Workspaces for which there was no room: each end of work puts one of them in line.
    refused: VecDeque<WorkspaceId>,
    /// Number of updates that wait, or may come with what is being claimed.
    waiting: usize,
    readings: usize,
    /// Number under which updates are held; 0 while none may be.
    holder: i32,
    /// Workspaces whose journals others hold, as far as is known; cleared by the next scan.
    elsewhere: HashSet<WorkspaceId>,
    /// Number of parks so far, which numbers them.
    parked: u64,
}

impl WorkspaceQueues {
    /// Begins to hold updates under this number.
    pub(super) fn begin_holding(&mut self, holder: i32) {
        self.holder = holder;
    }

    /// Drops everything: what was held here is free, or another's. What was begun must end before holding
    /// begins again.
    pub(super) fn drop_all(&mut self) {
        *self = Self { parked: self.parked, ..Self::default() };
    }

    /// Returns whether this many more updates of a workspace may wait here. None may where others hold its
    /// journal, or while the journal has earlier ones.
    pub(super) fn has_room_for(&self, workspace: WorkspaceId, updates: usize) -> bool {
        self.of.get(&workspace).is_some_and(WorkspaceQueue::takes_more)
            && self.waiting.saturating_add(updates) <= ROOM
    }

    /// Takes updates that were journaled as claimed. Where the workspace was let go meanwhile, the journal
    /// has them.
    pub(super) fn hand_over(&mut self, workspace: WorkspaceId, handed: HandedOver) {
        let count = handed.updates.len();
        match self.of.get_mut(&workspace) {
            Some(queue) if handed.holder == self.holder && queue.is_own() => {
                self.waiting += count;
                queue.hand_over(handed.updates, handed.behind);
                self.line_up(workspace);
            }
            _ => self.look_at_journal(workspace),
        }
    }

    /// Takes the result of claiming. Returns whether another node should be told to look there.
    pub(super) fn add_taken_up(&mut self, begun: &StartedWork, taken: TakenUp) -> bool {
        if begun.holder != self.holder {
            return false;
        }
        let workspace = begun.workspace;
        let queue = self.of.entry(workspace).or_default();
        let mut tell = false;
        match taken {
            TakenUp::Updates(updates, more) => {
                self.waiting += updates.len();
                queue.add_taken_up(updates);
                if more {
                    queue.look_at_journal();
                }
            }
            TakenUp::Elsewhere => {
                tell = mem::take(&mut queue.posted);
                self.elsewhere.insert(workspace);
            }
        }
        self.line_up(workspace);
        tell
    }

    /// Notes that updates of the workspace were journaled here for whoever holds it. Returns whether that is
    /// known to be another process, which should be told.
    pub(super) fn posted(&mut self, workspace: WorkspaceId) -> bool {
        if self.elsewhere.contains(&workspace) {
            return true;
        }
        self.look_at_journal(workspace);
        if let Some(queue) = self.of.get_mut(&workspace) {
            queue.posted = true;
        }
        false
    }

    /// Notes that another process has journaled updates of the workspace.
    pub(super) fn heard(&mut self, workspace: WorkspaceId) {
        if !self.elsewhere.contains(&workspace) {
            self.look_at_journal(workspace);
        }
    }

    /// Takes the result of a scan: workspaces with something in the journal.
    pub(super) fn looked_through(&mut self, found: Vec<WorkspaceId>) {
        self.elsewhere.clear();
        let own: Vec<WorkspaceId> = self.of.keys().copied().collect();
        for workspace in own {
            if self.of.get_mut(&workspace).is_some_and(WorkspaceQueue::grows_older) {
                self.line_up(workspace);
            }
        }
        for workspace in found {
            self.look_at_journal(workspace);
        }
    }

    /// Parks updates: they keep their places, and what follows them waits, until they are unparked by the
    /// number that this returns.
    pub(super) fn park(&mut self, begun: &StartedWork, updates: Vec<HeldUpdate>) -> u64 {
        self.parked += 1;
        if begun.holder == self.holder
            && let Some(queue) = self.of.get_mut(&begun.workspace)
        {
            self.waiting += updates.len();
            queue.park(self.parked, updates);
        }
        self.parked
    }

    /// Lets parked updates be handled again.
    pub(super) fn unpark(&mut self, workspace: WorkspaceId, number: u64) {
        if let Some(queue) = self.of.get_mut(&workspace) {
            queue.unpark(number);
            self.line_up(workspace);
        }
    }

    pub(super) fn look_at_journal(&mut self, workspace: WorkspaceId) {
        self.of.entry(workspace).or_default().look_at_journal();
        self.line_up(workspace);
    }

    /// Begins something that may be done now, taking workspaces in turn.
    pub(super) fn begin(&mut self, with_journal: bool) -> Option<(StartedWork, Work)> {
        while let Some(workspace) = self.line.pop_front() {
            let room =
                Room { to_take_up: self.waiting + TAKEN_UP <= ROOM, to_read: self.readings < READINGS };
            let Some(queue) = self.of.get_mut(&workspace) else { continue };
            queue.in_line = false;
            match queue.begin(with_journal, room) {
                Next::Work(kind, work) => {
                    if matches!(kind, Kind::Reading) {
                        self.readings += 1;
                    }
                    match &work {
                        Work::Handle(updates) => self.waiting = self.waiting.saturating_sub(updates.len()),
                        Work::TakeUp => self.waiting += TAKEN_UP,
                        Work::LetGo => {}
                    }
                    self.line_up(workspace);
                    return Some((StartedWork { workspace, kind, holder: self.holder }, work));
                }
                Next::Refused if self.refused.contains(&workspace) => {}
                Next::Refused => self.refused.push_back(workspace),
                Next::Nothing if queue.is_idle() => {
                    self.of.remove(&workspace);
                }
                Next::Nothing => {}
            }
        }
        None
    }

    /// Ends a piece of work, whether it was `done` or broke off.
    pub(super) fn end(&mut self, begun: &StartedWork, done: bool) {
        if begun.holder != self.holder {
            return;
        }
        if let Some(workspace) = self.refused.pop_front() {
            self.line_up(workspace);
        }
        match begun.kind {
            Kind::TakingUp => self.waiting = self.waiting.saturating_sub(TAKEN_UP),
            Kind::Reading => self.readings = self.readings.saturating_sub(1),
            Kind::Batch(_) | Kind::LettingGo => {}
        }
        if let Some(queue) = self.of.get_mut(&begun.workspace) {
            queue.end(&begun.kind, done);
            self.line_up(begun.workspace);
        }
    }

    fn line_up(&mut self, workspace: WorkspaceId) {
        let Some(queue) = self.of.get_mut(&workspace) else { return };
        if !queue.in_line {
            queue.in_line = true;
            self.line.push_back(workspace);
        }
    }
}
