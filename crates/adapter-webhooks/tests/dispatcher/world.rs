//! A queue in memory, receivers that answer by script, and a dispatcher between them.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard},
    time::Duration,
};

use adapter_webhooks::{Dispatcher, DispatcherConfig, DispatcherWake};
use async_trait::async_trait;
use domain::{
    clock::Clock,
    errors::StoreError,
    events::EventType,
    ids::{DeliveryId, WebhookAddressId, WorkspaceId},
    testing::ManualClock,
    vault::{MockVault, Vault},
    webhooks::{
        DeliverDue, Failure, NextStep,
        ports::{
            AttemptRecord, Attempted, ClaimLimits, DeliveryQueue, DeliverySender, DueDelivery, DueWorkspace,
            Leased, NotMade, Taken,
        },
    },
};
use time::{OffsetDateTime, macros::datetime};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

pub(crate) const START: OffsetDateTime = datetime!(2026-11-21 10:00 UTC);

pub(crate) fn workspace(number: u128) -> WorkspaceId {
    Uuid::from_u128(number).into()
}

pub(crate) fn address(number: u128) -> WebhookAddressId {
    Uuid::from_u128(number).into()
}

/// A dispatcher at work, and all that it sees.
pub(crate) struct World {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) queue: Arc<MemoryQueue>,
    pub(crate) receivers: Arc<Receivers>,
    pub(crate) wake: DispatcherWake,
    shutdown: CancellationToken,
    running: JoinHandle<()>,
}

impl World {
    /// A dispatcher over `queue` that has just been started.
    pub(crate) fn start(queue: MemoryQueue, config: DispatcherConfig) -> Self {
        let clock = Arc::new(ManualClock::at(START));
        let (queue, receivers) = (Arc::new(queue), Arc::new(Receivers::new(Arc::clone(&clock))));
        let deliver = DeliverDue {
            queue: Arc::clone(&queue) as _,
            sender: Arc::clone(&receivers) as _,
            clock: Arc::clone(&clock) as _,
            vault: without_jitter(),
        };
        let dispatcher = Dispatcher::new(deliver, config);
        let wake = dispatcher.handle();
        let shutdown = CancellationToken::new();
        let running = tokio::spawn(dispatcher.run(shutdown.clone()));
        Self { clock, queue, receivers, wake, shutdown, running }
    }

    /// Lets everything run that can run without time going by.
    pub(crate) async fn settle(&self) {
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
    }

    /// Lets `duration` go by, a second at a time.
    pub(crate) async fn pass(&self, duration: Duration) {
        self.settle().await;
        for _ in 0..duration.as_secs() {
            self.clock.advance(Duration::from_secs(1));
            self.settle().await;
        }
    }

    /// Asks the dispatcher to stop.
    pub(crate) fn stop(&self) {
        self.shutdown.cancel();
    }

    pub(crate) fn has_stopped(&self) -> bool {
        self.running.is_finished()
    }
}

/// A vault whose dice always show zero: no jitter.
fn without_jitter() -> Arc<dyn Vault> {
    let mut vault = MockVault::new();
    vault.expect_random().return_const([0; 32]);
    Arc::new(vault)
}

/// A delivery as the queue keeps it.
struct Row {
    workspace: WorkspaceId,
    address: WebhookAddressId,
    attempts: u32,
    due_at: Option<OffsetDateTime>,
    leased_until: Option<OffsetDateTime>,
}

/// Deliveries with their due times and leases, and what was recorded.
#[derive(Default)]
pub(crate) struct MemoryQueue(Mutex<Kept>);

#[derive(Default)]
pub(crate) struct Kept {
    rows: BTreeMap<DeliveryId, Row>,
    /// Recorded batches, in order.
    pub(crate) recorded: Vec<(WorkspaceId, Vec<AttemptRecord>)>,
    /// Workspaces with something to claim, claim by claim.
    pub(crate) claims: Vec<WorkspaceId>,
    /// Number of claims, those in vain included.
    pub(crate) claimed: usize,
    /// Number of calls while it was out of reach.
    pub(crate) calls_in_vain: usize,
    /// Whether it can be reached.
    pub(crate) is_down: bool,
    /// A delivery whose result it refuses.
    pub(crate) poisoned: Option<DeliveryId>,
}

