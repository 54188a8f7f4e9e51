//! Who is served next: a plain state without time, tasks or store, so that fairness can be shown without waiting.
//!
//! - Workspaces stand in line for claims, each once; whoever is served goes to its end. None holds more than half
//!   of the hands, and the more of them wait the less each holds: many lanes with little each need few connections
//!   each, where few lanes with much would open dozens.
//! - Lanes with something to start take turns for the slots, each once, and none takes more than its part of them.
//! - An attempt that has become slow gives its slot back and counts as stalled instead. What is stalled is
//!   bounded too, but takes nothing from those that answer.

mod claims;
mod results;

use std::collections::{HashMap, HashSet, VecDeque};

use domain::{
    ids::{DeliveryId, WebhookAddressId, WorkspaceId},
    webhooks::ports::{DueDelivery, Leased},
};
use time::OffsetDateTime;

use super::{address_limiter::AddressLimiter, workspace_queue::WorkspaceQueue};

/// Results that are worth a transaction while more are about to come.
const WORTH_WRITING: usize = 128;

/// How much may be going on.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Deliveries claimed at a time.
    pub(super) batch: usize,
    /// Attempts under way that are not slow.
    pub(super) slots: usize,
    /// Slow attempts.
    pub(super) stalled: usize,
    /// Deliveries between their claim and their record.
    pub(super) hands: usize,
}

pub(super) struct Scheduler {
    limits: Limits,
    line: VecDeque<WorkspaceId>,
    in_line: HashSet<WorkspaceId>,
    hands: HashMap<WorkspaceId, WorkspaceQueue>,
    /// Lanes that may have something to start, each once.
    ready: VecDeque<(WorkspaceId, WebhookAddressId)>,
    /// Workspaces with results that are not being written.
    unwritten: VecDeque<WorkspaceId>,
    /// What is in hand. A delivery that is claimed again meanwhile, since its lease is lost, is not started again.
    ids: HashSet<DeliveryId>,
    late: Vec<(WorkspaceId, Leased)>,
    running: usize,
    slow: usize,
    in_hand: usize,
    /// Lanes that have or want slots.
    busy: usize,
}

