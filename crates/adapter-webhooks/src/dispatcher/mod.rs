//! Dispatcher of due deliveries.
//!
//! - The `Scheduler` decides whose turn it is: which workspace is claimed for, with how much room for each of
//!   its addresses, and which delivery starts next. It is plain state; everything here acts on its decisions.
//! - An `AddressLimiter` is one address. One that answers gets wide and deep, one that hangs stays narrow.
//! - A wake is only a hint. The `net` finds missed wakes, what came due since, and what a lost lease left
//!   behind.
//! - Claims, attempts and records are tasks that report back; no two claims and no two records of one
//!   workspace are under way at once. Until its result is written a delivery counts as in hand; their number
//!   is bounded, so a slow store slows the claims instead of filling the memory.
//! - A delivery that this machine lacks files for is given back uncounted, and nothing is started for a
//!   moment.
//! - A call of the store is never dropped half-way, which could leave a transaction open.

mod address_limiter;
mod attempt;
mod counters;
mod net;
mod outage;
mod record;
mod scheduler;
mod shortage;
mod wake;
mod workspace_queue;

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use domain::{
    errors::StoreError,
    ids::{DeliveryId, WebhookAddressId, WorkspaceId},
    webhooks::{
        Claimed, DeliverDue,
        ports::{AttemptRecord, ClaimLimits, Leased, NotMade},
    },
};
use time::OffsetDateTime;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::{
    address_limiter::Pace,
    outage::Outage,
    record::Recorder,
    scheduler::{Limits, Scheduler},
    shortage::Shortage,
};

pub use self::{counters::count_from_zero, wake::DispatcherWake};

/// Claims under way at once, each of another workspace.
const CLAIMS: usize = 2;
/// Records under way at once, each of another workspace.
const RECORDS: usize = 3;
/// Most reports handled together.
const NEWS: usize = 512;
/// Interval between checks for deliveries that have waited too long.
const EXPIRE_EVERY: Duration = Duration::from_secs(1);

/// Bounds of a dispatcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DispatcherConfig {
    /// Most deliveries of one claim.
    pub batch: usize,
    /// Attempts under way at once, slow ones not counted.
    pub in_flight: usize,
    /// Slow attempts under way at once.
    pub stalled: usize,
    /// Deliveries in memory at once, between their claim and their record; half of it for one workspace.
    pub in_hand: usize,
    /// Interval between scans of the store for workspaces with due deliveries.
    pub scan_every: Duration,
}

impl Default for DispatcherConfig {
    fn default() -> Self {
        Self { batch: 500, in_flight: 256, stalled: 512, in_hand: 2_048, scan_every: Duration::from_secs(5) }
    }
}

/// Worker that delivers until it is told to stop. Any number, on any number of nodes, share the work.
#[derive(Clone)]
pub struct Dispatcher {
    deliver: Arc<DeliverDue>,
    config: DispatcherConfig,
    wake: DispatcherWake,
}

/// Reports of tasks.
enum News {
    Claimed { workspace: WorkspaceId, claimed_at: OffsetDateTime, claimed: Result<Claimed, StoreError> },
    ClaimAgain,
    Slow { workspace: WorkspaceId, address: WebhookAddressId },
    NotMade { workspace: WorkspaceId, leased: Leased, is_fast: bool, want: NotMade },
    StartAgain,
    Ended { workspace: WorkspaceId, record: AttemptRecord, pace: Pace },
    Rested { workspace: WorkspaceId, address: WebhookAddressId },
    Recorded { workspace: WorkspaceId, written: Vec<(DeliveryId, WebhookAddressId)> },
    Expire,
}

impl Dispatcher {
    /// Makes an idle dispatcher on the clock of `deliver`. Limits below the least that works (1, and 2 in
    /// hand) are raised to it.
    pub fn new(deliver: DeliverDue, config: DispatcherConfig) -> Self {
        let config = DispatcherConfig {
            batch: config.batch.max(1),
            in_flight: config.in_flight.max(1),
            stalled: config.stalled.max(1),
            in_hand: config.in_hand.max(2),
            ..config
        };
        Self { deliver: Arc::new(deliver), config, wake: DispatcherWake::default() }
    }

    /// Returns a handle that wakes this dispatcher, also before it runs.
    pub fn handle(&self) -> DispatcherWake {
        self.wake.clone()
    }

