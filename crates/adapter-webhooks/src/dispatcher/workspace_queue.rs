//! What a workspace has in hand.

use std::collections::HashMap;

use domain::{
    ids::WebhookAddressId,
    webhooks::ports::{AttemptRecord, ClaimLimits},
};
use time::OffsetDateTime;

use super::address_limiter::{AddressLimiter, NARROW};

#[derive(Default)]
pub(super) struct WorkspaceQueue {
    pub(super) limiters: HashMap<WebhookAddressId, AddressLimiter>,
    /// Room reserved for a claim under way.
    pub(super) claiming: Option<usize>,
    /// Room of each address in that claim.
    pub(super) asked: HashMap<WebhookAddressId, usize>,
    /// Whether more may be due than is known.
    pub(super) woken: bool,
    /// Deliveries between their claim and their record, and the room reserved for a claim.
    pub(super) held: usize,
    pub(super) running: usize,
    pub(super) slow: usize,
    pub(super) results: Vec<AttemptRecord>,
    /// Time of the oldest unwritten result; `None` without one, or after a write began.
    pub(super) results_since: Option<OffsetDateTime>,
    pub(super) is_writing: bool,
}

impl WorkspaceQueue {
    /// Returns how much of a share is free. Slow attempts take nothing of it.
    pub(super) fn free_of(&self, share: usize) -> usize {
        share.saturating_sub(self.held - self.slow)
    }

    /// Reserves `limit` for a claim in which no address gets more than `deepest`; if enough has stalled, an
    /// address that would stall gets nothing.
    pub(super) fn ask(&mut self, limit: usize, deepest: usize, stalled: bool) -> ClaimLimits {
        self.claiming = Some(limit);
        self.woken = false;
        self.held += limit;
        let room = |limiter: &AddressLimiter| {
            if stalled && limiter.stalls() { 0 } else { limiter.room().min(deepest) }
        };
        self.asked = self.limiters.iter().map(|(address, limiter)| (*address, room(limiter))).collect();
        let rooms = self.asked.iter().map(|(address, room)| (*address, count(*room))).collect();
        ClaimLimits { rooms, room_elsewhere: count(NARROW), limit: count(limit) }
    }

    /// Returns whether there is something to claim. While a share comes free delivery by delivery, a quarter
    /// of it is worth a claim.
    pub(super) fn wants(&self, share: usize, batch: usize, stalled: bool) -> bool {
        let has_room = self.held == self.slow || self.free_of(share) >= batch.min(share / 4).max(1);
        let address_wants = |limiter: &AddressLimiter| limiter.wants() && !(stalled && limiter.stalls());
        self.claiming.is_none() && has_room && (self.woken || self.limiters.values().any(address_wants))
    }

    /// Returns whether the queue can be forgotten.
    pub(super) fn is_done(&self) -> bool {
        self.held == 0 && self.claiming.is_none() && !self.woken && self.limiters.is_empty()
    }
}

fn count(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
