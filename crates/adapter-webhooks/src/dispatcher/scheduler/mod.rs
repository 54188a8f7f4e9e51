//! Who is served next: a plain state without time, tasks or store, so that fairness can be shown without waiting.
//!
//! - Workspaces stand in line for claims, each once; whoever is served goes to its end. None holds more than half
//!   of what may be in hand, and the more of them wait the less each holds: many addresses with little each need few connections
//!   each, where few addresses with much would open dozens.
//! - Addresses with something to start take turns for the slots, each once, and none takes more than its part of them.
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
    /// What is in hand. A delivery that is claimed again meanwhile, since its lease is lost, is not started again.
    ids: HashSet<DeliveryId>,
    late: Vec<(WorkspaceId, Leased)>,
    running: usize,
    slow: usize,
    in_hand: usize,
    /// Addresses that have or want slots.
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

    /// The next delivery to attempt, one of each address in turn.
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
            // They are due again at once, for this node or another.
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

    /// Lets go of what waited too long, also where nothing may start.
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

    /// Lets go of everything that waits.
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

    /// Attempts under way.
    pub(super) fn under_way(&self) -> usize {
        self.running + self.slow
    }

    /// Deliveries between their claim and their record.
    pub(super) fn in_hand(&self) -> usize {
        self.in_hand
    }

    /// Addresses with deliveries in hand.
    pub(super) fn addresses(&self) -> usize {
        self.queues.values().map(|queue| queue.limiters.len()).sum()
    }

    /// Puts a workspace in line that has room again for what it wants, and keeps nothing of one that is done.
    fn settle(&mut self, workspace: WorkspaceId) {
        let share = self.share();
        let stalled = self.slow >= self.limits.stalled;
        let Some(queue) = self.queues.get_mut(&workspace) else { return };
        // What is known of an address that a claim under way asks for is needed when it comes back.
        let asked = &queue.asked;
        queue.limiters.retain(|address, limiter| limiter.is_kept() || asked.contains_key(address));
        if queue.wants(share, self.limits.batch, stalled) {
            self.line_up(workspace);
        } else if queue.is_done() {
            self.queues.remove(&workspace);
        }
    }

    /// Deliveries that are not slow which one workspace may have in hand, beside those that wait for a claim.
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