    /// Runs until `shutdown`; then starts nothing more, gives back what was not started, waits for the
    /// attempts under way (10 s at most, by their own limit), records them, and returns.
    pub async fn run(self, shutdown: CancellationToken) {
        let look =
            net::look(Arc::clone(&self.deliver), self.wake.clone(), self.config.scan_every, shutdown.clone());
        let look = tokio::spawn(look);
        let (news, mut reports) = mpsc::unbounded_channel();
        let mut work = Work::new(self.deliver, self.config, shutdown.clone(), news);
        let mut batch = Vec::with_capacity(NEWS);
        let mut stopping = false;
        loop {
            for workspace in self.wake.take() {
                work.scheduler.wake(workspace);
            }
            if !stopping {
                work.begin();
            }
            work.give_back();
            work.record();
            if stopping && work.is_idle() {
                break;
            }
            tokio::select! {
                _ = reports.recv_many(&mut batch, NEWS) => {}
                () = self.wake.woken(), if !stopping => {}
                () = shutdown.cancelled(), if !stopping => {
                    stopping = true;
                    work.scheduler.clear();
                }
            }
            for news in batch.drain(..) {
                work.take(news, stopping);
            }
        }
        work.tasks.close();
        work.tasks.wait().await;
        // Fails only after a panic, which its own task has reported.
        let _ = look.await;
    }
}

/// State of a running dispatcher.
struct Work {
    scheduler: Scheduler,
    deliver: Arc<DeliverDue>,
    recorder: Arc<Recorder>,
    news: UnboundedSender<News>,
    tasks: TaskTracker,
    claims: usize,
    records: usize,
    /// Whether claiming pauses because the store is out of reach.
    resting: bool,
    expiring: bool,
    outage: Outage,
    shortage: Shortage,
    refused: HashSet<WorkspaceId>,
}

impl Work {
    fn new(
        deliver: Arc<DeliverDue>,
        config: DispatcherConfig,
        shutdown: CancellationToken,
        news: UnboundedSender<News>,
    ) -> Self {
        let limits = Limits {
            batch: config.batch,
            slots: config.in_flight,
            stalled: config.stalled,
            in_hand: config.in_hand,
        };
        let outage = Mutex::new(Outage::new("recording webhook attempts"));
        Self {
            scheduler: Scheduler::new(limits),
            recorder: Arc::new(Recorder { deliver: Arc::clone(&deliver), shutdown, outage }),
            deliver,
            news,
            tasks: TaskTracker::new(),
            claims: 0,
            records: 0,
            resting: false,
            expiring: false,
            outage: Outage::new("claiming webhook deliveries"),
            shortage: Shortage::default(),
            refused: HashSet::new(),
        }
    }

    /// Starts the attempts and claims that may start.
    fn begin(&mut self) {
        if self.shortage.is_on {
            return;
        }
        let now = self.deliver.clock.now();
        while let Some((workspace, delivery)) = self.scheduler.next_start(now) {
            let (deliver, news) = (Arc::clone(&self.deliver), self.news.clone());
            self.tasks.spawn(attempt::make(deliver, workspace, delivery, news));
        }
        while !self.resting && self.claims < CLAIMS {
            let Some((workspace, limits)) = self.scheduler.next_claim() else { break };
            self.claims += 1;
            self.claim(workspace, limits);
        }
        if !self.expiring && self.scheduler.in_hand() > 0 {
            self.expiring = true;
            self.later(EXPIRE_EVERY, News::Expire);
        }
    }

    /// Sets the gauges.
    fn tell(&self) {
        #[expect(clippy::cast_precision_loss, reason = "gauges are floats; these are thousands at most")]
        let float = |count: usize| count as f64;
        metrics::gauge!("messaging_webhook_deliveries_in_flight").set(float(self.scheduler.under_way()));
        metrics::gauge!("messaging_webhook_addresses_busy").set(float(self.scheduler.addresses()));
    }

    fn claim(&self, workspace: WorkspaceId, limits: ClaimLimits) {
        let (deliver, news) = (Arc::clone(&self.deliver), self.news.clone());
        self.tasks.spawn(async move {
            let claimed_at = deliver.clock.now();
            let claimed = deliver.claim(workspace, &limits).await;
            let _ = news.send(News::Claimed { workspace, claimed_at, claimed });
        });
    }