impl Scheduler {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            line: VecDeque::new(),
            in_line: HashSet::new(),
            hands: HashMap::new(),
            ready: VecDeque::new(),
            unwritten: VecDeque::new(),
            ids: HashSet::new(),
            late: Vec::new(),
            running: 0,
            slow: 0,
            in_hand: 0,
            busy: 0,
        }
    }

    /// The next delivery to attempt, one of each lane in turn.
    pub(super) fn next_start(&mut self, now: OffsetDateTime) -> Option<(WorkspaceId, DueDelivery)> {
        while self.running < self.limits.slots {
            let (workspace, address) = self.ready.pop_front()?;
            let part = self.limits.slots.div_ceil(self.busy.max(1));
            let stalled = self.slow >= self.limits.stalled;
            let Some(hand) = self.hands.get_mut(&workspace) else { continue };
            let Some(lane) = hand.lanes.get_mut(&address) else { continue };
            lane.in_line = false;
            if !lane.may_start() || lane.running() >= part || stalled && lane.stalls() {
                continue;
            }
            let before = self.late.len();
            let let_go = |delivery: DueDelivery| self.late.push((workspace, delivery.leased));
            let next = lane.change(&mut self.busy, |lane| lane.start(now, let_go));
            let let_go = self.late.len() - before;
            hand.held -= let_go;
            self.in_hand -= let_go;
            // They are due again at once, for this node or another.
            lane.more |= let_go > 0;
            let Some(next) = next else {
                self.settle(workspace);
                continue;
            };
            hand.running += 1;
            self.running += 1;
            self.line_up_lane(workspace, address);
            return Some((workspace, next));
        }
        None
    }

    /// Lets go of what waited too long, also where nothing may start.
    pub(super) fn expire(&mut self, now: OffsetDateTime) {
        let workspaces: Vec<WorkspaceId> = self.hands.keys().copied().collect();
        for workspace in workspaces {
            let Some(hand) = self.hands.get_mut(&workspace) else { continue };
            let before = self.late.len();
            for lane in hand.lanes.values_mut() {
                let let_go = |delivery: DueDelivery| self.late.push((workspace, delivery.leased));
                lane.change(&mut self.busy, |lane| lane.expire(now, let_go));
                lane.more |= self.late.len() > before;
            }
            let let_go = self.late.len() - before;
            hand.held -= let_go;
            self.in_hand -= let_go;
            if let_go > 0 {
                self.settle(workspace);
            }
        }
    }

    /// Lets go of everything that waits.
    pub(super) fn clear(&mut self) {
        self.line.clear();
        self.in_line.clear();
        for (workspace, hand) in &mut self.hands {
            hand.woken = false;
            for lane in hand.lanes.values_mut() {
                lane.more = false;
                let before = self.late.len();
                lane.change(&mut self.busy, |lane| {
                    self.late.extend(lane.clear().map(|delivery| (*workspace, delivery.leased)));
                });
                let let_go = self.late.len() - before;
                hand.held -= let_go;
                self.in_hand -= let_go;
            }
        }
    }

    /// What is to be given back to the queue, by workspace.
    pub(super) fn take_late(&mut self) -> HashMap<WorkspaceId, Vec<Leased>> {
        let mut late: HashMap<WorkspaceId, Vec<Leased>> = HashMap::new();
        for (workspace, leased) in self.late.drain(..) {
            self.ids.remove(&leased.id);
            late.entry(workspace).or_default().push(leased);
        }
        late
    }

    /// An attempt is slow: others get its slot.
    pub(super) fn slow_down(&mut self, workspace: WorkspaceId, address: WebhookAddressId) {
        if let Some(hand) = self.hands.get_mut(&workspace)
            && let Some(lane) = hand.lanes.get_mut(&address)
        {
            lane.change(&mut self.busy, AddressLimiter::slow_down);
            hand.running -= 1;
            hand.slow += 1;
            self.running -= 1;
            self.slow += 1;
            self.line_up_lane(workspace, address);
        }
    }

    /// Attempts under way.
    pub(super) fn under_way(&self) -> usize {
        self.running + self.slow
    }

    /// Deliveries between their claim and their record.
    pub(super) fn in_hand(&self) -> usize {
        self.in_hand
    }

    /// Addresses with deliveries in hand.
    pub(super) fn lanes(&self) -> usize {
        self.hands.values().map(|hand| hand.lanes.len()).sum()
    }

    /// Puts a workspace in line that has room again for what it wants, and keeps nothing of one that is done.
    fn settle(&mut self, workspace: WorkspaceId) {
        let share = self.share();
        let stalled = self.slow >= self.limits.stalled;
        let Some(hand) = self.hands.get_mut(&workspace) else { return };
        hand.lanes.retain(|_, lane| lane.in_hand() > 0 || lane.more);
        if hand.wants(share, self.limits.batch, stalled) {
            self.line_up(workspace);
        } else if hand.is_done() {
            self.hands.remove(&workspace);
        }
    }

    /// Deliveries that are not slow which one workspace may have in hand, beside those that wait for a claim.
    fn share(&self) -> usize {
        let half = (self.limits.hands / 2).max(1);
        (self.limits.hands / (self.line.len() + 1)).clamp(WORTH_WRITING.min(half), half)
    }

    fn line_up_lane(&mut self, workspace: WorkspaceId, address: WebhookAddressId) {
        let lanes = self.hands.get_mut(&workspace).map(|hand| &mut hand.lanes);
        if let Some(lane) = lanes.and_then(|lanes| lanes.get_mut(&address))
            && lane.may_start()
            && !std::mem::replace(&mut lane.in_line, true)
        {
            self.ready.push_back((workspace, address));
        }
    }

    fn line_up(&mut self, workspace: WorkspaceId) {
        let claiming = self.hands.get(&workspace).is_some_and(|hand| hand.claiming.is_some());
        if !claiming && self.in_line.insert(workspace) {
            self.line.push_back(workspace);
        }
    }
}

#[cfg(test)]
mod tests;
