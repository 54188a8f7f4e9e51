//! Handles journaled updates: woken by the process that journaled them, with a scan behind it.

mod queues;

use std::{
    collections::{BTreeMap, HashSet},
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use adapter_postgres::{Holding, PgInbound, PgNotifyChannel};
use domain::{
    channels::{AccountStanding, StandingState},
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    inbound::{HandedOver, HandleUpdates, HeldUpdate, OrderKey, Round, Unhandled},
};
use futures_util::FutureExt;
use tokio::{sync::Notify, task::JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use self::queues::{StartedWork, TakenUp, Work, WorkspaceQueues};
use super::warn_of_validity;

/// Interval between scans of the journal for updates nobody was woken for, and those that dead nodes have
/// left.
const SCAN_EVERY: Duration = Duration::from_secs(1);
/// Pause before the session that holds claimed updates is opened again.
const HOLD_AGAIN: Duration = Duration::from_millis(500);
/// Pieces of work done at once.
const AT_ONCE: usize = 8;

/// Handle that wakes the worker and hands updates over to it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct UpdatesWake(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Whether a worker has begun: without one nothing may be handed over.
    works: AtomicBool,
    queues: Mutex<WorkspaceQueues>,
    changed: Notify,
}

impl UpdatesWake {
    /// Returns whether this many more updates of a workspace may be handed over.
    pub fn takes_up(&self, workspace: WorkspaceId, updates: usize) -> bool {
        self.0.works.load(Ordering::Relaxed) && self.queues().has_room_for(workspace, updates)
    }

    /// Hands over updates that were journaled as claimed. Never blocks.
    pub fn hand_over(&self, workspace: WorkspaceId, updates: HandedOver) {
        self.change(|queues| queues.hand_over(workspace, updates));
    }

    /// Has a workspace's journal looked at, where updates were left to whoever holds it. Never blocks; many
    /// calls for one workspace count once. Returns whether another node is to be told of them.
    pub fn posted(&self, workspace: WorkspaceId) -> bool {
        if !self.0.works.load(Ordering::Relaxed) {
            return true;
        }
        let elsewhere = self.queues().posted(workspace);
        self.0.changed.notify_one();
        elsewhere
    }

    /// Has a workspace's journal looked at after another node told of updates, unless another process is
    /// known to hold it. Never blocks.
    pub fn heard(&self, workspace: WorkspaceId) {
        self.change(|queues| queues.heard(workspace));
    }

    fn change<T>(&self, change: impl FnOnce(&mut WorkspaceQueues) -> T) -> T {
        let changed = change(&mut self.queues());
        self.0.changed.notify_one();
        changed
    }

    fn queues(&self) -> MutexGuard<'_, WorkspaceQueues> {
        self.0.queues.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Worker on the journal: several workspaces at once, and of one workspace the updates that need no order
/// between them.
#[derive(Clone)]
pub struct UpdatesWorker {
    pub handle: Arc<HandleUpdates>,
    pub clock: Arc<dyn Clock>,
    pub wake: UpdatesWake,
    /// Holds this process's number, by which others know that it is alive.
    pub inbound: Arc<PgInbound>,
    /// Tells other nodes of updates in journals that they hold.
    pub notify_channel: Arc<PgNotifyChannel>,
}

impl UpdatesWorker {
    /// Works until `shutdown`, then finishes what is in hand.
    pub async fn run(self, shutdown: CancellationToken) {
        while !shutdown.is_cancelled() {
            match self.inbound.hold_updates().await {
                Ok(holding) => self.work(holding, &shutdown).await,
                Err(error) => warn!(%error, "updates cannot be taken up"),
            }
            shutdown.run_until_cancelled(self.clock.sleep(HOLD_AGAIN)).await;
        }
    }

    /// Works while this process is known to be alive. When that ends, others may claim what it has in hand:
    /// it drops all of it, and claims what is left under a new number, once all its work has ended.
    async fn work(&self, mut holding: Holding, shutdown: &CancellationToken) {
        self.wake.change(|queues| queues.begin_holding(holding.number()));
        let mut tasks = JoinSet::new();
        let mut scanning = pin!(self.scan());
        let mut lost = pin!(holding.lost());
        let mut is_lost = false;
        while !shutdown.is_cancelled() && !is_lost {
            self.begin(&mut tasks, true);
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = self.wake.0.changed.notified() => {}
                Some(_) = tasks.join_next() => {}
                () = &mut scanning => {}
                () = &mut lost => is_lost = true,
            }
        }
        self.wake.0.works.store(false, Ordering::Relaxed);
        if is_lost {
            warn!("the session is lost that holds what is taken up; it is taken up anew");
            self.wake.change(WorkspaceQueues::drop_all);
        }
        loop {
            self.begin(&mut tasks, false);
            tokio::select! {
                ended = tasks.join_next() => if ended.is_none() { break },
                () = &mut lost, if !is_lost => {
                    is_lost = true;
                    self.wake.change(WorkspaceQueues::drop_all);
                }
            }
        }
        self.wake.change(WorkspaceQueues::drop_all);
    }

    /// Scans the journal again and again. Nothing is handed over before the first scan: it would overtake
    /// what lies in the journal.
    async fn scan(&self) {
        loop {
            match self.handle.workspaces().await {
                Ok(found) => {
                    self.wake.change(|queues| queues.looked_through(found));
                    self.wake.0.works.store(true, Ordering::Relaxed);
                }
                Err(error) => warn!(%error, "the journal could not be looked through"),
            }
            self.clock.sleep(SCAN_EVERY).await;
        }
    }

    fn begin(&self, tasks: &mut JoinSet<()>, with_journal: bool) {
        while tasks.len() < AT_ONCE {
            let Some((begun, work)) = self.wake.queues().begin(with_journal) else { return };
            let turn = Turn { begun, done: false, wake: self.wake.clone() };
            let around = Around {
                handle: Arc::clone(&self.handle),
                clock: Arc::clone(&self.clock),
                notify_channel: Arc::clone(&self.notify_channel),
            };
            tasks.spawn(turn.work_off(around, work));
        }
    }
}

/// A piece of work. However it is dropped, what waits for it may begin.
struct Turn {
    begun: StartedWork,
    done: bool,
    wake: UpdatesWake,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.wake.change(|queues| queues.end(&self.begun, self.done));
    }
}

