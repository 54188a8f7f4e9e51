//! Handles journaled updates: woken by the process that journaled them, with a scan behind it.

mod hands;

use std::{
    panic::AssertUnwindSafe,
    pin::pin,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::{
    channels::{AccountStanding, StandingState},
    clock::Clock,
    errors::StoreError,
    ids::WorkspaceId,
    inbound::{HandleUpdates, Held, Unhandled},
};
use futures_util::FutureExt;
use tokio::{sync::Notify, task::JoinSet};
use tokio_util::sync::CancellationToken;
use tracing::{error, info, warn};

use self::hands::{Begun, Hands, Work};
use super::warn_of_validity;

/// How often the journal is looked through for what nobody was woken for.
const SCAN_EVERY: Duration = Duration::from_secs(2);
/// Pieces of work done at once.
const AT_ONCE: usize = 8;

/// Tells the worker that a workspace has updates, and hands them over. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct UpdatesWake(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Whether a worker has begun: without one nothing may be handed over.
    works: AtomicBool,
    hands: Mutex<Hands>,
    changed: Notify,
}

impl UpdatesWake {
    /// Whether so many updates more of a workspace may be handed over.
    pub fn takes_up(&self, workspace: WorkspaceId, updates: usize) -> bool {
        self.0.works.load(Ordering::Relaxed) && self.hands().has_room_for(workspace, updates)
    }

    /// Hands updates over that were journaled as taken up. Never blocks.
    pub fn hand_over(&self, workspace: WorkspaceId, updates: Vec<Held>) {
        self.change(|hands| hands.hand_over(workspace, updates));
    }

    /// Has a workspace's journal looked at. Never blocks; many calls for one workspace count once.
    pub fn wake(&self, workspace: WorkspaceId) {
        self.change(|hands| hands.look_at_journal(workspace));
    }

    fn change(&self, change: impl FnOnce(&mut Hands)) {
        change(&mut self.hands());
        self.0.changed.notify_one();
    }

    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.0.hands.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Works off the journal, several workspaces at once, and of one workspace what does not follow one another.
pub struct UpdatesWorker {
    /// What handles updates.
    pub handle: Arc<HandleUpdates>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where it is woken.
    pub wake: UpdatesWake,
}

impl UpdatesWorker {
    /// Works until `shutdown`, then finishes what is in hand.
    pub async fn run(self, shutdown: CancellationToken) {
        let mut tasks = JoinSet::new();
        let mut scanning = pin!(self.scan());
        while !shutdown.is_cancelled() {
            self.begin(&mut tasks, true);
            tokio::select! {
                () = shutdown.cancelled() => {}
                () = self.wake.0.changed.notified() => {}
                Some(_) = tasks.join_next() => {}
                () = &mut scanning => {}
            }
        }
        self.wake.0.works.store(false, Ordering::Relaxed);
        loop {
            self.begin(&mut tasks, false);
            if tasks.join_next().await.is_none() {
                return;
            }
        }
    }

    /// Looks through the journal again and again. Nothing is handed over before it was done once: it would overtake
    /// what lies there.
    async fn scan(&self) {
        loop {
            match self.handle.workspaces().await {
                Ok(found) => {
                    for workspace in found {
                        self.wake.wake(workspace);
                    }
                    self.wake.0.works.store(true, Ordering::Relaxed);
                }
                Err(error) => warn!(%error, "the journal could not be looked through"),
            }
            self.clock.sleep(SCAN_EVERY).await;
        }
    }

    fn begin(&self, tasks: &mut JoinSet<()>, with_journal: bool) {
        while tasks.len() < AT_ONCE {
            let Some((begun, work)) = self.wake.hands().begin(with_journal) else { return };
            let turn = Turn { begun, done: false, wake: self.wake.clone() };
            tasks.spawn(turn.work_off(Arc::clone(&self.handle), work));
        }
    }
}

/// A piece of work. Dropped in whatever way, it lets what waits for it begin.
struct Turn {
    begun: Begun,
    done: bool,
    wake: UpdatesWake,
}

impl Drop for Turn {
    fn drop(&mut self) {
        self.wake.change(|hands| hands.end(&self.begun, self.done));
    }
}

impl Turn {
    async fn work_off(mut self, handle: Arc<HandleUpdates>, work: Work) {
        let workspace = self.begun.workspace;
        let worked = match work {
            Work::Handle(updates) => handle_all(&handle, workspace, updates).await,
            Work::TakeUp => self.take_up(&handle).await,
        };
        match worked {
            Ok(()) => self.done = true,
            Err(error) => warn!(%workspace, %error, "updates not handled"),
        }
    }

