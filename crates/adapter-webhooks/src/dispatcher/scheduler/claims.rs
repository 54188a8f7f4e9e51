//! Choice of the next claim, and its result.

use std::collections::HashMap;

use domain::{
    ids::{WebhookAddressId, WorkspaceId},
    webhooks::ports::{AttemptRecord, ClaimLimits, DueDelivery, Leased},
};
use time::OffsetDateTime;

use super::{
    super::address_limiter::{AddressLimiter, NARROW, Waiting},
    Scheduler,
};

/// Most workspaces waiting for a turn; wakes beyond them are left to the next scan.
const MAX_WAITING: usize = 10_000;

impl Scheduler {
    /// Notes that something of the workspace may be due.
    pub(in super::super) fn wake(&mut self, workspace: WorkspaceId) {
        if self.queues.contains_key(&workspace) || self.line.len() < MAX_WAITING {
            self.queues.entry(workspace).or_default().woken = true;
            self.line_up(workspace);
        }
    }

    /// Returns the next workspace to claim for, with its limits.
    pub(in super::super) fn next_claim(&mut self) -> Option<(WorkspaceId, ClaimLimits)> {
        loop {
            let free = self.limits.in_hand.saturating_sub(self.in_hand);
            // Places that come free one by one are not worth a claim each.
            if self.in_hand > 0 && free < self.limits.batch.min(self.limits.in_hand / 8) {
                return None;
            }
            let workspace = self.line.pop_front()?;
            self.in_line.remove(&workspace);
            let stalled = self.slow >= self.limits.stalled;
            let share = self.share();
            let deepest = if share < self.limits.batch { NARROW } else { usize::MAX };
            let Some(queue) = self.queues.get_mut(&workspace) else { continue };
            let limit = self.limits.batch.min(free).min(queue.free_of(share));
            if limit == 0 || queue.claiming.is_some() {
                continue;
            }
            self.in_hand += limit;
            return Some((workspace, queue.ask(limit, deepest, stalled)));
        }
    }

    /// Takes in the result of a claim. Returns how many deliveries were in hand already, under a lost lease.
    pub(in super::super) fn claimed(
        &mut self,
        workspace: WorkspaceId,
        due: Vec<DueDelivery>,
        unreadable: Vec<AttemptRecord>,
        claimed_at: OffsetDateTime,
        start_by: OffsetDateTime,
    ) -> usize {
        let Some(queue) = self.queues.get_mut(&workspace) else { return 0 };
        let limit = queue.claiming.take().unwrap_or_default();
        queue.held -= limit;
        self.in_hand -= limit;
        let asked = std::mem::take(&mut queue.asked);
        queue.woken |= due.len() + unreadable.len() >= limit;
        let mut taken: HashMap<WebhookAddressId, usize> = HashMap::new();
        let mut doubled = 0;
        for record in unreadable {
            let address = record.leased.address;
            *taken.entry(address).or_default() += 1;
            if !self.ids.insert(record.leased.id) {
                doubled += 1;
                continue;
            }
            queue.limiters.entry(address).or_insert_with(AddressLimiter::new).skip();
            queue.held += 1;
            self.in_hand += 1;
            queue.results.push(record);
        }
        for delivery in due {
            let Leased { id, address, .. } = delivery.leased;
            *taken.entry(address).or_default() += 1;
            if !self.ids.insert(id) {
                doubled += 1;
                continue;
            }
            let limiter = queue.limiters.entry(address).or_insert_with(AddressLimiter::new);
            limiter
                .change(&mut self.busy, |limiter| limiter.wait(Waiting { delivery, start_by, claimed_at }));
            queue.held += 1;
            self.in_hand += 1;
        }
        for (address, room) in &asked {
            if let Some(limiter) = queue.limiters.get_mut(address) {
                // An address without room shows nothing; it is claimed for again when it has some.
                limiter.more = taken.get(address).copied().unwrap_or_default() >= *room;
            }
        }
        for (address, taken) in taken {
            let is_full = taken >= asked.get(&address).copied().unwrap_or(NARROW);
            if let Some(limiter) =
                self.queues.get_mut(&workspace).and_then(|queue| queue.limiters.get_mut(&address))
            {
                limiter.more |= is_full;
            }
            self.line_up_address(workspace, address);
        }
        let Some(queue) = self.queues.get_mut(&workspace) else { return doubled };
        if !queue.results.is_empty() && !queue.is_writing && !self.unwritten.contains(&workspace) {
            self.unwritten.push_back(workspace);
        }
        self.settle(workspace);
        doubled
    }

    /// Takes in a failed claim. With `again` its workspace stays in line; otherwise it waits for a wake.
    pub(in super::super) fn not_claimed(&mut self, workspace: WorkspaceId, again: bool) {
        let Some(queue) = self.queues.get_mut(&workspace) else { return };
        let limit = queue.claiming.take().unwrap_or_default();
        queue.held -= limit;
        self.in_hand -= limit;
        queue.woken |= again;
        if !again {
            queue.limiters.values_mut().for_each(|limiter| limiter.more = false);
        }
        self.settle(workspace);
    }
}
