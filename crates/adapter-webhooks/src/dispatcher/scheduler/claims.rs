//! Claims: whose turn it is, and what came of it.

use std::collections::HashMap;

use domain::{
    ids::{WebhookAddressId, WorkspaceId},
    webhooks::ports::{AttemptRecord, DueDelivery, Lanes, Leased},
};
use time::OffsetDateTime;

use super::{
    super::address_limiter::{AddressLimiter, NARROW, Waiting},
    Scheduler,
};

/// Workspaces that may wait for a turn; what a wake adds beyond them is left to the next scan.
const MAX_WAITING: usize = 10_000;

impl Scheduler {
    /// Something of the workspace may be due.
    pub(in super::super) fn wake(&mut self, workspace: WorkspaceId) {
        if self.hands.contains_key(&workspace) || self.line.len() < MAX_WAITING {
            self.hands.entry(workspace).or_default().woken = true;
            self.line_up(workspace);
        }
    }

    /// Whose turn it is, and how much of it there is room for.
    pub(in super::super) fn next_claim(&mut self) -> Option<(WorkspaceId, Lanes)> {
        loop {
            let free = self.limits.hands.saturating_sub(self.in_hand);
            // Hands that come free one by one are not worth a claim each.
            if self.in_hand > 0 && free < self.limits.batch.min(self.limits.hands / 8) {
                return None;
            }
            let workspace = self.line.pop_front()?;
            self.in_line.remove(&workspace);
            let stalled = self.slow >= self.limits.stalled;
            let share = self.share();
            let deepest = if share < self.limits.batch { NARROW } else { usize::MAX };
            let Some(hand) = self.hands.get_mut(&workspace) else { continue };
            let limit = self.limits.batch.min(free).min(hand.free_of(share));
            if limit == 0 || hand.claiming.is_some() {
                continue;
            }
            self.in_hand += limit;
            return Some((workspace, hand.ask(limit, deepest, stalled)));
        }
    }

    /// What a claim came to. Answers those that are in hand already, under a lease that was lost.
    pub(in super::super) fn claimed(
        &mut self,
        workspace: WorkspaceId,
        due: Vec<DueDelivery>,
        unreadable: Vec<AttemptRecord>,
        claimed_at: OffsetDateTime,
        start_by: OffsetDateTime,
    ) -> usize {
        let Some(hand) = self.hands.get_mut(&workspace) else { return 0 };
        let limit = hand.claiming.take().unwrap_or_default();
        hand.held -= limit;
        self.in_hand -= limit;
        let asked = std::mem::take(&mut hand.asked);
        hand.woken |= due.len() + unreadable.len() >= limit;
        let mut taken: HashMap<WebhookAddressId, usize> = HashMap::new();
        let mut doubled = 0;
        for record in unreadable {
            let address = record.leased.address;
            *taken.entry(address).or_default() += 1;
            if !self.ids.insert(record.leased.id) {
                doubled += 1;
                continue;
            }
            hand.lanes.entry(address).or_insert_with(AddressLimiter::new).skip();
            hand.held += 1;
            self.in_hand += 1;
            hand.results.push(record);
        }
        for delivery in due {
            let Leased { id, address, .. } = delivery.leased;
            *taken.entry(address).or_default() += 1;
            if !self.ids.insert(id) {
                doubled += 1;
                continue;
            }
            let lane = hand.lanes.entry(address).or_insert_with(AddressLimiter::new);
            lane.change(&mut self.busy, |lane| lane.wait(Waiting { delivery, start_by, claimed_at }));
            hand.held += 1;
            self.in_hand += 1;
        }
        for (address, room) in &asked {
            if let Some(lane) = hand.lanes.get_mut(address) {
                // One that had no room is asked again when it has some.
                lane.more = *room == 0 && lane.more
                    || *room > 0 && taken.get(address).copied().unwrap_or_default() >= *room;
            }
        }
        for (address, taken) in taken {
            let is_full = taken >= asked.get(&address).copied().unwrap_or(NARROW);
            if let Some(lane) = self.hands.get_mut(&workspace).and_then(|hand| hand.lanes.get_mut(&address)) {
                lane.more |= is_full;
            }
            self.line_up_lane(workspace, address);
        }
        let Some(hand) = self.hands.get_mut(&workspace) else { return doubled };
        if !hand.results.is_empty() && !hand.is_writing && !self.unwritten.contains(&workspace) {
            self.unwritten.push_back(workspace);
        }
        self.settle(workspace);
        doubled
    }

    /// A claim failed; `again` when its workspace is to stay in line. Otherwise it waits to be woken.
    pub(in super::super) fn not_claimed(&mut self, workspace: WorkspaceId, again: bool) {
        let Some(hand) = self.hands.get_mut(&workspace) else { return };
        let limit = hand.claiming.take().unwrap_or_default();
        hand.held -= limit;
        self.in_hand -= limit;
        hand.woken |= again;
        if !again {
            hand.lanes.values_mut().for_each(|lane| lane.more = false);
        }
        self.settle(workspace);
    }
}
