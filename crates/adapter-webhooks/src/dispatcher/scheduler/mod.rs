//! Choice of who is served next: plain state without time, tasks or store, so that fairness can be tested
//! without waiting.
//!
//! - Workspaces stand in line for claims, each once; a served one goes to the end. None holds more than half
//!   of what may be in hand, and the more of them wait the less each holds: many addresses with little each
//!   need few connections each, where few addresses with much would open dozens.
//! - Addresses with something to start take turns for the slots, each once, and none takes more than its part
//!   of them.
//! - An attempt that has become slow gives its slot back and counts as stalled instead. Stalled attempts are
//!   bounded too, but take nothing from the addresses that answer.

mod claims;
mod results;

use std::collections::{HashMap, HashSet, VecDeque};

use domain::{
    ids::{DeliveryId, WebhookAddressId, WorkspaceId},
    webhooks::ports::{DueDelivery, Leased},
};
use time::OffsetDateTime;

use super::{address_limiter::AddressLimiter, workspace_queue::WorkspaceQueue};

/// Number of results that are worth a transaction while more are about to come.
const WORTH_WRITING: usize = 128;

/// Bounds of the scheduler.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Most deliveries of one claim.
    pub(super) batch: usize,
    /// Attempts under way that are not slow.
    pub(super) slots: usize,
    /// Slow attempts under way.
    pub(super) stalled: usize,
    /// Deliveries between their claim and their record.
    pub(super) in_hand: usize,
}

pub(super) struct Scheduler {
    limits: Limits,
    line: VecDeque<WorkspaceId>,
    in_line: HashSet<WorkspaceId>,
    queues: HashMap<WorkspaceId, WorkspaceQueue>,
    /// Addresses that may have something to start, each once.
    ready: VecDeque<(WorkspaceId, WebhookAddressId)>,
    /// Workspaces with results that are not being written.
    unwritten: VecDeque<WorkspaceId>,
    /// Deliveries in hand. One claimed again meanwhile, after its lease was lost, is not started again.
    ids: HashSet<DeliveryId>,
    late: Vec<(WorkspaceId, Leased)>,
    running: usize,
    slow: usize,
    in_hand: usize,
    /// Number of addresses that have or want slots.
    busy: usize,
}

impl Scheduler {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            line: VecDeque::new(),
            in_line: HashSet::new(),
            queues: HashMap::new(),
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

    /// Returns the next delivery to attempt, one of each address in turn.
    pub(super) fn next_start(&mut self, now: OffsetDateTime) -> Option<(WorkspaceId, DueDelivery)> {
        while self.running < self.limits.slots {
            let (workspace, address) = self.ready.pop_front()?;
            let part = self.limits.slots.div_ceil(self.busy.max(1));
            let stalled = self.slow >= self.limits.stalled;
            let Some(queue) = self.queues.get_mut(&workspace) else { continue };
            let Some(limiter) = queue.limiters.get_mut(&address) else { continue };
            limiter.in_line = false;
            if !limiter.may_start() || limiter.running() >= part || stalled && limiter.stalls() {
                continue;
            }
            let before = self.late.len();
            let let_go = |delivery: DueDelivery| self.late.push((workspace, delivery.leased));
            let next = limiter.change(&mut self.busy, |limiter| limiter.start(now, let_go));
            let let_go = self.late.len() - before;
            queue.held -= let_go;
            self.in_hand -= let_go;
            // Due again at once, for this node or another.
            limiter.more |= let_go > 0;
            let Some(next) = next else {
                self.settle(workspace);
                continue;
            };
            queue.running += 1;
            self.running += 1;
            self.line_up_address(workspace, address);
            return Some((workspace, next));
        }
        None
    }

    /// Removes what waited too long, also where nothing may start.
    pub(super) fn expire(&mut self, now: OffsetDateTime) {
        let workspaces: Vec<WorkspaceId> = self.queues.keys().copied().collect();
        for workspace in workspaces {
            let Some(queue) = self.queues.get_mut(&workspace) else { continue };
            let before = self.late.len();
            for limiter in queue.limiters.values_mut() {
                let of_others = self.late.len();
                let let_go = |delivery: DueDelivery| self.late.push((workspace, delivery.leased));
                limiter.change(&mut self.busy, |limiter| limiter.expire(now, let_go));
                limiter.more |= self.late.len() > of_others;
            }
            let let_go = self.late.len() - before;
            queue.held -= let_go;
            self.in_hand -= let_go;
            if let_go > 0 {
                self.settle(workspace);
            }
        }
    }

