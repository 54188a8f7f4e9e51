//! Results of attempts, and when they are written.

use std::time::Duration;

use domain::{
    ids::{DeliveryId, WebhookAddressId, WorkspaceId},
    webhooks::ports::{AttemptRecord, Leased},
};
use time::OffsetDateTime;

use super::{
    super::address_limiter::{AddressLimiter, Pace, let_go},
    Scheduler, WORTH_WRITING,
};

/// Time that a result waits for more of them.
const GATHER: Duration = Duration::from_millis(20);

impl Scheduler {
    /// Takes in the result of an attempt. Returns for how long its place rests if it broke.
    pub(in super::super) fn ended(
        &mut self,
        workspace: WorkspaceId,
        record: AttemptRecord,
        pace: Pace,
        now: OffsetDateTime,
    ) -> Option<Duration> {
        let Leased { id, address, .. } = record.leased;
        let queue = self.queues.get_mut(&workspace)?;
        let limiter = queue.limiters.get_mut(&address)?;
        limiter.change(&mut self.busy, |limiter| limiter.end(pace));
        let rest = (pace == Pace::Broken).then(|| limiter.rest_of(id));
        let_go(&mut queue.running, &mut queue.slow, pace.has_slot());
        let_go(&mut self.running, &mut self.slow, pace.has_slot());
        if queue.results.is_empty() && !queue.is_writing {
            self.unwritten.push_back(workspace);
        }
        queue.results.push(record);
        queue.results_since.get_or_insert(now);
        self.line_up_address(workspace, address);
        rest
    }

    /// Frees the place of an attempt that broke, after its rest.
    pub(in super::super) fn rested(&mut self, workspace: WorkspaceId, address: WebhookAddressId) {
        let Some(queue) = self.queues.get_mut(&workspace) else { return };
        let Some(limiter) = queue.limiters.get_mut(&address) else { return };
        limiter.change(&mut self.busy, AddressLimiter::end_rest);
        self.line_up_address(workspace, address);
        self.settle(workspace);
    }

    /// Takes in an attempt that could not be made: its delivery is given back.
    pub(in super::super) fn not_made(&mut self, workspace: WorkspaceId, leased: Leased, is_fast: bool) {
        let Some(queue) = self.queues.get_mut(&workspace) else { return };
        let Some(limiter) = queue.limiters.get_mut(&leased.address) else { return };
        limiter.change(&mut self.busy, |limiter| limiter.take_back(is_fast));
        let_go(&mut queue.running, &mut queue.slow, is_fast);
        let_go(&mut self.running, &mut self.slow, is_fast);
        queue.held -= 1;
        self.in_hand -= 1;
        self.late.push((workspace, leased));
        self.line_up_address(workspace, leased.address);
        self.settle(workspace);
    }

    /// Returns results of one workspace to be written now: many, or all that will come for the moment.
    pub(in super::super) fn next_results(
        &mut self,
        now: OffsetDateTime,
    ) -> Option<(WorkspaceId, Vec<AttemptRecord>)> {
        for _ in 0..self.unwritten.len() {
            let workspace = self.unwritten.pop_front()?;
            let Some(queue) = self.queues.get_mut(&workspace) else { continue };
            let is_fresh = queue.results_since.is_some_and(|since| now - since < GATHER);
            if queue.results.len() < WORTH_WRITING && queue.running > 0 && is_fresh {
                self.unwritten.push_back(workspace);
                continue;
            }
            queue.is_writing = true;
            queue.results_since = None;
            let rest = queue.results.split_off(queue.results.len().min(self.limits.batch));
            return Some((workspace, std::mem::replace(&mut queue.results, rest)));
        }
        None
    }

    /// Takes in that results were written, or given up on.
    pub(in super::super) fn recorded(
        &mut self,
        workspace: WorkspaceId,
        written: &[(DeliveryId, WebhookAddressId)],
    ) {
        let Some(queue) = self.queues.get_mut(&workspace) else { return };
        for (id, address) in written {
            self.ids.remove(id);
            queue.held -= 1;
            self.in_hand -= 1;
            if let Some(limiter) = queue.limiters.get_mut(address) {
                limiter.forget();
            }
        }
        queue.is_writing = false;
        // Results that came meanwhile have waited for the write.
        queue.results_since = None;
        if !queue.results.is_empty() {
            self.unwritten.push_back(workspace);
        }
        self.settle(workspace);
    }
}
