//! Keeps attempts under way for whatever is due.
//!
//! - Workspaces take turns: a claim is a batch of one of them, then comes the next (`turns`).
//! - Each claimed delivery is a task that waits for room at its address, then for one of the slots. An address
//!   holds a quarter of the slots at most, so one that hangs leaves the others theirs.
//! - Results go to the `recorder`. Until its result is written a delivery counts as in hand; hands are bounded,
//!   for a workspace and in all, so a slow store slows the claims instead of filling the memory.
//! - A wake is only a hint. A scan finds what was missed, what came due since, and what a lost lease left behind.
//! - A call of the store is never dropped half-way, which could leave a transaction open.

mod attempt;
mod outage;
mod recorder;
mod turns;

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Weak},
    time::Duration,
};

use domain::{errors::StoreError, ids::WebhookAddressId, webhooks::DeliverDue};
use tokio::sync::{Semaphore, mpsc};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    attempt::Attempts,
    outage::Outage,
    recorder::{Ended, Recorder},
    turns::Turns,
};

pub use self::turns::DispatcherWake;

/// How often what is past its time is dropped from the log.
const FORGET_EVERY: Duration = Duration::from_hours(1);
/// Batches and slots that may be in hand in all; one workspace may have one of each.
const HANDS: usize = 4;
/// Addresses that it takes to fill all slots.
const ADDRESSES_TO_FILL: usize = 4;

/// How much is done at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DispatcherConfig {
    /// Deliveries claimed at a time.
    pub batch: u32,
    /// Attempts under way at once, in all; an address has a quarter of them.
    pub in_flight: usize,
    /// How often the store is asked which workspaces have deliveries due.
    pub scan_every: Duration,
}

impl Default for DispatcherConfig {
    fn default() -> Self {
        Self { batch: 32, in_flight: 64, scan_every: Duration::from_secs(5) }
    }
}

/// Delivers until it is told to stop. Any number of them, on any number of nodes, share the work.
pub struct Dispatcher {
    deliver: Arc<DeliverDue>,
    config: DispatcherConfig,
    turns: Arc<Turns>,
}

impl Dispatcher {
    /// A dispatcher at rest, on the clock of `deliver`. Zeros in `config` count as one.
    pub fn new(deliver: DeliverDue, config: DispatcherConfig) -> Self {
        let config =
            DispatcherConfig { batch: config.batch.max(1), in_flight: config.in_flight.max(1), ..config };
        Self { deliver: Arc::new(deliver), config, turns: Turns::new(config.in_flight) }
    }

    /// Wakes this dispatcher, also before it runs.
    pub fn handle(&self) -> DispatcherWake {
        DispatcherWake(Arc::clone(&self.turns))
    }

    /// Runs until `shutdown`; then starts nothing more, waits for the attempts under way (10 s at most, by their
    /// own limit), records them, and returns. What was claimed and not started is due again when its lease ends.
    pub async fn run(self, shutdown: CancellationToken) {
        describe_metrics();
        let (results, ended) = mpsc::unbounded_channel();
        let recorder = Recorder {
            deliver: Arc::clone(&self.deliver),
            shutdown: shutdown.clone(),
            outage: Outage::new("recording webhook attempts"),
        };
        // Not waited for at the end: it may be long, and loses nothing when the process ends under it.
        tokio::spawn(keep_log_short(Arc::clone(&self.deliver), shutdown.clone()));
        let deliver = async {
            tokio::join!(self.claim(results, &shutdown), self.scan(&shutdown));
        };
        tokio::join!(deliver, recorder.run(ended));
    }