    /// Removes everything that waits.
    pub(super) fn clear(&mut self) {
        self.line.clear();
        self.in_line.clear();
        for (workspace, queue) in &mut self.queues {
            queue.woken = false;
            for limiter in queue.limiters.values_mut() {
                limiter.more = false;
                let before = self.late.len();
                limiter.change(&mut self.busy, |limiter| {
                    self.late.extend(limiter.clear().map(|delivery| (*workspace, delivery.leased)));
                });
                let let_go = self.late.len() - before;
                queue.held -= let_go;
                self.in_hand -= let_go;
            }
        }
    }

    /// Takes the deliveries to give back to the queue, by workspace.
    pub(super) fn take_late(&mut self) -> HashMap<WorkspaceId, Vec<Leased>> {
        let mut late: HashMap<WorkspaceId, Vec<Leased>> = HashMap::new();
        for (workspace, leased) in self.late.drain(..) {
            self.ids.remove(&leased.id);
            late.entry(workspace).or_default().push(leased);
        }
        late
    }

    /// Counts an attempt as slow, which frees its slot.
    pub(super) fn slow_down(&mut self, workspace: WorkspaceId, address: WebhookAddressId) {
        if let Some(queue) = self.queues.get_mut(&workspace)
            && let Some(limiter) = queue.limiters.get_mut(&address)
        {
            limiter.change(&mut self.busy, AddressLimiter::slow_down);
            queue.running -= 1;
            queue.slow += 1;
            self.running -= 1;
            self.slow += 1;
            self.line_up_address(workspace, address);
        }
    }

    pub(super) fn under_way(&self) -> usize {
        self.running + self.slow
    }

    /// Returns the number of deliveries between their claim and their record.
    pub(super) fn in_hand(&self) -> usize {
        self.in_hand
    }

    /// Returns the number of addresses with deliveries in hand.
    pub(super) fn addresses(&self) -> usize {
        self.queues.values().map(|queue| queue.limiters.len()).sum()
    }

    /// Puts a workspace in line that has room again for what it wants, and forgets one that is done.
    fn settle(&mut self, workspace: WorkspaceId) {
        let share = self.share();
        let stalled = self.slow >= self.limits.stalled;
        let Some(queue) = self.queues.get_mut(&workspace) else { return };
        // The limiter of an address in a claim under way is needed when the claim returns.
        let asked = &queue.asked;
        queue.limiters.retain(|address, limiter| limiter.is_kept() || asked.contains_key(address));
        if queue.wants(share, self.limits.batch, stalled) {
            self.line_up(workspace);
        } else if queue.is_done() {
            self.queues.remove(&workspace);
        }
    }

    /// Returns how many deliveries that are not slow one workspace may have in hand, given how many wait for
    /// a claim.
    fn share(&self) -> usize {
        let half = (self.limits.in_hand / 2).max(1);
        (self.limits.in_hand / (self.line.len() + 1)).clamp(WORTH_WRITING.min(half), half)
    }

    fn line_up_address(&mut self, workspace: WorkspaceId, address: WebhookAddressId) {
        let limiters = self.queues.get_mut(&workspace).map(|queue| &mut queue.limiters);
        if let Some(limiter) = limiters.and_then(|limiters| limiters.get_mut(&address))
            && limiter.may_start()
            && !std::mem::replace(&mut limiter.in_line, true)
        {
            self.ready.push_back((workspace, address));
        }
    }

    fn line_up(&mut self, workspace: WorkspaceId) {
        let claiming = self.queues.get(&workspace).is_some_and(|queue| queue.claiming.is_some());
        if !claiming && self.in_line.insert(workspace) {
            self.line.push_back(workspace);
        }
    }
}

#[cfg(test)]
mod draining;
#[cfg(test)]
mod tests;