struct Around {
    handle: Arc<HandleUpdates>,
    clock: Arc<dyn Clock>,
    notify_channel: Arc<PgNotifyChannel>,
}

impl Turn {
    async fn work_off(mut self, around: Around, work: Work) {
        let workspace = self.begun.workspace;
        let worked = match work {
            Work::Handle(updates) => {
                measure(&updates, &*around.clock);
                let again = handle_all(&around.handle, workspace, updates).await;
                self.park(again, &around.clock);
                Ok(())
            }
            Work::TakeUp => self.take_up(&around).await,
            Work::LetGo => around.handle.let_go(workspace).await,
        };
        match worked {
            Ok(()) => self.done = true,
            Err(error) => warn!(%workspace, %error, "updates not taken up"),
        }
    }

    /// Claims updates from the journal. What is claimed waits behind what was claimed before; where there may
    /// be more, the journal is looked at again.
    async fn take_up(&self, around: &Around) -> Result<(), StoreError> {
        let workspace = self.begun.workspace;
        let taken = around.handle.take_up(workspace).await?;
        say(workspace, &taken.unhandled);
        if let Some(error) = taken.failed {
            warn!(%workspace, %error, "updates that cannot be handled not put back");
        }
        let taken =
            if taken.elsewhere { TakenUp::Elsewhere } else { TakenUp::Updates(taken.held, taken.more) };
        if self.wake.change(|queues| queues.add_taken_up(&self.begun, taken)) {
            around.notify_channel.tell_of_updates(workspace);
        }
        Ok(())
    }

    /// Parks updates for another try, each after its pause.
    fn park(&self, again: Vec<HeldUpdate>, clock: &Arc<dyn Clock>) {
        let mut by_pause: BTreeMap<Duration, Vec<HeldUpdate>> = BTreeMap::new();
        for held in again {
            by_pause.entry(held.pause()).or_default().push(held);
        }
        let workspace = self.begun.workspace;
        for (pause, updates) in by_pause {
            let number = self.wake.change(|queues| queues.park(&self.begun, updates));
            let (wake, clock) = (self.wake.clone(), Arc::clone(clock));
            tokio::spawn(async move {
                clock.sleep(pause).await;
                wake.change(|queues| queues.unpark(workspace, number));
            });
        }
    }
}