    /// Writes results that are ready.
    fn record(&mut self) {
        let now = self.deliver.clock.now();
        while self.records < RECORDS {
            let Some((workspace, records)) = self.scheduler.next_results(now) else { break };
            self.records += 1;
            let (recorder, news) = (Arc::clone(&self.recorder), self.news.clone());
            self.tasks.spawn(async move {
                recorder.record(workspace, &records).await;
                let place = |record: &AttemptRecord| (record.leased.id, record.leased.address);
                let _ = news.send(News::Recorded { workspace, written: records.iter().map(place).collect() });
            });
        }
    }

    /// Gives back deliveries that were not started in time.
    fn give_back(&mut self) {
        for (workspace, leased) in self.scheduler.take_late() {
            self.release(workspace, leased);
        }
    }

    fn release(&self, workspace: WorkspaceId, leased: Vec<Leased>) {
        let deliver = Arc::clone(&self.deliver);
        self.tasks.spawn(async move {
            if let Err(error) = deliver.release(workspace, &leased).await {
                tracing::debug!(%error, workspace_id = %workspace, "not given back; due again when the leases end");
            }
        });
    }

    fn take(&mut self, news: News, stopping: bool) {
        match news {
            News::Claimed { workspace, claimed_at, claimed } => {
                self.claims -= 1;
                self.claimed(workspace, claimed_at, claimed, stopping);
            }
            News::ClaimAgain => self.resting = false,
            News::Slow { workspace, address } => self.scheduler.slow_down(workspace, address),
            News::NotMade { workspace, leased, is_fast, want } => {
                self.scheduler.not_made(workspace, leased, is_fast);
                if self.shortage.met(&want, self.deliver.clock.now()) {
                    self.later(shortage::PAUSE, News::StartAgain);
                }
            }
            News::StartAgain => self.shortage.is_on = false,
            News::Ended { workspace, record, pace } => {
                let address = record.leased.address;
                let rest = self.scheduler.ended(workspace, record, pace, self.deliver.clock.now());
                if let Some(rest) = rest {
                    self.later(rest, News::Rested { workspace, address });
                }
            }
            News::Rested { workspace, address } => self.scheduler.rested(workspace, address),
            News::Recorded { workspace, written } => {
                self.records -= 1;
                self.scheduler.recorded(workspace, &written);
            }
            News::Expire => {
                self.expiring = false;
                self.scheduler.expire(self.deliver.clock.now());
                self.tell();
            }
        }
    }

    fn claimed(
        &mut self,
        workspace: WorkspaceId,
        claimed_at: OffsetDateTime,
        claimed: Result<Claimed, StoreError>,
        stopping: bool,
    ) {
        match claimed {
            Ok(claimed) => {
                self.outage.over();
                self.refused.remove(&workspace);
                let start_by = claimed.start_by.unwrap_or(claimed_at);
                let Claimed { due, unreadable, .. } = claimed;
                let doubled = self.scheduler.claimed(workspace, due, unreadable, claimed_at, start_by);
                if doubled > 0 {
                    tracing::warn!(workspace_id = %workspace, doubled, "leases were lost while their deliveries were under way");
                }
                if stopping {
                    self.scheduler.clear();
                }
            }
            // A workspace whose own rows are at fault waits for the next scan and holds up no other.
            Err(error @ StoreError::Internal(_)) => {
                if self.refused.insert(workspace) {
                    tracing::error!(%error, workspace_id = %workspace, "its webhook deliveries cannot be claimed");
                }
                self.scheduler.not_claimed(workspace, false);
            }
            Err(error) => {
                self.scheduler.not_claimed(workspace, true);
                if !self.resting {
                    self.resting = true;
                    let pause = self.outage.failed(&error);
                    self.later(pause, News::ClaimAgain);
                }
            }
        }
    }

    /// Sends `news` after `pause`, or at once when stopping.
    fn later(&self, pause: Duration, news: News) {
        let (deliver, sender) = (Arc::clone(&self.deliver), self.news.clone());
        let shutdown = self.recorder.shutdown.clone();
        self.tasks.spawn(async move {
            shutdown.run_until_cancelled(deliver.clock.sleep(pause)).await;
            let _ = sender.send(news);
        });
    }

    fn is_idle(&self) -> bool {
        self.claims == 0 && self.records == 0 && self.scheduler.in_hand() == 0
    }
}
