//! Tests that nothing due is left to the next scan of the queue, in any order of events.

use domain::{
    ids::{WebhookAddressId, WorkspaceId},
    testing::a_moment,
    webhooks::ports::{AttemptRecord, ClaimLimits, DueDelivery, Leased},
};
use proptest::prelude::*;
use time::{OffsetDateTime, ext::NumericalDuration};
use uuid::Uuid;

use super::{
    super::address_limiter::Pace,
    Scheduler,
    tests::{LIMITS, delivered, delivery_to},
};

const RECORDS: usize = 3;

/// A workspace with due deliveries for each of its addresses, and its tasks under way.
struct Backlog {
    scheduler: Scheduler,
    due: Vec<usize>,
    /// Addresses for each of which one more delivery is to become due.
    coming: Vec<usize>,
    /// Whether claims take longer than all else.
    slow_claims: bool,
    made: u128,
    now: OffsetDateTime,
    claim: Option<ClaimLimits>,
    started: Vec<Leased>,
    records: Vec<Vec<AttemptRecord>>,
}

fn workspace() -> WorkspaceId {
    Uuid::from_u128(1).into()
}

fn address(number: usize) -> WebhookAddressId {
    Uuid::from_u128(number as u128).into()
}

impl Backlog {
    fn of(due: Vec<usize>, coming: Vec<usize>, slow_claims: bool) -> Self {
        let mut scheduler = Scheduler::new(LIMITS);
        scheduler.wake(workspace());
        Self {
            scheduler,
            due,
            coming,
            slow_claims,
            made: 0,
            now: a_moment(),
            claim: None,
            started: Vec::new(),
            records: Vec::new(),
        }
    }

    /// Begins whatever may begin, as the dispatcher does.
    fn begin(&mut self) {
        while let Some((_, delivery)) = self.scheduler.next_start(self.now) {
            self.started.push(delivery.leased);
        }
        if self.claim.is_none() {
            self.claim = self.scheduler.next_claim().map(|(_, limits)| limits);
        }
        self.scheduler.take_late();
        while self.records.len() < RECORDS
            && let Some((_, records)) = self.scheduler.next_results(self.now)
        {
            self.records.push(records);
        }
    }

    fn claimed(&mut self, limits: &ClaimLimits) {
        let mut due: Vec<DueDelivery> = Vec::new();
        for number in 0..self.due.len() {
            let room = limits.rooms.iter().find(|(known, _)| *known == address(number));
            let room = room.map_or(limits.room_elsewhere, |(_, room)| *room) as usize;
            for _ in 0..room.min(limits.limit as usize - due.len()).min(self.due[number]) {
                self.due[number] -= 1;
                self.made += 1;
                due.push(delivery_to(address(number), self.made));
            }
        }
        self.scheduler.claimed(workspace(), due, Vec::new(), self.now, self.now + 2.seconds());
    }

    /// Ends one task that was under way, or makes a delivery due; `false` if there is neither.
    fn next(&mut self, pick: u8) -> bool {
        self.now += 1.milliseconds();
        let pick = usize::from(pick);
        let others = usize::from(!self.started.is_empty()) + self.records.len();
        let claims = usize::from(self.claim.is_some() && !(self.slow_claims && others > 0));
        let comes = usize::from(!self.coming.is_empty());
        match pick.checked_rem(others + claims + comes) {
            None => return false,
            Some(which) if which < self.records.len() => {
                let written: Vec<_> = self
                    .records
                    .remove(which)
                    .iter()
                    .map(|record| (record.leased.id, record.leased.address))
                    .collect();
                self.scheduler.recorded(workspace(), &written);
            }
            Some(which) if which < others => {
                let count = self.started.len().min(1 + pick / 4);
                for leased in self.started.drain(..count).collect::<Vec<_>>() {
                    self.scheduler.ended(workspace(), delivered(leased), Pace::Fast, self.now);
                }
            }
            Some(which) if which < others + claims => {
                let limits = self.claim.take().unwrap();
                self.claimed(&limits);
            }
            Some(_) => {
                let address = self.coming.pop().unwrap();
                self.due[address] += 1;
                self.scheduler.wake(workspace());
            }
        }
        true
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn nothing_rests_while_something_is_due(
        due in prop::collection::vec(0_usize..4_000, 1..4),
        coming in prop::collection::vec(0_usize..8, 0..64),
        slow_claims: bool,
        picks in prop::collection::vec(any::<u8>(), 64..512),
    ) {
        let coming = coming.into_iter().map(|address| address % due.len()).collect();
        let mut backlog = Backlog::of(due, coming, slow_claims);
        for pick in picks.iter().cycle() {
            backlog.begin();
            if !backlog.next(*pick) {
                break;
            }
        }
        prop_assert_eq!(&backlog.due, &vec![0; backlog.due.len()]);
    }
}