impl MemoryQueue {
    /// Enqueues `count` deliveries to `address`, due at once; returns their ids.
    pub(crate) fn enqueue(
        &self,
        workspace: WorkspaceId,
        address: WebhookAddressId,
        count: usize,
    ) -> Vec<DeliveryId> {
        let mut kept = self.kept();
        (0..count)
            .map(|_| {
                let id = DeliveryId::from(Uuid::from_u128(kept.rows.len() as u128));
                kept.rows.insert(
                    id,
                    Row { workspace, address, attempts: 0, due_at: Some(START), leased_until: None },
                );
                id
            })
            .collect()
    }

    pub(crate) fn kept(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap()
    }

    /// Returns all records, batches aside.
    pub(crate) fn records(&self) -> Vec<AttemptRecord> {
        self.kept().recorded.iter().flat_map(|(_, batch)| batch.clone()).collect()
    }

    fn reach(&self) -> Result<MutexGuard<'_, Kept>, StoreError> {
        let mut kept = self.kept();
        if kept.is_down {
            kept.calls_in_vain += 1;
            return Err(StoreError::Unavailable("it is down".to_owned()));
        }
        Ok(kept)
    }
}

#[async_trait]
impl DeliveryQueue for MemoryQueue {
    async fn due_workspaces(&self, now: OffsetDateTime) -> Result<Vec<DueWorkspace>, StoreError> {
        let kept = self.reach()?;
        let due = kept.rows.values().filter(|row| row.due_at.is_some_and(|at| at <= now));
        let workspaces: BTreeSet<WorkspaceId> = due.map(|row| row.workspace).collect();
        let due = |workspace| DueWorkspace { workspace, due_since: Some(now), has_stranded: false };
        Ok(workspaces.into_iter().map(due).collect())
    }

    async fn claim(
        &self,
        workspace: WorkspaceId,
        now: OffsetDateTime,
        lease_until: OffsetDateTime,
        limits: &ClaimLimits,
    ) -> Result<Taken, StoreError> {
        // A real store is not there at once either.
        tokio::task::yield_now().await;
        let mut kept = self.reach()?;
        kept.claimed += 1;
        let mut rooms: BTreeMap<WebhookAddressId, u32> = limits.rooms.iter().copied().collect();
        let due = kept.rows.iter_mut().filter(|(_, row)| row.workspace == workspace);
        let mut due: Vec<_> = due
            .filter(|(_, row)| row.due_at.is_some_and(|at| at <= now))
            .filter(|(_, row)| row.leased_until.is_none_or(|until| until <= now))
            .collect();
        due.sort_by_key(|(id, row)| (row.due_at, **id));
        let mut claimed = Vec::new();
        for (id, row) in due {
            let room = rooms.entry(row.address).or_insert(limits.room_elsewhere);
            if *room == 0 || claimed.len() == limits.limit as usize {
                continue;
            }
            *room -= 1;
            row.leased_until = Some(lease_until);
            claimed.push(DueDelivery {
                leased: Leased {
                    id: *id,
                    address: row.address,
                    created_at: START,
                    attempt: row.attempts + 1,
                    until: lease_until,
                    once: false,
                },
                url: "https://example.com/".to_owned(),
                secret: "whsec_0".to_owned().into(),
                previous_secret: None,
                standard_headers: false,
                event: EventType::Ping,
                body: Vec::new(),
                trace_parent: None,
            });
        }
        if !claimed.is_empty() {
            kept.claims.push(workspace);
        }
        Ok(Taken { due: claimed, unreadable: Vec::new() })
    }

