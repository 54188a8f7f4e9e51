use std::collections::HashMap;

use domain::{
    ids::{WebhookAddressId, WorkspaceId},
    testing::{a_due_delivery, a_moment},
    webhooks::{
        NextStep,
        ports::{AttemptRecord, ClaimLimits, DueDelivery, Leased},
    },
};
use time::ext::NumericalDuration;
use uuid::Uuid;

use super::{
    super::address_limiter::{NARROW, Pace},
    Limits, Scheduler,
};
use crate::dispatcher::address_limiter::FIRST;

pub(super) const LIMITS: Limits = Limits { batch: 500, slots: 256, stalled: 512, in_hand: 2_048 };
/// Addresses of each workspace.
const ADDRESSES: usize = 10;

/// Makes the delivery of this number, due for an address.
pub(super) fn delivery_to(address: WebhookAddressId, number: u128) -> DueDelivery {
    let mut delivery = a_due_delivery();
    delivery.leased.id = Uuid::from_u128(number).into();
    delivery.leased.address = address;
    delivery
}

/// Makes the record of a delivery that arrived at its first attempt.
pub(super) fn delivered(leased: Leased) -> AttemptRecord {
    AttemptRecord {
        leased,
        started_at: a_moment(),
        duration_ms: 1,
        outcome: Ok(200),
        answer: Vec::new(),
        is_whole: true,
        next_step: NextStep::Delivered,
    }
}

/// A scheduler that knows of workspaces, each with more due for each of its addresses than can be taken.
struct World {
    scheduler: Scheduler,
    made: u128,
    addresses: usize,
}

impl World {
    fn new(workspaces: u128, addresses: usize) -> Self {
        let mut scheduler = Scheduler::new(LIMITS);
        (1..=workspaces).for_each(|number| scheduler.wake(Uuid::from_u128(number).into()));
        Self { scheduler, made: 0, addresses }
    }

    /// Claims for the next workspace; returns how much it was given of each address.
    fn claim(&mut self) -> Option<(WorkspaceId, HashMap<WebhookAddressId, usize>)> {
        let (workspace, limits) = self.scheduler.next_claim()?;
        Some((workspace, self.give(workspace, limits)))
    }

    /// Claims for this workspace, while all others have nothing due.
    fn claim_for(&mut self, number: u128) {
        while let Some((workspace, limits)) = self.scheduler.next_claim() {
            if workspace.uuid().as_u128() == number {
                self.give(workspace, limits);
            } else {
                self.scheduler.not_claimed(workspace, false);
            }
        }
    }

    fn give(&mut self, workspace: WorkspaceId, limits: ClaimLimits) -> HashMap<WebhookAddressId, usize> {
        let ClaimLimits { rooms, room_elsewhere, limit } = limits;
        let rooms: HashMap<_, _> = rooms.into_iter().collect();
        let mut due: Vec<DueDelivery> = Vec::new();
        for number in 0..self.addresses {
            let address = Uuid::from_u128(workspace.uuid().as_u128() << 32 | number as u128).into();
            let room = rooms.get(&address).copied().unwrap_or(room_elsewhere) as usize;
            for _ in 0..room.min(limit as usize - due.len()) {
                self.made += 1;
                due.push(delivery_to(address, self.made));
            }
        }
        let mut taken = HashMap::new();
        for delivery in &due {
            *taken.entry(delivery.leased.address).or_default() += 1;
        }
        let now = a_moment();
        self.scheduler.claimed(workspace, due, Vec::new(), now, now + 2.seconds());
        taken
    }

    /// Starts all that may start.
    fn start(&mut self) -> Vec<(WorkspaceId, Leased)> {
        let starts = std::iter::from_fn(|| self.scheduler.next_start(a_moment()));
        starts.map(|(workspace, delivery)| (workspace, delivery.leased)).collect()
    }

    /// Answers attempts fast.
    fn answer(&mut self, started: &[(WorkspaceId, Leased)]) {
        for (workspace, leased) in started {
            self.scheduler.ended(*workspace, delivered(*leased), Pace::Fast, a_moment());
        }
    }
}

/// Counts the attempts under way of each address.
fn by_address(started: &[(WorkspaceId, Leased)]) -> HashMap<WebhookAddressId, usize> {
    let mut under_way = HashMap::new();
    for (_, leased) in started {
        *under_way.entry(leased.address).or_default() += 1;
    }
    under_way
}

#[test]
fn many_workspaces_that_wait_get_little_each_so_that_an_address_needs_few_connections() {
    let mut world = World::new(100, ADDRESSES);
    let mut served = 0;
    while let Some((_, taken)) = world.claim() {
        served += 1;
        assert!(taken.values().all(|taken| *taken <= NARROW));
    }
    assert!(served >= 15, "{served} workspaces are at work at once");
    let started = world.start();
    let under_way = by_address(&started);
    assert!(under_way.len() >= 120, "over {} addresses", under_way.len());
    assert!(under_way.values().all(|under_way| *under_way <= FIRST), "{:?}", under_way.values().max());
}

#[test]
fn addresses_that_only_wait_for_slow_answers_take_no_part_of_the_slots() {
    let mut world = World::new(10, ADDRESSES);
    while world.claim().is_some() {}
    let hanging = world.start();
    for (workspace, leased) in &hanging {
        world.scheduler.slow_down(*workspace, leased.address);
    }
    world.scheduler.expire(a_moment() + 3.seconds());
    assert_eq!(world.scheduler.busy, 0);
    world.scheduler.wake(Uuid::from_u128(99).into());
    world.claim_for(99);
    assert_eq!(world.start().len(), ADDRESSES * FIRST);
}

#[test]
fn only_an_address_that_waited_too_long_may_have_more_due() {
    let mut world = World::new(1, 0);
    for (addresses, start_by) in [(0..50, 2.seconds()), (50..100, 9.seconds())] {
        let workspace = Uuid::from_u128(1).into();
        world.scheduler.wake(workspace);
        world.scheduler.next_claim().unwrap();
        let due = addresses.map(|number: u128| delivery_to(Uuid::from_u128(number).into(), number));
        world.scheduler.claimed(workspace, due.collect(), Vec::new(), a_moment(), a_moment() + start_by);
    }
    world.scheduler.expire(a_moment() + 3.seconds());
    let limiters = world.scheduler.queues.values().flat_map(|queue| &queue.limiters);
    let more: Vec<bool> =
        limiters.map(|(address, limiter)| (address.uuid().as_u128() < 50) == limiter.more).collect();
    assert_eq!(more, [true; 100]);
}

#[test]
fn a_workspace_that_is_alone_gives_each_of_its_addresses_what_it_may_have() {
    let mut world = World::new(1, ADDRESSES);
    let (_, taken) = world.claim().unwrap();
    assert_eq!(taken.len(), ADDRESSES);
    assert!(taken.values().all(|taken| *taken == NARROW));
    assert_eq!(world.start().len(), ADDRESSES * FIRST);
    world.scheduler.wake(Uuid::from_u128(1).into());
    let more: usize = std::iter::from_fn(|| world.claim()).map(|(_, taken)| taken.len()).sum();
    assert_eq!(more, 0, "its addresses are full");
}

#[test]
fn an_address_stands_in_line_for_slots_once_however_many_of_its_attempts_end() {
    let mut world = World::new(1, 1);
    world.claim().unwrap();
    let started = world.start();
    assert_eq!(started.len(), FIRST);
    world.answer(&started);
    assert_eq!(world.scheduler.ready.len(), 1);
    assert_eq!(world.start().len(), FIRST);
}