/// Records how long the oldest update that is handled for the first time has waited.
fn measure(updates: &[HeldUpdate], clock: &dyn Clock) {
    let first = updates.iter().filter(|update| update.failures == 0 && !update.late);
    if let Some(oldest) = first.map(|update| update.entry.received_at).min() {
        let waited = (clock.now() - oldest).as_seconds_f64();
        metrics::histogram!("messaging_network_update_wait_seconds").record(waited.max(0.0));
    }
}

/// Handles the updates; returns those that keep their places for another try.
async fn handle_all(
    handle: &HandleUpdates,
    workspace: WorkspaceId,
    updates: Vec<HeldUpdate>,
) -> Vec<HeldUpdate> {
    let (mut again, broke_off) =
        together_or_alone(updates, |updates| handle_some(handle, workspace, updates)).await;
    for update in broke_off {
        error!(%workspace, update = %update.entry.id, "handling an update broke off");
        match handle.put_back(workspace, &update, "its handling broke off").await {
            Ok(unhandled) => say(workspace, &unhandled),
            Err(error) => {
                warn!(%workspace, %error, "an update not put back");
                again.push(HeldUpdate { failures: update.failures + 1, ..update });
            }
        }
    }
    again
}

async fn handle_some(handle: &HandleUpdates, workspace: WorkspaceId, updates: Vec<HeldUpdate>) -> Round {
    let round = handle.run(workspace, updates).await;
    round.readings.iter().for_each(warn_of_validity);
    for (account, standing) in &round.standings {
        say_standing(workspace, account, standing);
    }
    say(workspace, &round.unhandled);
    if let Some(error) = &round.failed {
        warn!(%workspace, %error, "updates not handled");
    }
    round
}

/// Handles all together; where that panics, each alone, so that one harms no other. Returns those that keep
/// their places, and those that panicked alone.
async fn together_or_alone<F>(
    updates: Vec<HeldUpdate>,
    handle: impl Fn(Vec<HeldUpdate>) -> F,
) -> (Vec<HeldUpdate>, Vec<HeldUpdate>)
where
    F: Future<Output = Round>,
{
    if let Ok(round) = AssertUnwindSafe(handle(updates.clone())).catch_unwind().await {
        return (round.again, Vec::new());
    }
    let (mut again, mut broke_off) = (Vec::new(), Vec::new());
    let mut held_up: HashSet<OrderKey> = HashSet::new();
    for update in updates {
        let keys = update.entry.item.order_keys();
        if keys.iter().any(|key| held_up.contains(key)) {
            held_up.extend(keys);
            again.push(update);
            continue;
        }
        // Part of it may have been done before the panic.
        let doubtful = HeldUpdate { failures: update.failures.max(1), ..update.clone() };
        match AssertUnwindSafe(handle(vec![doubtful])).catch_unwind().await {
            Ok(round) if round.again.is_empty() => {}
            Ok(round) => {
                held_up.extend(keys);
                again.extend(round.again);
            }
            Err(_) => broke_off.push(update),
        }
    }
    (again, broke_off)
}

fn say_standing(workspace: WorkspaceId, account: &str, standing: &AccountStanding) {
    let (state, detail) = (standing.state.as_str(), standing.detail.as_deref());
    if standing.state == StandingState::Good {
        info!(%workspace, account, "the network lets the account do everything again");
    } else {
        error!(%workspace, account, state, detail, until = ?standing.until, "the network bars an account");
    }
}

fn say(workspace: WorkspaceId, unhandled: &[Unhandled]) {
    for Unhandled { id, reason, set_aside } in unhandled {
        if *set_aside {
            error!(%workspace, update = %id, reason, "update given up, and put into the quarantine");
        } else {
            warn!(%workspace, update = %id, reason, "update put back");
        }
    }
}

#[cfg(test)]
mod tests;