    async fn record(&self, workspace: WorkspaceId, attempts: &[AttemptRecord]) -> Result<u32, StoreError> {
        tokio::task::yield_now().await;
        let mut kept = self.reach()?;
        if attempts.iter().any(|record| kept.poisoned == Some(record.leased.id)) {
            return Err(StoreError::Internal("a bad row".to_owned()));
        }
        for record in attempts {
            let row = kept.rows.get_mut(&record.leased.id).unwrap();
            assert_eq!(row.workspace, workspace);
            assert_eq!(row.leased_until, Some(record.leased.until), "a lease was lost");
            row.attempts = record.leased.attempt;
            row.leased_until = None;
            row.due_at = match record.next_step {
                NextStep::RetryAt(at) => Some(at),
                NextStep::Delivered | NextStep::Failed => None,
            };
        }
        kept.recorded.push((workspace, attempts.to_vec()));
        Ok(0)
    }

    async fn release(&self, _: WorkspaceId, leased: &[Leased]) -> Result<(), StoreError> {
        let mut kept = self.reach()?;
        for leased in leased {
            let row = kept.rows.get_mut(&leased.id).unwrap();
            assert_eq!(row.leased_until, Some(leased.until), "a lease was lost");
            row.leased_until = None;
        }
        Ok(())
    }

    async fn hold(&self, _: WorkspaceId, _: OffsetDateTime, _: u32) -> Result<u32, StoreError> {
        Ok(0)
    }

    async fn depth(&self) -> Result<u64, StoreError> {
        Ok(self.reach()?.rows.len() as u64)
    }
}

/// Receivers by address; 200 where no answer is set.
pub(crate) struct Receivers {
    clock: Arc<ManualClock>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    answers: BTreeMap<WebhookAddressId, Answer>,
    calls: Vec<(OffsetDateTime, DeliveryId)>,
    under_way: usize,
    most_under_way: usize,
}

/// How a receiver answers.
#[derive(Clone, Copy)]
pub(crate) enum Answer {
    Status(u16),
    /// Does not answer within the ten seconds.
    Hangs,
    /// Answers 200 after this number of seconds.
    After(u64),
    /// This machine cannot call it.
    NotAsked,
}

impl Receivers {
    fn new(clock: Arc<ManualClock>) -> Self {
        Self { clock, seen: Mutex::default() }
    }

    pub(crate) fn answer(&self, address: WebhookAddressId, answer: Answer) {
        self.seen.lock().unwrap().answers.insert(address, answer);
    }

    /// Lists the attempts, in order, with their times.
    pub(crate) fn calls(&self) -> Vec<(OffsetDateTime, DeliveryId)> {
        self.seen.lock().unwrap().calls.clone()
    }

    pub(crate) fn most_under_way(&self) -> usize {
        self.seen.lock().unwrap().most_under_way
    }
}

#[async_trait]
impl DeliverySender for Receivers {
    async fn attempt(&self, delivery: &DueDelivery) -> Result<Attempted, NotMade> {
        let answer = {
            let mut seen = self.seen.lock().unwrap();
            seen.calls.push((self.clock.now(), delivery.leased.id));
            seen.under_way += 1;
            seen.most_under_way = seen.most_under_way.max(seen.under_way);
            seen.answers.get(&delivery.leased.address).copied()
        };
        tokio::task::yield_now().await;
        let outcome = match answer.unwrap_or(Answer::Status(200)) {
            Answer::Status(status @ 200..300) => Ok(status),
            Answer::Status(status) => Err(Failure::Status { status, retry_after: None }),
            Answer::Hangs => {
                self.clock.sleep(Duration::from_secs(10)).await;
                Err(Failure::Timeout)
            }
            Answer::After(seconds) => {
                self.clock.sleep(Duration::from_secs(seconds)).await;
                Ok(200)
            }
            Answer::NotAsked => {
                self.seen.lock().unwrap().under_way -= 1;
                return Err(NotMade("no files".to_owned()));
            }
        };
        self.seen.lock().unwrap().under_way -= 1;
        Ok(outcome.into())
    }
}