    /// Claims for one workspace after the other. Ends when the tasks of all deliveries have; their ends of
    /// `results` are gone then.
    async fn claim(&self, results: mpsc::UnboundedSender<Ended>, shutdown: &CancellationToken) {
        let tasks = TaskTracker::new();
        let attempts = Arc::new(Attempts {
            deliver: Arc::clone(&self.deliver),
            slots: Semaphore::new(self.config.in_flight),
            shutdown: shutdown.clone(),
            results,
        });
        let batch = usize::try_from(self.config.batch).unwrap_or(Semaphore::MAX_PERMITS);
        let room = batch.saturating_add(self.config.in_flight).saturating_mul(HANDS);
        let hands = Arc::new(Semaphore::new(room.min(Semaphore::MAX_PERMITS)));
        let mut lanes =
            Lanes { width: (self.config.in_flight / ADDRESSES_TO_FILL).max(1), open: HashMap::new() };
        let mut outage = Outage::new("claiming webhook deliveries");
        let mut refused = HashSet::new();
        let next = || async {
            let hands = Arc::clone(&hands).acquire_many_owned(self.config.batch).await.ok()?;
            Some((self.turns.next().await, hands))
        };
        while let Some(Some((workspace, mut hands))) = shutdown.run_until_cancelled(next()).await {
            let claimed_at = self.deliver.clock.now();
            let due = match self.deliver.claim(workspace, self.config.batch).await {
                Ok(due) => due,
                // A workspace whose own rows are at fault waits for the next scan and holds up no other.
                Err(error @ StoreError::Internal(_)) => {
                    if refused.insert(workspace) {
                        tracing::error!(%error, workspace_id = %workspace, "its webhook deliveries cannot be claimed");
                    }
                    continue;
                }
                Err(error) => {
                    let pause = outage.failed(&error);
                    self.turns.put(workspace);
                    shutdown.run_until_cancelled(self.deliver.clock.sleep(pause)).await;
                    continue;
                }
            };
            outage.over();
            refused.remove(&workspace);
            if due.len() >= batch {
                self.turns.put(workspace);
            }
            for delivery in due {
                let in_hand = self.turns.take_in_hand(workspace, hands.split(1));
                let lane = lanes.of(delivery.address);
                tasks.spawn(Arc::clone(&attempts).make(delivery, claimed_at, lane, in_hand));
            }
        }
        tasks.close();
        tasks.wait().await;
    }

    /// Puts every workspace with deliveries due in line, again and again.
    async fn scan(&self, shutdown: &CancellationToken) {
        let mut outage = Outage::new("looking for due webhook deliveries");
        while !shutdown.is_cancelled() {
            let pause = match self.deliver.workspaces().await {
                Ok(due) => {
                    outage.over();
                    for workspace in due {
                        self.turns.put(workspace);
                    }
                    self.config.scan_every
                }
                Err(error) => outage.failed(&error).max(self.config.scan_every),
            };
            shutdown.run_until_cancelled(self.deliver.clock.sleep(pause)).await;
        }
    }
}

/// The lanes of the addresses that have deliveries in hand: how many attempts each may have under way.
struct Lanes {
    width: usize,
    open: HashMap<WebhookAddressId, Weak<Semaphore>>,
}

impl Lanes {
    fn of(&mut self, address: WebhookAddressId) -> Arc<Semaphore> {
        if let Some(lane) = self.open.get(&address).and_then(Weak::upgrade) {
            return lane;
        }
        self.open.retain(|_, lane| lane.strong_count() > 0);
        let lane = Arc::new(Semaphore::new(self.width));
        self.open.insert(address, Arc::downgrade(&lane));
        lane
    }
}

async fn keep_log_short(deliver: Arc<DeliverDue>, shutdown: CancellationToken) {
    let mut outage = Outage::new("dropping old webhook deliveries");
    while !shutdown.is_cancelled() {
        match deliver.forget_old().await {
            Ok(forgotten) => {
                outage.over();
                tracing::debug!(forgotten, "old webhook deliveries dropped");
            }
            Err(error) => {
                outage.failed(&error);
            }
        }
        shutdown.run_until_cancelled(deliver.clock.sleep(FORGET_EVERY)).await;
    }
}

fn describe_metrics() {
    metrics::describe_counter!(
        "webhook_attempts_total",
        "Attempts at webhook deliveries by outcome: delivered, status, timeout, call."
    );
    metrics::describe_histogram!(
        "webhook_attempt_seconds",
        metrics::Unit::Seconds,
        "How long attempts at webhook deliveries took."
    );
    metrics::describe_gauge!("webhook_deliveries_in_flight", "Attempts at webhook deliveries under way.");
}