    /// What the journal has waits behind what was taken up before; where it may have more, it is looked at again.
    async fn take_up(&self, handle: &HandleUpdates) -> Result<(), StoreError> {
        let workspace = self.begun.workspace;
        let taken = handle.take_up(workspace).await?;
        say(workspace, &taken.unhandled);
        if let Some(error) = taken.failed {
            warn!(%workspace, %error, "updates that cannot be handled not put back");
        }
        self.wake.change(|hands| hands.add_taken_up(workspace, taken.held, taken.more));
        Ok(())
    }
}

async fn handle_all(
    handle: &HandleUpdates,
    workspace: WorkspaceId,
    updates: Vec<Held>,
) -> Result<(), StoreError> {
    let broke_off = together_or_alone(updates, |updates| handle_some(handle, workspace, updates)).await?;
    for update in broke_off {
        error!(%workspace, update = %update.entry.id, "handling an update broke off");
        say(workspace, &handle.put_back(workspace, &update, "its handling broke off").await?);
    }
    Ok(())
}

/// All together; where that breaks off in a panic, each alone, so that one harms no other. Answers those that break off
/// alone.
async fn together_or_alone<F>(
    updates: Vec<Held>,
    handle: impl Fn(Vec<Held>) -> F,
) -> Result<Vec<Held>, StoreError>
where
    F: Future<Output = Result<(), StoreError>>,
{
    let mut broke_off = Vec::new();
    if let Ok(handled) = AssertUnwindSafe(handle(updates.clone())).catch_unwind().await {
        return handled.map(|()| broke_off);
    }
    for update in updates {
        match AssertUnwindSafe(handle(vec![update.clone()])).catch_unwind().await {
            Ok(handled) => handled?,
            Err(_) => broke_off.push(update),
        }
    }
    Ok(broke_off)
}

async fn handle_some(
    handle: &HandleUpdates,
    workspace: WorkspaceId,
    updates: Vec<Held>,
) -> Result<(), StoreError> {
    let round = handle.run(workspace, updates).await?;
    round.readings.iter().for_each(warn_of_validity);
    for (account, standing) in &round.standings {
        say_standing(workspace, account, standing);
    }
    say(workspace, &round.unhandled);
    Ok(())
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
mod tests {
    use std::sync::{Mutex, atomic::Ordering};

    use domain::{
        errors::StoreError,
        ids::WorkspaceId,
        inbound::{Held, JournalEntry, JournalItem},
    };
    use time::OffsetDateTime;
    use uuid::Uuid;

    use super::{Begun, Turn, UpdatesWake, Work, together_or_alone};

    fn workspace() -> WorkspaceId {
        Uuid::from_u128(1).into()
    }

    fn updates(count: u128) -> Vec<Held> {
        let update = |number| {
            let entry = JournalEntry {
                id: Uuid::from_u128(number).into(),
                workspace: workspace(),
                received_at: OffsetDateTime::UNIX_EPOCH,
                attempts: 1,
                item: JournalItem::TemplatesChanged { account_network_id: number.to_string() },
            };
            Held { entry, until: OffsetDateTime::UNIX_EPOCH }
        };
        (0..count).map(update).collect()
    }

    #[test]
    fn nothing_is_handed_over_before_somebody_works() {
        let wake = UpdatesWake::default();
        assert!(!wake.takes_up(workspace(), 1));
        wake.0.works.store(true, Ordering::Relaxed);
        assert!(wake.takes_up(workspace(), 1));
    }

    #[tokio::test]
    async fn an_update_whose_handling_panics_harms_no_other() {
        let handled = Mutex::new(Vec::new());
        let all = updates(3);
        let bad = all[1].entry.id;
        let broke_off = together_or_alone(all.clone(), async |updates: Vec<Held>| {
            assert!(updates.iter().all(|held| held.entry.id != bad), "this one cannot be handled");
            handled.lock().unwrap().extend(updates);
            Ok(())
        });
        assert_eq!(broke_off.await.unwrap(), [all[1].clone()]);
        assert_eq!(*handled.lock().unwrap(), [all[0].clone(), all[2].clone()]);
    }

    #[tokio::test]
    async fn while_the_store_is_away_updates_are_not_tried_one_by_one() {
        let count = Mutex::new(0);
        let tried = together_or_alone(updates(3), async |_| {
            *count.lock().unwrap() += 1;
            Err(StoreError::Unavailable("gone".to_owned()))
        });
        assert!(tried.await.is_err());
        assert_eq!(*count.lock().unwrap(), 1);
    }

    #[tokio::test]
    async fn work_that_dies_lets_the_rest_begin() {
        let wake = UpdatesWake::default();
        wake.wake(workspace());
        let next = || -> Option<(Begun, Work)> { wake.hands().begin(true) };
        let (begun, _) = next().unwrap();
        let turn = Turn { begun, done: false, wake: wake.clone() };
        let died = tokio::spawn(async move {
            let _turn = turn;
            panic!("as if by a fault of ours");
        });
        assert!(died.await.is_err());
        wake.wake(workspace());
        assert!(matches!(next(), Some((_, Work::TakeUp))));
    }
}
